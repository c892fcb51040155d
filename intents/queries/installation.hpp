// Facts of a database that limit the configuration it may be served with: the mode of its money,
// the providers whose events it holds, and the keys of what they posted. Read at start, on the
// caller's session.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/mode.hpp"
#include "db/session.hpp"
#include "providers/event.hpp"

namespace pawl::intents {

struct BoundMode {
    Mode mode = Mode::live;
    std::string because;  // "money is posted", ...

    // PostgreSQL lists a session for a moment after its end: worth another try.
    bool may_pass() const { return because == "another pawl is connected"; }
};

// A server that starts may change the mode of a database that holds no money. A command may not: a
// server that is running judged the mode when it started.
enum class ModeChange { allowed, refused };

// Makes `wanted` the mode of the database, or returns the one that it is bound to.
std::optional<BoundMode> adopt_mode(db::Session& session, Mode wanted, ModeChange change);

// Returns the id of the database, 16 bytes; its copies and dumps have the same. Empty until a
// server has claimed its mode.
std::string installation_id(db::Session& session);

// Returns the keys under which each provider's rules have posted, and their readings of amounts.
using PostedShape = std::pair<std::string, providers::KeyShape>;
std::vector<PostedShape> posted_shapes(db::Session& session);

// Returns those of `names` that have a verified event in the database.
std::vector<std::string> providers_with_events(db::Session& session,
                                               const std::vector<std::string>& names);

}  // namespace pawl::intents
