// A delivery as described on the command line: headers as written for curl, a body in a file, a
// time. An invalid description is an error of kind `invalid`. Reads files; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "providers/event.hpp"

namespace pawl::app {

struct DescribedDelivery {
    std::string provider;
    std::string method = "POST";
    std::string url;                   // empty: /webhooks/<provider>
    std::vector<std::string> headers;  // "Name: value"
    std::string body;                  // a file, or "-" for standard input
    std::string at;                    // RFC 3339; empty: now
};

Result<providers::Delivery> read_delivery(const DescribedDelivery& described, Time now);

// Parses "URL=FILE", with the file's contents: the answer that a provider's check would fetch. The
// file is the text after the last "=", because URLs have them too.
Result<std::pair<std::string, std::string>> read_fetched(std::string_view text);

}  // namespace pawl::app
