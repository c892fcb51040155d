// The getters of TableReader, one for each kind of value.
#include <fmt/core.h>

#include "settings/suggest.hpp"
#include "settings/table_reader.hpp"
#include "settings/values.hpp"

namespace pawl::app {

bool TableReader::text(std::string_view key, std::string& into) {
    const toml::node* node = take(key);
    return node != nullptr && expand_into(key, *node, into);
}

bool TableReader::texts(std::string_view key, std::vector<std::string>& into) {
    const toml::node* node = take(key);
    if (node == nullptr) return false;
    const toml::array* list = node->as_array();
    if (list == nullptr) {
        std::string one;
        if (!node->is_string()) return wrong_type(key, *node, "a list like [\"a\", \"b\"]"), false;
        if (!expand_into(key, *node, one)) return false;
        into = {std::move(one)};
        return true;
    }
    std::vector<std::string> all;
    bool good = true;
    for (const toml::node& item : *list) {
        std::string one;
        const bool read = expand_into(key, item, one);
        if (read) all.push_back(std::move(one));
        good = good && read;
    }
    if (good) into = std::move(all);
    return good;
}

bool TableReader::flag(std::string_view key, bool& into) {
    const toml::node* node = take(key);
    if (node == nullptr) return false;
    const auto* value = node->as_boolean();
    if (value == nullptr) return wrong_type(key, *node, "true or false without quotes"), false;
    into = value->get();
    return true;
}

bool TableReader::duration(std::string_view key, Duration& into, Span span) {
    const toml::node* node = take(key);
    if (node == nullptr) return false;
    const auto* value = node->as_string();
    if (value == nullptr) {
        return wrong_type(key, *node, "a duration in quotes, like \"250ms\", \"10s\" or \"3d\""),
               false;
    }
    const Result<Duration> parsed = parse_duration(value->get());
    if (!parsed) {
        return wrong(key, fmt::format("is not a duration: \"{}\"", value->get()),
                     "write it like \"250ms\", \"10s\", \"5m\", \"72h\" or \"3d\""),
               false;
    }
    if (*parsed < span.min || *parsed > span.max) {
        return wrong(key, fmt::format("is out of range: \"{}\"", value->get()),
                     fmt::format("write \"{}\" to \"{}\"", pawl::to_text(span.min),
                                 pawl::to_text(span.max))),
               false;
    }
    into = *parsed;
    return true;
}

bool TableReader::whole_number(std::string_view key, std::int64_t& into, Whole range) {
    const toml::node* node = take(key);
    if (node == nullptr) return false;
    const auto* value = node->as_integer();
    if (value == nullptr) return wrong_type(key, *node, "a whole number without quotes"), false;
    if (value->get() < range.min || value->get() > range.max) {
        return wrong(key, fmt::format("is out of range: {}", value->get()),
                     fmt::format("write {} to {}", range.min, range.max)),
               false;
    }
    into = value->get();
    return true;
}

bool TableReader::size(std::string_view key, std::size_t& into, Whole bytes) {
    const toml::node* node = take(key);
    if (node == nullptr) return false;
    std::optional<std::int64_t> value = node->value_exact<std::int64_t>();
    if (const auto* text = node->as_string()) value = parse_size(text->get());
    if (!value && !node->is_string()) {
        return wrong_type(key, *node, "a size like 65536, \"64KiB\" or \"1MiB\""), false;
    }
    if (!value || *value < bytes.min || *value > bytes.max) {
        return wrong(key, value ? "is out of range" : "is not a size",
                     fmt::format("write {} to {}, like 65536, \"64KiB\" or \"1MiB\"",
                                 size_text(bytes.min), size_text(bytes.max))),
               false;
    }
    into = static_cast<std::size_t>(*value);
    return true;
}

bool TableReader::chosen(std::string_view key, const std::vector<std::string>& names,
                         std::size_t& index) {
    std::string value;
    if (!text(key, value)) return false;
    for (index = 0; index < names.size(); ++index) {
        if (names[index] == value) return true;
    }
    const std::string near = nearest(value, names);
    wrong(key, fmt::format("is {}, which is not known", shown(value)),
          near.empty() ? "write one of " + join(names) : suggestion(value, names));
    return false;
}

std::optional<TableReader> TableReader::table(std::string_view key) {
    const toml::node* node = take(key);
    if (node == nullptr) return std::nullopt;
    const toml::table* inner = node->as_table();
    if (inner == nullptr) {
        wrong_type(key, *node, fmt::format("a table: [{}]", path_to(key)));
        return std::nullopt;
    }
    return TableReader(*inner, path_to(key), source_);
}

std::vector<TableReader> TableReader::tables(std::string_view key) {
    std::vector<TableReader> readers;
    const toml::node* node = take(key);
    if (node == nullptr) return readers;
    const toml::array* list = node->as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
        const toml::table* inner = list->get(i)->as_table();
        if (inner == nullptr) {
            list = nullptr;
            break;
        }
        const std::string path = fmt::format("{}[{}]", path_to(key), i + 1);
        const auto begin = inner->source().begin;
        source_.remember(path, {source_.file(), begin.line, begin.column});
        readers.emplace_back(*inner, path, source_);
    }
    if (list == nullptr) wrong_type(key, *node, fmt::format("tables: [[{}]]", path_to(key)));
    return readers;
}

}  // namespace pawl::app
