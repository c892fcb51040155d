#include "controllers/http.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>

#include "base/log.hpp"
#include "controllers/http_head.hpp"
#include "controllers/problem.hpp"

namespace pawl::http {
namespace {

// `visit` gets each name and value, as sent but for blanks, until it says false.
template <class Visit>
void for_each_parameter(std::string_view query, Visit visit) {
    while (!query.empty()) {
        const auto end = std::min(query.find('&'), query.size());
        std::string pair(query.substr(0, end));
        query.remove_prefix(std::min(end + 1, query.size()));
        std::replace(pair.begin(), pair.end(), '+', ' ');  // as forms write a blank
        const std::string_view text = pair;
        const auto equals = std::min(text.find('='), text.size());
        if (!visit(text.substr(0, equals), text.substr(std::min(equals + 1, text.size())))) return;
    }
}

}  // namespace

struct Responder::Once {
    Once(Send send_function, Counter& counter)
        : send(std::move(send_function)), unanswered(counter) {}
    Once(const Once&) = delete;
    Once& operator=(const Once&) = delete;
    ~Once() {
        if (done.load()) return;
        unanswered.add();
        log::error("a request was dropped without an answer");
        send(problem(500, "internal", "The request could not be processed."));
    }

    Send send;
    Counter& unanswered;
    std::atomic<bool> done{false};
};

Responder::Responder(Send send, Counter& unanswered)
    : once_(std::make_shared<Once>(std::move(send), unanswered)) {}

void Responder::operator()(Reply reply) const {
    if (once_->done.exchange(true)) {
        log::error("a request was answered twice", {{"status", reply.status}});
        return;
    }
    once_->send(std::move(reply));
}

bool Responder::unless_answered(Reply reply) const {
    if (once_->done.exchange(true)) return false;
    once_->send(std::move(reply));
    return true;
}

bool Responder::answered() const {
    return once_->done.load();
}

std::optional<std::string_view> Request::header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
        if (same_text(key, name)) return value;
    }
    return std::nullopt;
}

std::optional<std::string> Request::query_value(std::string_view name) const {
    std::optional<std::string> found;
    for_each_parameter(query, [&](std::string_view key, std::string_view value) {
        const auto decoded = percent_decoded(key);
        if (!decoded || *decoded != name) return true;
        found = percent_decoded(value);
        return false;
    });
    return found;
}

std::vector<std::string> Request::query_names() const {
    std::vector<std::string> names;
    for_each_parameter(query, [&](std::string_view key, std::string_view value) {
        if (!key.empty() || !value.empty()) names.push_back(percent_decoded(key).value_or(""));
        return true;
    });
    return names;
}

const std::string& Request::param(std::string_view name) const {
    static const std::string none;
    const auto found = params.find(name);
    return found == params.end() ? none : found->second;
}

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        unsigned value = 0;
        const char* digits = text.data() + i + 1;
        if (text.size() - i < 3) return std::nullopt;
        const auto [end, error] = std::from_chars(digits, digits + 2, value, 16);
        if (error != std::errc() || end != digits + 2 || value == 0) return std::nullopt;
        out += static_cast<char>(value);
        i += 2;
    }
    return out;
}

}  // namespace pawl::http
