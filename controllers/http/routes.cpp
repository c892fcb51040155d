#include "controllers/http/routes.hpp"

#include <algorithm>
#include <exception>

#include "base/log.hpp"
#include "controllers/http/problem.hpp"

namespace pawl::http {
namespace {

std::vector<std::string_view> split(std::string_view path) {
    std::vector<std::string_view> segments;
    segments.reserve(8);
    while (!path.empty()) {
        path.remove_prefix(1);  // the slash
        const auto end = std::min(path.find('/'), path.size());
        segments.push_back(path.substr(0, end));
        path.remove_prefix(end);
    }
    return segments;
}

bool is_param(std::string_view segment) {
    return segment.starts_with('{');
}
bool is_rest(std::string_view segment) {
    return segment.ends_with("*}");
}

bool matches(const std::vector<std::string>& pattern,
             const std::vector<std::string_view>& segments) {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (i >= segments.size()) return false;
        if (is_rest(pattern[i])) return true;
        if (is_param(pattern[i]) ? segments[i].empty() : pattern[i] != segments[i]) return false;
    }
    return pattern.size() == segments.size();
}

// False: an escape that is none, which no handler should have to think about.
bool read_params(const std::vector<std::string>& pattern,
                 const std::vector<std::string_view>& segments, Request& request) {
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (!is_param(pattern[i])) continue;
        const bool rest = is_rest(pattern[i]);
        std::string_view text = segments[i];
        if (rest) text = {text.data(), request.path.data() + request.path.size()};
        auto value = percent_decoded(text);
        if (!value) return false;
        const auto name = pattern[i].substr(1, pattern[i].size() - (rest ? 3 : 2));
        request.params[name] = std::move(*value);
    }
    return true;
}

bool serves(ServedOn on, Listener listener) {
    return on == ServedOn::both ||
           (on == ServedOn::open ? Listener::open : Listener::admin) == listener;
}

void call(const Handler& handler, Request request, const Responder& respond) {
    const char* what = "something that is no exception";
    std::string text;
    try {
        return handler(std::make_shared<Request>(std::move(request)), respond);
    } catch (const std::exception& error) {
        text = error.what();
        what = text.c_str();
    } catch (...) {  // answered below all the same
    }
    log::error("a handler threw", {{"what", what}});
    if (!respond.answered()) {
        respond(problem(500, "internal", "The request could not be processed."));
    }
}

}  // namespace

void Routes::add(Route route) {
    Entry entry{std::move(route), {}};
    for (const auto segment : split(entry.route.pattern)) entry.segments.emplace_back(segment);
    entries_.push_back(std::move(entry));
}

Routes::Found Routes::find(const Request& request,
                           const std::vector<std::string_view>& segments) const {
    Found found;
    // A HEAD is a GET whose body the edge leaves out.
    std::string_view method = request.method;
    if (method == "HEAD") method = "GET";
    for (const Entry& entry : entries_) {
        if (!serves(entry.route.listener, request.listener)) continue;
        if (!matches(entry.segments, segments)) continue;
        if (entry.route.method == method) {
            found.entry = &entry;
            return found;
        }
        if (!found.allow.empty()) found.allow += ", ";
        found.allow += entry.route.method == "GET" ? "GET, HEAD" : entry.route.method;
    }
    return found;
}

void Routes::dispatch(Request request, const Responder& respond) const {
    const auto question = std::min(request.target.find('?'), request.target.size());
    request.path = request.target.substr(0, question);
    request.query = request.target.substr(std::min(question + 1, request.target.size()));
    const auto segments = split(request.path);
    const Found found = find(request, segments);
    if (found.entry == nullptr) {
        return respond(found.allow.empty()
                           ? problem(404, "not_found", "There is nothing at this path.")
                           : method_not_allowed(found.allow));
    }
    if (!read_params(found.entry->segments, segments, request)) {
        return respond(problem(400, "bad_target", "The path holds a broken percent escape."));
    }
    call(found.entry->route.handler, std::move(request), respond);
}

}  // namespace pawl::http
