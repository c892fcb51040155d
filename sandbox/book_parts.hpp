// Ids, events and refusals, as all files of the book and the API make them. Pure but for the ids,
// which come from the system's generator: receivers keep them, so another run must not repeat them.
#pragma once

#include <string>

#include "sandbox/book.hpp"

namespace pawl::sandbox {

std::string new_id(const char* prefix);
Event make_event(const std::string& type, const std::string& object, Time now);
Done refusal(int status, const std::string& code, const std::string& message,
             const std::string& intent = {});
Done not_found(const std::string& what, const std::string& id);
Done unexpected(const Intent& intent, const std::string& verb);

}  // namespace pawl::sandbox
