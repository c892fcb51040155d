// The demo's progress display: a few lines that are rewritten in place on a terminal, or appended
// lines otherwise. One thread.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "settings/terminal.hpp"

namespace pawl::app {

class Board {
  public:
    explicit Board(const Terminal& out) : out_(out) {}
    // The lines as they are now; the same number each time.
    void show(const std::vector<std::string>& lines);
    // Something happened: a line that stays.
    void say(const std::string& line);
    void finish();

  private:
    void erase();
    const Terminal& out_;
    std::vector<std::string> shown_;
    std::chrono::steady_clock::time_point next_plain_{};
};

}  // namespace pawl::app
