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

// The position in the path of each segment of the pattern, and one past the last; empty if it is
// another path.
std::vector<std::size_t> places(const std::vector<std::string>& pattern,
                                const std::vector<std::string_view>& segments) {
    const bool rest = std::any_of(pattern.begin(), pattern.end(), is_rest);
    if (rest ? segments.size() < pattern.size() : segments.size() != pattern.size()) return {};
    std::vector<std::size_t> found;
    std::size_t at = 0;
    for (const std::string& segment : pattern) {
        found.push_back(at);
        if (is_rest(segment)) {
            at += 1 + segments.size() - pattern.size();
            continue;
        }
        const std::string_view got = segments[at++];
        if (is_param(segment) ? got.empty() : segment != got) return {};
    }
    found.push_back(at);
    return found;
}

// Returns false for an invalid escape, which no handler should have to check.
bool read_params(const std::vector<std::string>& pattern,
                 const std::vector<std::string_view>& segments, Request& request) {
    const auto at = places(pattern, segments);
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (!is_param(pattern[i])) continue;
        const std::string_view last = segments[at[i + 1] - 1];
        const char* const begin = segments[at[i]].data();
        auto value =
            percent_decoded({begin, static_cast<std::size_t>(last.data() + last.size() - begin)});
        if (!value) return false;
        const auto name = pattern[i].substr(1, pattern[i].size() - (is_rest(pattern[i]) ? 3 : 2));
        request.params[name] = std::move(*value);
    }
    return true;
}

bool serves(ServedOn on, Listener listener) {
    return on == ServedOn::both ||
           (on == ServedOn::open ? Listener::open : Listener::admin) == listener;
}

void call(const Handler& handler, Request request, const Responder& respond) {
    const char* what = "an object that is not an exception";
    std::string text;
    try {
        return handler(std::make_shared<Request>(std::move(request)), respond);
    } catch (const std::exception& error) {
        text = error.what();
        what = text.c_str();
    } catch (...) {  // answered below all the same
    }
    log::error("a handler threw", {{"error", what}});
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

std::vector<std::string> Routes::operations() const {
    std::vector<std::string> names;
    for (const Entry& entry : entries_) {
        names.push_back(entry.route.method + " " + entry.route.pattern);
    }
    return names;
}

Routes::Found Routes::find(const Request& request,
                           const std::vector<std::string_view>& segments) const {
    Found found;
    const std::string* pattern = nullptr;
    // A HEAD is a GET; the edge leaves the body out.
    std::string_view method = request.method;
    if (method == "HEAD") method = "GET";
    for (const Entry& entry : entries_) {
        if (!serves(entry.route.listener, request.listener)) continue;
        if (pattern == nullptr) {
            if (places(entry.segments, segments).empty()) continue;
            pattern = &entry.route.pattern;
        }
        if (entry.route.pattern != *pattern) continue;
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
        return respond(found.allow.empty() ? problem(404, "not_found",
                                                     "path: unknown; docs/api.md and /openapi.json "
                                                     "of the admin listener list the paths")
                                           : method_not_allowed(found.allow));
    }
    if (!read_params(found.entry->segments, segments, request)) {
        return respond(problem(400, "bad_target", "path: broken percent escape; write % as %25"));
    }
    call(found.entry->route.handler, std::move(request), respond);
}

}  // namespace pawl::http
