// The commands that are the admin API: one row for each operation, and
// for each form of a body that has several. Options, help and strictness
// come from the operation in the API's document. Constants.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace pawl::app {

enum class Shown : std::uint8_t { text, time, money, state, id };  // id: one word of a shell

struct Column {
    std::string_view heading;
    std::string_view member;  // member of an item; money is shown with the item's `currency`
    Shown shown = Shown::text;
};

enum class Given : std::uint8_t { as_argument, as_option, if_known };  // the first two: required

struct FormMember {
    std::string_view name;
    Given given = Given::as_option;
};

struct Verb {
    std::string_view noun, verb;
    std::string_view method, path;
    std::string_view example;          // the arguments after noun and verb
    std::vector<Column> columns{};     // empty: the whole answer is shown, as JSON
    std::string_view items = "items";  // the member of the answer that the columns show
    std::string_view summary{};        // empty: the operation's
    std::vector<FormMember> form{};    // forms of the body; empty: it has one
};

std::span<const Verb> admin_verbs();

}  // namespace pawl::app
