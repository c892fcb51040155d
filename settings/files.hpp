// The readers of the three kinds of configuration file. Each fills plain values from a parsed
// table and reports through the reader's Source. Used by load() only, one thread.
#pragma once

#include "settings/settings.hpp"
#include "settings/table_reader.hpp"

namespace pawl::app {

void read_program(TableReader& root, Settings& into);

enum class Enabled { yes, no, if_secrets };
void read_enabled(TableReader& root, Enabled& into);
void read_provider(TableReader& root, providers::ProviderConfig& into, Enabled& enabled);
void read_scheme(TableReader& root, providers::ProviderConfig& into);
void read_paths(TableReader& root, providers::ReadConfig& into);  // [read]
void read_rules(TableReader& root, std::vector<providers::RuleConfig>& into);
void read_fetch(TableReader& root, std::optional<providers::FetchConfig>& into);
// A table of pointers, each with one accepted value or a list of them.
void read_conditions(TableReader& reader, std::string_view key, providers::Conditions& into);
bool read_parts(TableReader& reader, std::string_view key, providers::ReadParts& into);

void read_gateway(TableReader& root, GatewayFile& into, Enabled& enabled);

bool read_listen(TableReader& reader, std::string_view key, Listen& into);
bool read_url(TableReader& reader, std::string_view key, std::string& into);
void read_name(TableReader& reader, std::string& into);
void read_books(TableReader& reader, const std::string& name, std::string& into);

// A word that another layer parses; its error lists the valid words.
template <class Value, class Parse>
bool read_word(TableReader& reader, std::string_view key, Value& into, Parse parse) {
    std::string text;
    if (!reader.text(key, text)) return false;
    auto parsed = parse(text);
    if (!parsed) return reader.wrong_word(key, text, parsed.error().message), false;
    into = std::move(*parsed);
    return true;
}

}  // namespace pawl::app
