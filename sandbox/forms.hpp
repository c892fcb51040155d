// Parses the form of a POST strictly: like Stripe, it refuses unknown parameters. Pure.
#pragma once

#include <string>
#include <variant>

#include "sandbox/book.hpp"
#include "sandbox/http.hpp"

namespace pawl::sandbox {

struct Confirm {
    std::string id;
};
struct Cancel {
    std::string id;
};
using Action = std::variant<NewIntent, NewRefund, NewCapture, Confirm, Cancel>;

// The action, or the answer with the fault.
std::variant<Action, Done> read_action(const std::string& path, const Fields& form,
                                       const std::string& key);

}  // namespace pawl::sandbox
