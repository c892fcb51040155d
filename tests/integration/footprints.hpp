// Footprints of the statements that the interleaving tests step, and which pairs of them commute:
// in either order of two sessions' adjacent steps the end is the same. Declared by hand;
// footprints_test.cpp compares the declarations with the SQL. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace pawl::testing {

enum class Use {
    reads,    // sees committed rows, and never waits
    appends,  // adds rows whose only key is a number of their own: nobody's row is in the way
    writes,   // or locks: another writer may have to wait
};
using Uses = std::map<std::string, Use, std::less<>>;  // by table, or the advisory lock

struct Footprint {
    Uses uses;
    bool everything = false;  // nothing is known about it
    bool commits = false;     // shows its transaction's writes, and releases its locks
};

const std::map<std::string_view, Uses>& declared_uses();
// Returns a footprint that touches everything if the statement is not declared.
Footprint footprint_of(std::string_view statement);
bool commute(const Footprint& one, const Footprint& other);

// Writes of a session so far. Its commit touches all of them; those of an earlier transaction too,
// which leaves out fewer schedules than possible.
class Trail {
  public:
    Footprint next(std::string_view statement) const;
    void add(const Footprint& ran);

  private:
    Uses written_;
    bool everything_ = false;
};

}  // namespace pawl::testing
