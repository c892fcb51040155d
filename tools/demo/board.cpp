#include "tools/demo/board.hpp"

#include <fmt/core.h>

namespace pawl::app {
namespace {

constexpr std::chrono::seconds plain_every(5);

}  // namespace

void Board::erase() {
    for (std::size_t i = 0; i < shown_.size(); ++i) out_.control("\x1b[1A\x1b[2K");
    shown_.clear();
}

void Board::show(const std::vector<std::string>& lines) {
    if (out_.interactive()) {
        erase();
        for (const std::string& line : lines) out_.line(line);
        shown_ = lines;
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now < next_plain_) return;
    next_plain_ = now + plain_every;
    for (const std::string& line : lines) out_.line(line);
}

void Board::say(const std::string& line) {
    const std::vector<std::string> lines = shown_;
    if (out_.interactive()) erase();
    out_.line(line);
    if (!out_.interactive()) return;
    for (const std::string& one : lines) out_.line(one);
    shown_ = lines;
}

void Board::finish() {
    if (out_.interactive()) erase();
}

}  // namespace pawl::app
