#include "controllers/http/http.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>

#include "base/log.hpp"
#include "controllers/http/http_head.hpp"
#include "controllers/http/problem.hpp"

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
    Once(Send send_function, Counter& counter, Hop hop_function)
        : send(std::move(send_function)), unanswered(counter), hop(std::move(hop_function)) {}
    Once(const Once&) = delete;
    Once& operator=(const Once&) = delete;
    ~Once() {
        if (done.load()) return;
        unanswered.add();
        log::error("a request was dropped without an answer");
        send_there([] { return problem(500, "internal", "The request could not be processed."); });
    }

    // By the one that has set `done`.
    void send_there(Make make) {
        if (!hop) return send(make());
        hop([to = std::move(send), make = std::move(make)] { to(make()); });
    }

    Send send;
    Counter& unanswered;
    const Hop hop;
    std::atomic<bool> done{false};
    Timer::Deadline late;
};

Responder::Responder(Send send, Counter& unanswered, Hop hop)
    : once_(std::make_shared<Once>(std::move(send), unanswered, std::move(hop))) {}

void Responder::operator()(Reply reply) const {
    made_by([reply = std::move(reply)]() mutable { return std::move(reply); });
}

void Responder::made_by(Make make) const {
    if (once_->done.exchange(true)) return log::error("a request was answered twice");
    once_->send_there(std::move(make));
}

bool Responder::unless_answered(Reply reply) const {
    if (once_->done.exchange(true)) return false;
    once_->send_there([reply = std::move(reply)]() mutable { return std::move(reply); });
    return true;
}

void Responder::answer_by(Timer& timer, Timer::Steady time, Reply reply) const {
    once_->late = timer.at(time, [weak = std::weak_ptr(once_), reply = std::move(reply)] {
        const auto once = weak.lock();
        if (once && !once->done.exchange(true)) once->send_there([reply] { return reply; });
    });
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
