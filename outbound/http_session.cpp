#include "outbound/http_session.hpp"

#include <sys/socket.h>

#include <algorithm>

#include "base/text.hpp"
#include "outbound/address_guard.hpp"

namespace pawl::outbound {
namespace {

// Less than load balancers keep an idle connection open (60 s and more): a connection that closes
// during a write costs an unknown outcome.
constexpr long idle_seconds_max = 30;
constexpr long connections_max = 8;                // kept, by thread
constexpr std::size_t head_bytes_max = 64 * 1024;  // half of the gate's own limit
constexpr long name_seconds_max = 60;              // a name's address may change

}  // namespace

HttpSession::HttpSession(bool allow_private) : allow_private_(allow_private) {
    set_up();
}

void HttpSession::set_up() {
    session_.SetRedirect(cpr::Redirect(false));
    session_.SetVerifySsl(cpr::VerifySsl(true));
    session_.SetAcceptEncoding(cpr::AcceptEncoding{cpr::AcceptEncodingMethods::disabled});
    session_.SetUserAgent(cpr::UserAgent("Pawl"));
    session_.SetHeaderCallback(cpr::HeaderCallback(
        [this](std::string_view line, intptr_t) { return take_head_line(line); }));
    session_.SetWriteCallback(
        cpr::WriteCallback([this](std::string_view bytes, intptr_t) { return take_body(bytes); }));
    session_.SetProgressCallback(
        cpr::ProgressCallback([this](auto, auto, auto, auto, intptr_t) { return still_wanted(); }));
    CURL* curl = session_.GetCurlHolder()->handle;
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);  // a timeout must not be a SIGALRM
    curl_easy_setopt(curl, CURLOPT_PROXY, "");     // also if the environment sets one
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(curl, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_MAXCONNECTS, connections_max);
    curl_easy_setopt(curl, CURLOPT_MAXAGE_CONN, idle_seconds_max);
    curl_easy_setopt(curl, CURLOPT_DNS_CACHE_TIMEOUT, name_seconds_max);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, &HttpSession::open_socket);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, this);
    curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, &HttpSession::about_to_send);
    curl_easy_setopt(curl, CURLOPT_PREREQDATA, this);
}

curl_socket_t HttpSession::open_socket(void* self, curlsocktype, curl_sockaddr* address) {
    auto& session = *static_cast<HttpSession*>(self);
    const std::string_view why = why_not_public(address->addr);
    if (!session.allow_private_ && !why.empty()) {
        session.flight_.refused_address = to_text(address->addr) + " is " + std::string(why);
        return CURL_SOCKET_BAD;
    }
    return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

// curl sends a request again by itself when a kept connection turns out to be closed. It cannot
// know that the first one was not acted on; the second answer would be read as the first.
int HttpSession::about_to_send(void* self, char*, char*, int, int) {
    Flight& flight = static_cast<HttpSession*>(self)->flight_;
    if (++flight.sends == 1 || flight.may_repeat) return CURL_PREREQFUNC_OK;
    flight.repeat_refused = true;
    return CURL_PREREQFUNC_ABORT;
}

bool HttpSession::take_head_line(std::string_view line) {
    flight_.head_bytes += line.size();
    if (flight_.head_bytes > head_bytes_max) {
        flight_.too_large = true;
        return false;
    }
    while (line.ends_with('\r') || line.ends_with('\n')) line.remove_suffix(1);
    // Each head starts over: a 100 or 103 may precede the final one.
    if (line.starts_with("HTTP/")) {
        flight_.reply.headers.clear();
        flight_.head_is_whole = false;
    }
    if (trimmed(line).empty()) flight_.head_is_whole = true;
    const auto colon = line.find(':');
    if (line.starts_with("HTTP/") || colon == std::string_view::npos) return true;
    flight_.reply.headers.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
    return true;
}

bool HttpSession::take_body(std::string_view bytes) {
    flight_.too_large = bytes.size() > flight_.reply_bytes_max - flight_.reply.body.size();
    if (!flight_.too_large) flight_.reply.body += bytes;
    return !flight_.too_large;
}

bool HttpSession::still_wanted() const {
    return flight_.unwanted == nullptr || !flight_.unwanted->load();
}

void HttpSession::prepare(const HttpRequest& request) {
    flight_ = {};
    flight_.may_repeat = request.method == "GET" || request.method == "HEAD";
    flight_.reply_bytes_max = request.reply_bytes_max;
    flight_.unwanted = request.unwanted;
    curl_easy_setopt(session_.GetCurlHolder()->handle, CURLOPT_COOKIELIST, "ALL");  // clear them
    // Zero would be no limit at all.
    const auto within = std::max(request.within, std::chrono::milliseconds(1));
    session_.SetTimeout(cpr::Timeout(within));
    const auto connect = std::clamp(request.connect_within, std::chrono::milliseconds(1), within);
    session_.SetConnectTimeout(cpr::ConnectTimeout(connect));
    cpr::Header headers;
    for (const auto& [name, value] : request.headers) headers[name] = value;
    session_.SetHeader(headers);
    session_.SetUrl(cpr::Url(request.url));
    set_body(request);
}

// cpr removes a body by an int where curl reads 64 bits, which leaves a length of 4 GiB. So a
// method that has a body always gets one, and for the others curl is set to GET before cpr names
// another method.
void HttpSession::set_body(const HttpRequest& request) {
    const bool has_body =
        request.method == "POST" || request.method == "PUT" || request.method == "PATCH";
    if (has_body) {
        session_.SetBody(cpr::Body(request.body));
        return;
    }
    session_.RemoveContent();
    CURL* curl = session_.GetCurlHolder()->handle;
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(-1));
    curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
}

cpr::Response HttpSession::perform(const std::string& method) {
    if (method == "GET") return session_.Get();
    if (method == "HEAD") return session_.Head();
    if (method == "PUT") return session_.Put();
    if (method == "PATCH") return session_.Patch();
    if (method == "DELETE") return session_.Delete();
    return session_.Post();
}

HttpFailure HttpSession::failure(const cpr::Response& response, const HttpRequest& request) const {
    HttpFailure failed;
    failed.sent_nothing = flight_.sends == 0;
    if (flight_.repeat_refused) {
        failed.what = "the connection was closed before an answer came";
    } else if (flight_.too_large) {
        failed.what = "the answer is larger than the " + std::to_string(request.reply_bytes_max) +
                      " bytes that are read";
    } else if (!flight_.refused_address.empty() && failed.sent_nothing) {
        failed.what = "not connected: " + flight_.refused_address +
                      "; allow_private = true permits it, for development";
        failed.refused_address = true;
    } else if (!still_wanted()) {
        failed.what = "the answer was not awaited: Pawl is stopping";
    } else {
        failed.what = response.error.message.empty() ? "the answer was cut in its head"
                                                     : response.error.message;
    }
    return failed;
}

HttpResult HttpSession::send(const HttpRequest& request) {
    prepare(request);
    const cpr::Response response = perform(request.method);
    const bool has_status = flight_.head_is_whole && response.status_code >= 200;
    if (!has_status || (response.error && !request.status_is_enough)) {
        return failure(response, request);
    }
    flight_.reply.status = static_cast<int>(response.status_code);
    return std::move(flight_.reply);
}

}  // namespace pawl::outbound
