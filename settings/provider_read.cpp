// [read] and [fetch] of a provider file, and the lists of pointers that rules use too.
#include <fmt/core.h>

#include "settings/files.hpp"

namespace pawl::app {
namespace {

using namespace providers;

bool read_part(TableReader& reader, std::string_view key, const toml::node& node, ReadPart& into) {
    if (node.is_string()) return reader.expand_into(key, node, into.at);
    const toml::table* table = node.as_table();
    if (table == nullptr) {
        reader.wrong_type(key, node, "\"/pointer\" or {at = \"/pointer\", optional = true}");
        return false;
    }
    TableReader part(*table, reader.path_to(key), reader.source());
    part.require("at", "write {at = \"/pointer\", optional = true}");
    part.text("at", into.at);
    part.flag("optional", into.optional);
    part.finish();
    return !into.at.empty();
}

}  // namespace

void read_conditions(TableReader& reader, std::string_view key, Conditions& into) {
    auto table = reader.table(key);
    if (!table) return;
    for (const std::string& pointer : table->keys()) {
        std::vector<std::string> accepted;
        if (!table->texts(pointer, accepted)) continue;
        into.emplace_back(pointer, std::move(accepted));
    }
    table->finish();
}

bool read_parts(TableReader& reader, std::string_view key, ReadParts& into) {
    const toml::node* node = reader.take(key);
    if (node == nullptr) return false;
    ReadParts parts;
    bool good = true;
    if (const toml::array* list = node->as_array()) {
        for (const toml::node& item : *list) {
            good = read_part(reader, key, item, parts.emplace_back()) && good;
        }
        if (list->empty()) {
            good = false;
            reader.wrong(key, "is an empty list", "name at least one pointer");
        }
    } else {
        good = read_part(reader, key, *node, parts.emplace_back());
    }
    if (good) into = std::move(parts);
    return good;
}

// "/created", in seconds, or {at = "/created", unit = "iso"}.
static void read_time(TableReader& reader, EventTime& into) {
    const toml::node* node = reader.take("time");
    if (node == nullptr) return;
    if (node->is_string()) {
        reader.expand_into("time", *node, into.at);
        return;
    }
    auto table = reader.table("time");
    if (!table) return;
    table->require("at", "write {at = \"/pointer\", unit = \"s\"}");
    table->text("at", into.at);
    read_word(*table, "unit", into.unit, parse_time_unit);
    table->finish();
}

void read_paths(TableReader& root, ReadConfig& into) {
    root.require("read", "add a [read] table with event_id and type: it says what to read");
    auto reader = root.table("read");
    if (!reader) return;
    reader->text("items", into.items);
    reader->whole("items_max", into.items_max, {1, 100000});
    reader->require("event_id", "write what makes an event one and the same, like \"/id\"");
    read_parts(*reader, "event_id", into.event_id);
    reader->require("type", "write where the event's type stands, like \"/type\"");
    read_parts(*reader, "type", into.type);
    read_parts(*reader, "object", into.object);
    reader->text("sequence", into.sequence);
    read_time(*reader, into.time);
    read_conditions(*reader, "expect", into.expect);
    read_conditions(*reader, "live", into.live);
    reader->finish();
}

void read_fetch(TableReader& root, std::optional<FetchConfig>& into) {
    auto reader = root.table("fetch");
    if (!reader) return;
    FetchConfig& fetch = into.emplace();
    reader->require("url", "write where an object is asked for");
    read_url(*reader, "url", fetch.url);
    reader->text("auth", fetch.auth);
    auto read = reader->table("read");
    if (read) {
        read->text("amount", fetch.amount);
        read_word(*read, "unit", fetch.unit, parse_amount_unit);
        read->text("currency", fetch.currency);
        read->text("state", fetch.state);
        read->texts("settled", fetch.settled);
        read->finish();
    }
    reader->finish();
}

}  // namespace pawl::app
