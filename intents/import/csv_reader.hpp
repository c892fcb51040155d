// Reads the records of a CSV file (RFC 4180) one after the other, in memory for one line. A record
// is one line: a quoted field may hold commas and doubled quotes, and no end of a line. Used by one
// thread; the stream outlives it.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace pawl::intents {

// A condition that keeps a file from being imported, with its place and its remedy.
struct LineFault {
    std::int64_t line = 0;  // from 1
    std::string column;     // empty: the line as a whole
    std::string condition;
    std::string remedy;
};
std::string to_text(const LineFault& fault);  // line 7, returned: empty; write 0 if ...

struct CsvRecord {
    std::int64_t line = 0;
    std::vector<std::string> fields;
};

inline constexpr std::size_t csv_line_bytes_max = 16 * 1024;  // seven fields of 255 bytes are 2 KB

class CsvReader {
  public:
    explicit CsvReader(std::istream& in) : in_(in) {}

    // Returns the next record, skipping empty lines, or the fault of its line; nullopt at the end.
    // Continues with the next line after a fault.
    std::optional<std::variant<CsvRecord, LineFault>> next();

  private:
    enum class Line { read, too_long, end };
    Line read_line();
    LineFault fault(std::string condition, std::string remedy) const;

    std::istream& in_;
    std::string text_ = std::string(csv_line_bytes_max, '\0');
    std::string_view line_;
    std::int64_t number_ = 0;
};

}  // namespace pawl::intents
