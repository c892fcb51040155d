#include "db/sqlgen/statement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

#include "db/sqlgen/places.hpp"

namespace pawl::sqlgen {
namespace {

bool name_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// The comment at the head of the file: prose, then "takes" and "gives" with their lists.
struct Head {
    std::optional<Place> takes_at, gives_at;
    std::string takes, gives;
    std::size_t bytes = 0;
    int lines = 0;
};

// Returns the rest of a line that begins a list with this word; nullopt for another line.
std::optional<std::string_view> after_word(std::string_view line, std::string_view word) {
    if (!line.starts_with(word)) return std::nullopt;
    line.remove_prefix(word.size());
    if (!line.empty() && line[0] != ' ') return std::nullopt;
    return trimmed(line);
}

Head read_head(const std::string& file, std::string_view text) {
    Head head;
    std::string* list = nullptr;
    while (text.substr(head.bytes).starts_with("--")) {
        const std::size_t end = std::min(text.find('\n', head.bytes), text.size());
        std::string_view line = text.substr(head.bytes + 2, end - head.bytes - 2);
        head.bytes = std::min(end + 1, text.size());
        ++head.lines;
        if (line.starts_with(" ")) line.remove_prefix(1);
        const Place place{file, head.lines};
        if (const auto takes = after_word(line, "takes")) {
            head.takes_at = place;
            *(list = &head.takes) = *takes;
        } else if (const auto gives = after_word(line, "gives")) {
            head.gives_at = place;
            *(list = &head.gives) = *gives;
        } else if (list != nullptr && line.starts_with(" ")) {
            *list += " " + std::string(trimmed(line));
        } else if (list != nullptr) {
            throw SourceError(place,
                              "comment after \"takes\" or \"gives\": not a part of the list; "
                              "write it above, or indent it");
        }
    }
    return head;
}

// Rewrites a statement for PostgreSQL: `:name` becomes `$n::type`, `{{row}}` the row's columns.
class Numbering {
  public:
    Numbering(Place place, std::string_view text, const RowTypes& rows, Statement& into)
        : place_(std::move(place)), text_(text), rows_(rows), into_(into) {}

    void run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (looking_at("--")) {
                copy_to("\n", 0);
            } else if (looking_at("/*")) {
                copy_to("*/", 2);
            } else if (c == '\'' || c == '"') {
                copy(1);
                copy_to(std::string_view(&c, 1), 1);
            } else if (looking_at("::") || looking_at(":=")) {
                copy(2);
            } else if (c == ':' && at_ + 1 < text_.size() && name_char(text_[at_ + 1]) &&
                       std::isdigit(static_cast<unsigned char>(text_[at_ + 1])) == 0) {
                parameter();
            } else if (looking_at("{{")) {
                row();
            } else if (c == '$') {
                position();
            } else {
                copy(1);
            }
        }
        for (const Value& value : into_.takes) {
            if (used_.contains(value.name)) continue;
            throw SourceError(
                {place_.file, 1},
                fmt::format("parameter \"{}\": not used; remove it from \"takes\", or "
                            "write :{} where it belongs",
                            value.name, value.name));
        }
    }

  private:
    bool looking_at(std::string_view what) const { return text_.substr(at_, what.size()) == what; }
    void copy(std::size_t count) {
        for (; count > 0 && at_ < text_.size(); --count, ++at_) {
            if (text_[at_] == '\n') ++place_.line;
            into_.text += text_[at_];
        }
    }
    void copy_to(std::string_view end, std::size_t beyond) {
        copy(std::min(text_.find(end, at_), text_.size()) - at_ + beyond);
    }

    void parameter() {
        std::size_t end = at_ + 1;
        while (end < text_.size() && name_char(text_[end])) ++end;
        const std::string name(text_.substr(at_ + 1, end - at_ - 1));
        const auto found = std::find_if(into_.takes.begin(), into_.takes.end(),
                                        [&](const Value& value) { return value.name == name; });
        if (found == into_.takes.end()) {
            throw SourceError(place_, fmt::format("parameter :{}: not declared; add \"{} TYPE\" to "
                                                  "\"-- takes\" at the head of the file",
                                                  name, name));
        }
        into_.text += fmt::format("${}::{}", found - into_.takes.begin() + 1, found->type);
        used_.insert(name);
        at_ = end;
    }

    // {{payment}}: its columns; {{p.payment}}: each behind "p.".
    void row() {
        const std::size_t end = text_.find("}}", at_);
        if (end == text_.npos) throw SourceError(place_, "{{: never closed; write {{name}}");
        std::string_view name = text_.substr(at_ + 2, end - at_ - 2);
        const std::size_t dot = name.find('.');
        const std::string table(dot == name.npos ? "" : name.substr(0, dot + 1));
        if (dot != name.npos) name.remove_prefix(dot + 1);
        const auto found = rows_.find(name);
        if (found == rows_.end()) {
            throw SourceError(
                place_, fmt::format("row type \"{}\": not found; write {}.row next to this file",
                                    name, name));
        }
        std::string columns;
        for (const Value& column : found->second.columns) {
            columns += (columns.empty() ? "" : ", ") + table + column.name;
        }
        into_.text += columns;
        at_ = end + 2;
    }

    [[noreturn]] void position() const {
        throw SourceError(place_,
                          "$: a position; give the parameter a name: \"-- takes NAME TYPE\" at the "
                          "head of the file, and :NAME here");
    }

    Place place_;
    std::string_view text_;
    const RowTypes& rows_;
    Statement& into_;
    std::size_t at_ = 0;
    std::set<std::string> used_;
};

}  // namespace

Statement parse_statement(const std::string& file, std::string_view text, const RowTypes& rows) {
    Statement statement;
    statement.file = file;
    const std::size_t slash = file.rfind('/') + 1;
    statement.name = file.substr(slash, file.rfind('.') - slash);
    const Head head = read_head(file, text);
    if (head.takes_at) statement.takes = parse_list(*head.takes_at, head.takes, {}).values;
    if (head.gives_at && head.gives == "ignored") {
        statement.ignored = true;
    } else if (head.gives_at) {
        statement.gives = parse_list(*head.gives_at, head.gives, rows);
    }
    for (const Value& column : statement.gives.values) {
        if (!types().find(column.type)->second.result.empty()) continue;
        throw SourceError(*head.gives_at,
                          fmt::format("column \"{}\": type {} is for parameters; cast it to text",
                                      column.name, column.type));
    }
    const std::string_view body = text.substr(head.bytes);
    Numbering({file, head.lines + 1}, body, rows, statement).run();
    refuse_exchanged(file, head.lines, body, statement.takes);
    return statement;
}

}  // namespace pawl::sqlgen
