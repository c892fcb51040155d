// Who answers what: an explicit table of method, pattern and listener. Filled by the wiring before
// the server starts, read by all IO threads afterwards, never changed in between.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controllers/http/http.hpp"

namespace pawl::http {

enum class ServedOn : std::uint8_t { open, admin, both };

struct Route {
    std::string method;
    // Segments are literal, `{name}` for one segment, or as the last `{name*}` for all the rest.
    // Of two patterns that match, the one added first wins.
    std::string pattern;
    ServedOn listener = ServedOn::open;
    Handler handler;
};

class Routes {
  public:
    void add(Route route);

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
        std::string allow;  // the methods of every pattern that matched
    };
    Found find(const Request& request, const std::vector<std::string_view>& segments) const;

    std::vector<Entry> entries_;
};

}  // namespace pawl::http
