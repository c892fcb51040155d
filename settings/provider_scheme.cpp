// `scheme` in a provider file: a preset's name, or a table for a sender that has none.
#include <fmt/core.h>

#include <algorithm>

#include "providers/provider_traits.hpp"
#include "settings/files.hpp"
#include "settings/suggest.hpp"

namespace pawl::app {
namespace {

using namespace providers;

void read_list(TableReader& scheme, std::optional<SignatureList>& into) {
    auto reader = scheme.table("list");
    if (!reader) return;
    SignatureList list;
    reader->require("sep", "write what separates the signatures, like sep = \",\"");
    reader->text("sep", list.sep);
    reader->text("kv", list.kv);
    reader->text("accept", list.accept);
    reader->text("ts", list.ts);
    reader->finish();
    into = list;
}

void read_timestamp(TableReader& scheme, std::optional<TimestampRule>& into) {
    using std::chrono::hours;
    auto reader = scheme.table("timestamp");
    if (!reader) return;
    TimestampRule rule;
    reader->text("from", rule.from);
    read_word(*reader, "unit", rule.unit, parse_time_unit);
    reader->duration("max_age", rule.max_age, {std::chrono::seconds(1), hours(24 * 30)});
    reader->duration("max_future", rule.max_future, {Duration::zero(), hours(24)});
    reader->finish();
    into = rule;
}

void read_key(TableReader& scheme, KeyRule& into) {
    auto reader = scheme.table("key");
    if (!reader) return;
    read_word(*reader, "decode", into.decode, parse_key_decode);
    reader->text("strip", into.strip);
    reader->text("select_by", into.select_by);
    reader->finish();
}

void read_scheme_table(TableReader& reader, SchemeConfig& into) {
    reader.require("alg", "write the algorithm, like alg = \"hmac-sha256\"");
    read_word(reader, "alg", into.alg, parse_alg);
    reader.require("source", "write where the signature is, like source = \"header:X-Signature\"");
    if (reader.text("source", into.source)) {
        const auto kinds = {"header:", "json:/", "form:"};
        const bool known = std::any_of(kinds.begin(), kinds.end(), [&](const char* kind) {
            return into.source.starts_with(kind);
        });
        if (!known) {
            reader.wrong("source", fmt::format("is {}", reader.shown(into.source)),
                         "write header:NAME, json:/pointer or form:FIELD");
        }
    }
    read_word(reader, "encoding", into.encoding, parse_encoding);
    reader.text("prefix", into.prefix);
    reader.flag("prefix_optional", into.prefix_optional);
    reader.text("suffix", into.suffix);
    read_list(reader, into.list);
    reader.text("sign", into.sign);
    reader.text("id", into.id);
    read_timestamp(reader, into.timestamp);
    read_key(reader, into.key);
    read_word(reader, "covers", into.covers, parse_covers);
    reader.finish();
}

}  // namespace

void read_scheme(TableReader& root, ProviderConfig& into) {
    root.require("scheme",
                 "write a preset's name, like scheme = \"standard-webhooks\", or a "
                 "[scheme] table");
    const toml::node* node = root.take("scheme");
    if (node == nullptr) return;
    if (node->is_table()) {
        auto reader = root.table("scheme");
        read_scheme_table(*reader, into.scheme.emplace());
        return;
    }
    if (!root.text("scheme", into.preset)) return;
    if (providers::traits_of(into.preset) != nullptr) return;
    std::vector<std::string> known;
    for (const auto& traits : providers::all_traits()) known.emplace_back(traits.name);
    const std::string near = nearest(into.preset, known);
    root.wrong("scheme", fmt::format("is {}, which is not a preset", root.shown(into.preset)),
               near.empty()
                   ? "describe the sender in a [scheme] table, or write one of " + join(known)
                   : suggestion(into.preset, known));
}

}  // namespace pawl::app
