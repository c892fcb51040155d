#include "settings/database_url.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

#include "base/text.hpp"

namespace pawl::app {
namespace {

constexpr std::string_view form =
    "write postgresql://USER@HOST:PORT/DATABASE; several hosts are separated by commas";
constexpr std::string_view encode =
    "percent-encode user and password: % as %25, @ as %40, / as %2F";

UrlFault invalid_for(std::string_view why, std::string_view remedy) {
    return {"invalid (" + std::string(why) + ")", std::string(remedy)};
}

// The text up to the first of `ends`, which is taken off `text`, as is the end itself.
std::string_view take_until(std::string_view& text, std::string_view ends) {
    const std::size_t at = std::min(text.find_first_of(ends), text.size());
    const std::string_view taken = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return taken;
}

bool is_percent_encoded(std::string_view text) {
    const auto hex = [](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
        const std::string_view digits = text.substr(at + 1, 2);
        if (digits.size() < 2 || !hex(digits[0]) || !hex(digits[1]) || digits == "00") return false;
    }
    return true;
}

// libpq ends user and password at the first @, if no / stands before it.
bool ends_its_password_clearly(std::string_view text) {
    const std::size_t at = text.find('@');
    return at == text.npos || (at < text.find('/') && text.find('@', at + 1) == text.npos);
}

bool is_host(std::string_view text) {
    std::string_view port;
    if (text.starts_with('[')) {
        const std::size_t end = text.find(']');
        if (end == text.npos) return false;
        port = text.substr(end + 1);
    } else {
        port = text.substr(std::min(text.find(':'), text.size()));
    }
    if (port.empty() || port == ":") return true;
    return port.starts_with(':') && to_number<std::uint16_t>(port.substr(1)).value_or(0) > 0;
}

bool are_hosts(std::string_view text) {
    for (;;) {
        if (!is_host(text.substr(0, text.find(',')))) return false;
        if (text.find(',') == text.npos) return true;
        text.remove_prefix(text.find(',') + 1);
    }
}

// The parameters of libpq, up to PostgreSQL 18. It names an unknown one in its error, and a
// password that is not percent-encoded may stand in its place.
constexpr std::array<std::string_view, 48> parameters{"service",
                                                      "servicefile",
                                                      "user",
                                                      "password",
                                                      "passfile",
                                                      "channel_binding",
                                                      "connect_timeout",
                                                      "dbname",
                                                      "host",
                                                      "hostaddr",
                                                      "port",
                                                      "client_encoding",
                                                      "options",
                                                      "application_name",
                                                      "fallback_application_name",
                                                      "keepalives",
                                                      "keepalives_idle",
                                                      "keepalives_interval",
                                                      "keepalives_count",
                                                      "tcp_user_timeout",
                                                      "sslmode",
                                                      "sslnegotiation",
                                                      "sslcompression",
                                                      "sslcert",
                                                      "sslkey",
                                                      "sslcertmode",
                                                      "sslpassword",
                                                      "sslrootcert",
                                                      "sslcrl",
                                                      "sslcrldir",
                                                      "sslsni",
                                                      "ssl",
                                                      "requirepeer",
                                                      "require_auth",
                                                      "min_protocol_version",
                                                      "max_protocol_version",
                                                      "ssl_min_protocol_version",
                                                      "ssl_max_protocol_version",
                                                      "gssencmode",
                                                      "krbsrvname",
                                                      "gsslib",
                                                      "gssdelegation",
                                                      "replication",
                                                      "target_session_attrs",
                                                      "load_balance_hosts",
                                                      "sslkeylogfile",
                                                      "scram_client_key",
                                                      "scram_server_key"};

bool are_known(std::string_view text) {
    while (!text.empty()) {
        std::string_view one = take_until(text, "&");
        const std::string_view name = one.substr(0, one.find('='));
        if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) return false;
    }
    return true;
}

bool are_parameters(std::string_view text) {
    while (!text.empty()) {
        const std::string_view one = take_until(text, "&");
        const std::size_t equals = one.find('=');
        if (equals == 0 || equals == one.npos || one.find('=', equals + 1) != one.npos)
            return false;
    }
    return true;
}

}  // namespace

std::optional<UrlFault> fault_of_database_url(std::string_view url) {
    if (!url.starts_with("postgresql://") && !url.starts_with("postgres://")) {
        return UrlFault{"not a libpq URI", std::string(form)};
    }
    std::string_view rest = url.substr(url.find("://") + 3);
    if (!is_percent_encoded(rest)) {
        return invalid_for("a % without two hexadecimal digits after it", encode);
    }
    if (!ends_its_password_clearly(rest)) {
        return invalid_for("an @ or / that is not percent-encoded in user or password", encode);
    }
    rest.remove_prefix(std::min(rest.find('@') + 1, rest.size()));  // npos + 1 is 0
    const std::size_t hosts_end = std::min(rest.find_first_of("/?"), rest.size());
    if (!are_hosts(rest.substr(0, hosts_end))) {
        return invalid_for("a host or port that cannot be read",
                           std::string(form) + "; " + std::string(encode));
    }
    rest.remove_prefix(std::min(rest.find('?', hosts_end), rest.size()));
    if (!rest.empty() && !are_parameters(rest.substr(1))) {
        return invalid_for("a parameter that is not NAME=VALUE",
                           "percent-encode its value: & as %26, = as %3D");
    }
    if (!rest.empty() && !are_known(rest.substr(1))) {
        return invalid_for("a parameter that libpq does not have",
                           "write names like sslmode or target_session_attrs; percent-encode ? and "
                           "& in a password: %3F, %26");
    }
    return std::nullopt;
}

}  // namespace pawl::app
