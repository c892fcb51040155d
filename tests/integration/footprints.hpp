// What each statement that the interleaving tests step touches, and which two of them commute: in
// whichever order two sessions run them, one right after the other, the end is the same. Declared
// by hand; footprints_test.cpp holds it against the SQL. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace pawl::testing {

enum class Use {
    reads,    // sees what was committed, and waits for nobody
    appends,  // adds rows whose only key is a number of their own: nobody's row is in the way
    writes,   // or locks: whoever else does so may have to wait
};
using Uses = std::map<std::string, Use, std::less<>>;  // by table, or the advisory lock

struct Footprint {
    Uses uses;
    bool everything = false;  // nothing is known about it
    bool commits = false;     // shows what its transaction wrote, and lets go of its locks
};

const std::map<std::string_view, Uses>& declared_uses();
// Of a statement that is not declared: everything.
Footprint footprint_of(std::string_view statement);
bool commute(const Footprint& one, const Footprint& other);

// What a session has written so far. Its commit touches all of that; that of an earlier transaction
// too, which leaves out less than could be.
class Trail {
  public:
    Footprint next(std::string_view statement) const;
    void add(const Footprint& ran);

  private:
    Uses written_;
    bool everything_ = false;
};

}  // namespace pawl::testing
