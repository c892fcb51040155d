// The shape of an effect key: the books, the kind and the pointers that a rule makes it of, apart
// from any event. Two rules of one shape key the same payment alike. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "providers/config.hpp"
#include "providers/event.hpp"

namespace pawl::providers {

// ["demo", "capture", "/payment_id"], as a provider file writes it.
std::string shape_text(const ReadParts& key_with_books);
KeyShape shape_of(std::string_view books, const MoveConfig& move);

// The movements of a rule, each complete: those that it lists, or the one that it describes itself.
std::vector<MoveConfig> moves_of(const RuleConfig& rule);

// The keys that a file posts under, and those that it says it has posted under.
struct FileShapes {
    std::vector<std::pair<std::size_t, KeyShape>> present;  // with the number of the rule
    std::set<std::string> former;
};
FileShapes shapes_of(const ProviderConfig& config, std::string_view books);

}  // namespace pawl::providers
