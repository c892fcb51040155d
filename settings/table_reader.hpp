// Reads one TOML table strictly: each key is read by name and type, faults are reported with their
// place, and finish() reports unknown keys with the likely intended one. A getter that cannot
// answer leaves its target as it was. Lives while its file is read, one thread.
#pragma once

#include <toml++/toml.h>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "settings/source.hpp"

namespace pawl::app {

struct Whole {
    std::int64_t min = 0;
    std::int64_t max = std::numeric_limits<std::int64_t>::max();
};
struct Span {
    Duration min = Duration::zero();
    Duration max = std::chrono::days(36500);
};

class TableReader {
  public:
    // `path` is the name of this table in findings and places: "", "server", "rule[0]".
    TableReader(const toml::table& table, std::string path, Source& source)
        : table_(table), path_(std::move(path)), source_(source) {}

    bool has(std::string_view key) const { return table_.contains(key); }
    void require(std::string_view key, std::string remedy);

    bool text(std::string_view key, std::string& into);
    bool texts(std::string_view key, std::vector<std::string>& into);  // one text or a list
    bool flag(std::string_view key, bool& into);
    bool duration(std::string_view key, Duration& into, Span span = {});
    bool size(std::string_view key, std::size_t& into, Whole bytes);  // 65536, "64KiB", "1MiB"
    template <class Number>
    bool whole(std::string_view key, Number& into, Whole range);
    template <class Choice>
    bool choice(std::string_view key, Choice& into,
                std::initializer_list<std::pair<std::string_view, Choice>> choices);

    std::optional<TableReader> table(std::string_view key);
    std::vector<TableReader> tables(std::string_view key);
    const toml::node* take(std::string_view key);  // for a value of a shape of its own
    std::vector<std::string> keys() const;

    // For the caller's own checks of a value that it took.
    void wrong(std::string_view key, std::string what, std::string remedy);
    void wrong_type(std::string_view key, const toml::node& node, std::string_view wanted);
    // `complaint` is another layer's "x is y; it can be a, b".
    void wrong_word(std::string_view key, const std::string& word, std::string_view complaint);
    bool expand_into(std::string_view key, const toml::node& node, std::string& into);
    Place place(std::string_view key) const;
    std::string called(std::string_view key) const;  // `"listen" in [server]`
    std::string path_to(std::string_view key) const;
    std::string shown(std::string_view value) const { return source_.shown(value); }
    Source& source() { return source_; }

    void finish();

  private:
    std::string section() const;
    bool whole_number(std::string_view key, std::int64_t& into, Whole range);
    bool chosen(std::string_view key, const std::vector<std::string>& names, std::size_t& index);

    const toml::table& table_;
    std::string path_;
    Source& source_;
    std::vector<std::string> asked_;
};

template <class Number>
bool TableReader::whole(std::string_view key, Number& into, Whole range) {
    std::int64_t value = 0;
    if (!whole_number(key, value, range)) return false;
    into = static_cast<Number>(value);
    return true;
}

template <class Choice>
bool TableReader::choice(std::string_view key, Choice& into,
                         std::initializer_list<std::pair<std::string_view, Choice>> choices) {
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) names.emplace_back(name);
    std::size_t index = 0;
    if (!chosen(key, names, index)) return false;
    into = (choices.begin() + index)->second;
    return true;
}

}  // namespace pawl::app
