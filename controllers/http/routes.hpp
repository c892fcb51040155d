// The routing table: method, pattern and listener of each handler. Filled by the wiring before the
// server starts, read by all IO threads afterwards, never changed in between.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/http/http.hpp"

namespace pawl::http {

enum class ServedOn : std::uint8_t { open, admin, both };

struct Route {
    std::string method;
    // Segments are literal, `{name}` for one segment, or once `{name*}` for one or more. If two
    // patterns match a path, the one added first is the path's, for every method: its routes alone
    // answer, and fill `Allow`.
    std::string pattern;
    ServedOn listener = ServedOn::open;
    Handler handler;
};

class Routes {
  public:
    void add(Route route);
    // "GET /v1/orders/{order}", in the order in which they were added.
    std::vector<std::string> operations() const;

    // Finds the handler and calls it. Answers 404, 405 (with Allow) and 400 (broken escapes)
    // itself, and 500 when the handler throws anything.
    void dispatch(Request request, const Responder& respond) const;

  private:
    struct Entry {
        Route route;
        std::vector<std::string> segments;
    };
    struct Found {
        const Entry* entry = nullptr;
        std::string allow;  // the methods of the path's pattern
    };
    Found find(const Request& request, const std::vector<std::string_view>& segments) const;

    std::vector<Entry> entries_;
};

}  // namespace pawl::http
