// Terminal output: colour where wanted, aligned tables, a progress line. Owned by the command that
// prints; one thread.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace pawl::app {

enum class Colour { none, red, yellow, green, blue, dim, bold };

class Terminal {
  public:
    explicit Terminal(std::FILE* stream);  // colour on a terminal, unless NO_COLOR is set
    Terminal(std::FILE* stream, bool interactive, bool colour)
        : stream_(stream), interactive_(interactive), colour_(colour) {}

    bool interactive() const { return interactive_; }
    // For print and line alone, which turn its marks into colour.
    std::string paint(Colour colour, std::string_view text) const;
    // Every control character but the end of a line and a tab is shown as an escape: ids and texts
    // come from senders.
    void print(std::string_view text) const;
    void line(std::string_view text = {}) const;
    void control(std::string_view bytes) const;  // as they are: moves the cursor

  private:
    std::FILE* stream_;
    bool interactive_;
    bool colour_;
};

struct Cell {
    Cell(std::string words) : text(std::move(words)) {}
    Cell(const char* words) : text(words) {}
    Cell(std::string words, Colour painted) : text(std::move(words)), colour(painted) {}

    std::string text;
    Colour colour = Colour::none;
};

class Table {
  public:
    // A heading that begins with '>' makes a column of numbers, aligned right.
    explicit Table(std::vector<std::string> headings);
    void row(std::vector<Cell> cells);
    bool empty() const { return rows_.empty(); }
    std::string render(const Terminal& terminal) const;

  private:
    std::vector<std::size_t> widths() const;
    std::vector<std::string> headings_;
    std::vector<bool> right_;
    std::vector<std::vector<Cell>> rows_;
};

// "sent  [#########.......]  5600/10000", rewritten in place; prints only on a terminal.
class Progress {
  public:
    Progress(const Terminal& terminal, std::string label, std::size_t total)
        : terminal_(terminal), label_(std::move(label)), total_(total) {}
    ~Progress() { finish(); }
    void update(std::size_t done);
    void finish();
    static std::string bar(std::string_view label, std::size_t done, std::size_t total);

  private:
    const Terminal& terminal_;
    std::string label_;
    std::size_t total_;
    std::size_t shown_permille_ = 1001;
    bool drawn_ = false;
};

std::size_t columns_of(std::string_view text);  // code points, which is near enough

}  // namespace pawl::app
