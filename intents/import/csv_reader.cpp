#include "intents/import/csv_reader.hpp"

#include <fmt/core.h>

#include <limits>

#include "base/json.hpp"

namespace pawl::intents {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

// Takes one field off the front of `rest`, with the comma that ends it. Returns the condition that
// makes it unreadable; empty if there is none.
std::string take_field(std::string_view& rest, bool& more, std::string& field) {
    const bool quoted = !rest.empty() && rest.front() == '"';
    if (quoted) rest.remove_prefix(1);
    for (;;) {
        const std::size_t end = rest.find_first_of(quoted ? "\"" : ",\"");
        field.append(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end);
        if (rest.empty()) {
            more = false;
            return quoted ? "a quote that is not closed on its line" : "";
        }
        if (!quoted && rest.front() == '"') return "a quote inside a field without quotes";
        if (!quoted) break;
        rest.remove_prefix(1);
        if (!rest.starts_with('"')) break;
        field += '"';
        rest.remove_prefix(1);
    }
    more = rest.starts_with(',');
    if (!more && !rest.empty()) return "text between a closing quote and the next comma";
    if (more) rest.remove_prefix(1);
    return "";
}

}  // namespace

std::string to_text(const LineFault& fault) {
    return fmt::format("line {}{}{}: {}; {}", fault.line, fault.column.empty() ? "" : ", ",
                       fault.column, fault.condition, fault.remedy);
}

LineFault CsvReader::fault(std::string condition, std::string remedy) const {
    return {number_, "", std::move(condition), std::move(remedy)};
}

CsvReader::Line CsvReader::read_line() {
    in_.getline(text_.data(), static_cast<std::streamsize>(text_.size()));
    auto length = static_cast<std::size_t>(in_.gcount());
    if (length == 0 && !in_) return Line::end;
    ++number_;
    if (in_.fail() && !in_.eof() && !in_.bad()) {
        in_.clear();
        in_.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
        return Line::too_long;
    }
    if (!in_.eof()) --length;  // the end of the line is counted
    line_ = std::string_view(text_).substr(0, length);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    if (number_ == 1 && line_.starts_with(byte_order_mark)) {
        line_.remove_prefix(byte_order_mark.size());
    }
    return Line::read;
}

std::optional<std::variant<CsvRecord, LineFault>> CsvReader::next() {
    Line read = read_line();
    while (read == Line::read && line_.empty()) read = read_line();
    if (read == Line::end) return std::nullopt;
    if (read == Line::too_long) {
        return fault(fmt::format("longer than {} bytes", csv_line_bytes_max),
                     "write one payment on each line");
    }
    if (!json::is_utf8(line_)) return fault("not UTF-8 text", "save the file as UTF-8");
    CsvRecord record{number_, {}};
    std::string_view rest = line_;
    for (bool more = true; more;) {
        const std::string condition = take_field(rest, more, record.fields.emplace_back());
        if (condition.empty()) continue;
        return fault(condition,
                     "put a field with a comma or a quote into quotes, and double the quotes "
                     "inside it");
    }
    return record;
}

}  // namespace pawl::intents
