#include "settings/terminal.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "base/printable.hpp"

namespace pawl::app {
namespace {

std::string_view code_of(Colour colour) {
    switch (colour) {
        case Colour::red:
            return "31";
        case Colour::yellow:
            return "33";
        case Colour::green:
            return "32";
        case Colour::blue:
            return "34";
        case Colour::dim:
            return "2";
        case Colour::bold:
            return "1";
        case Colour::none:
            break;
    }
    return "0";
}

// A byte that no UTF-8 text contains, and a letter: where print is to change the colour.
constexpr char mark = '\xFF';
constexpr std::array colours = {Colour::none, Colour::red, Colour::yellow, Colour::green,
                                Colour::blue, Colour::dim, Colour::bold};

char letter_of(Colour colour) {
    return static_cast<char>('a' + static_cast<int>(colour));
}

std::optional<Colour> colour_marked(std::string_view text) {
    if (text.size() < 2 || text[0] != mark) return std::nullopt;
    const auto found = std::find_if(colours.begin(), colours.end(),
                                    [&](Colour one) { return letter_of(one) == text[1]; });
    return found == colours.end() ? std::nullopt : std::optional(*found);
}

bool colour_unwanted() {
    const char* unwanted = std::getenv("NO_COLOR");  // https://no-color.org: any value but ""
    const char* kind = std::getenv("TERM");
    return (unwanted != nullptr && *unwanted != '\0') ||
           (kind != nullptr && std::string_view(kind) == "dumb");
}

}  // namespace

Terminal::Terminal(std::FILE* stream)
    : stream_(stream),
      interactive_(::isatty(::fileno(stream)) == 1),
      colour_(interactive_ && !colour_unwanted()) {}

std::string Terminal::paint(Colour colour, std::string_view text) const {
    if (!colour_ || colour == Colour::none || text.empty()) return std::string(text);
    const auto marked = [](Colour one) { return std::string{mark, letter_of(one)}; };
    return marked(colour) + std::string(text) + marked(Colour::none);
}

void Terminal::print(std::string_view text) const {
    std::string out;
    while (!text.empty()) {
        const std::size_t plain = std::min(text.find(mark), text.size());
        append_printable(out, text.substr(0, plain), "\n\t");
        text.remove_prefix(plain);
        const auto colour = colour_marked(text);
        if (colour_ && colour) out += fmt::format("\033[{}m", code_of(*colour));
        if (!colour) append_printable(out, text.substr(0, 1));
        text.remove_prefix(std::min(text.size(), colour ? std::size_t{2} : std::size_t{1}));
    }
    control(out);
}

void Terminal::control(std::string_view bytes) const {
    std::fwrite(bytes.data(), 1, bytes.size(), stream_);
    std::fflush(stream_);
}

void Terminal::line(std::string_view text) const {
    print(std::string(text) + "\n");
}

std::size_t columns_of(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    }));
}

Table::Table(std::vector<std::string> headings) {
    for (std::string& heading : headings) {
        const bool right = heading.starts_with('>');
        headings_.push_back(right ? heading.substr(1) : std::move(heading));
        right_.push_back(right);
    }
}

void Table::row(std::vector<Cell> cells) {
    cells.resize(headings_.size(), Cell(""));
    for (Cell& cell : cells) cell.text = printable(cell.text);  // as wide as it will be
    rows_.push_back(std::move(cells));
}

std::vector<std::size_t> Table::widths() const {
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < headings_.size(); ++i) {
        std::size_t width = columns_of(headings_[i]);
        for (const auto& row : rows_) width = std::max(width, columns_of(row[i].text));
        widths.push_back(width);
    }
    return widths;
}

std::string Table::render(const Terminal& terminal) const {
    const std::vector<std::size_t> width = widths();
    const auto write = [&](std::string& out, std::size_t i, const Cell& cell) {
        const std::string pad(width[i] - columns_of(cell.text), ' ');
        const std::string painted = terminal.paint(cell.colour, cell.text);
        const bool last = i + 1 == headings_.size();
        if (right_[i]) out += pad;
        out += painted;
        if (!right_[i] && !last) out += pad;
        out += last ? "\n" : "  ";
    };
    std::string out;
    for (std::size_t i = 0; i < headings_.size(); ++i) {
        write(out, i, Cell(headings_[i], Colour::dim));
    }
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) write(out, i, row[i]);
    }
    return out;
}

std::string Progress::bar(std::string_view label, std::size_t done, std::size_t total) {
    constexpr std::size_t width = 30;
    const std::size_t filled = total == 0 ? width : std::min(width, done * width / total);
    return fmt::format("{}  [{}{}]  {}/{}", label, std::string(filled, '#'),
                       std::string(width - filled, '.'), done, total);
}

void Progress::update(std::size_t done) {
    if (!terminal_.interactive()) return;
    const std::size_t permille = total_ == 0 ? 1000 : done * 1000 / total_;
    if (permille == shown_permille_) return;
    shown_permille_ = permille;
    drawn_ = true;
    terminal_.control("\r" + bar(label_, done, total_));
}

void Progress::finish() {
    if (drawn_) terminal_.print("\n");
    drawn_ = false;
}

}  // namespace pawl::app
