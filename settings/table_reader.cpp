#include "settings/table_reader.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "settings/suggest.hpp"
#include "settings/values.hpp"

namespace pawl::app {
namespace {

std::string_view kind_of(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::string:
            return "a text";
        case toml::node_type::integer:
            return "a whole number";
        case toml::node_type::floating_point:
            return "a number with a fraction";
        case toml::node_type::boolean:
            return "true or false";
        case toml::node_type::array:
            return "a list";
        case toml::node_type::table:
            return "a table";
        default:
            return "a date or time";
    }
}

}  // namespace

const toml::node* TableReader::take(std::string_view key) {
    if (std::find(asked_.begin(), asked_.end(), key) == asked_.end()) asked_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (node != nullptr) source_.remember(path_to(key), place(key));
    return node;
}

void TableReader::require(std::string_view key, std::string remedy) {
    if (has(key)) return;
    source_.error(source_.place_of(path_), fmt::format("\"{}\" is missing{}", key, section()),
                  std::move(remedy));
}

std::string TableReader::path_to(std::string_view key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

std::string TableReader::called(std::string_view key) const {
    return fmt::format("\"{}\"{}", key, section());
}

// " in [server]", " in [[rule]] 2"
std::string TableReader::section() const {
    if (path_.empty()) return {};
    const std::size_t open = path_.rfind('[');
    if (!path_.ends_with(']') || open == std::string::npos) return fmt::format(" in [{}]", path_);
    return fmt::format(" in [[{}]] {}", path_.substr(0, open),
                       path_.substr(open + 1, path_.size() - open - 2));
}

Place TableReader::place(std::string_view key) const {
    for (auto&& [name, node] : table_) {
        if (name.str() != key) continue;
        const auto begin = name.source().begin;
        if (begin.line == 0) break;  // built here, not read from the file
        return {source_.file(), begin.line, begin.column};
    }
    return source_.place_of(path_);
}

void TableReader::wrong(std::string_view key, std::string what, std::string remedy) {
    source_.error(place(key), fmt::format("{} {}", called(key), what), std::move(remedy));
}

void TableReader::wrong_type(std::string_view key, const toml::node& node,
                             std::string_view wanted) {
    wrong(key, fmt::format("is {}", kind_of(node)), fmt::format("write {}", wanted));
}

void TableReader::wrong_word(std::string_view key, const std::string& word,
                             std::string_view complaint) {
    constexpr std::string_view lists = "; it can be ";
    const std::size_t cut = complaint.find(lists);
    std::vector<std::string> known;
    if (cut != std::string_view::npos) known = split(complaint.substr(cut + lists.size()), ", ");
    const std::string near = nearest(word, known);
    wrong(key, fmt::format("is {}, which is not known", shown(word)),
          near.empty() ? "write one of " + join(known) : suggestion(word, known));
}

bool TableReader::expand_into(std::string_view key, const toml::node& node, std::string& into) {
    const auto* value = node.as_string();
    if (value == nullptr) return wrong_type(key, node, "a text in quotes"), false;
    const std::size_t missing = source_.missing().size();
    const std::size_t findings = source_.findings().size();
    std::string text = source_.expanded(value->get(), place(key), called(key));
    const bool failed = text.empty() && (source_.missing().size() > missing ||
                                         source_.findings().size() > findings);
    if (!failed) into = std::move(text);
    return !failed;
}

std::vector<std::string> TableReader::keys() const {
    std::vector<std::string> names;
    for (auto&& [name, node] : table_) names.emplace_back(name.str());
    return names;
}

void TableReader::finish() {
    for (const std::string& key : keys()) {
        if (std::find(asked_.begin(), asked_.end(), key) != asked_.end()) continue;
        source_.error(place(key), fmt::format("unknown key \"{}\"{}", key, section()),
                      suggestion(key, asked_));
    }
}

}  // namespace pawl::app
