#include "providers/scheme.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace pawl::providers {
namespace {

std::string quoted(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

Result<Piece> parse_slot(std::string_view slot) {
    constexpr std::pair<std::string_view, Piece::Kind> plain[] = {{"body", Piece::Kind::body},
                                                                  {"ts", Piece::Kind::ts},
                                                                  {"id", Piece::Kind::id},
                                                                  {"url", Piece::Kind::url},
                                                                  {"secret", Piece::Kind::secret}};
    for (const auto& [name, kind] : plain) {
        if (slot == name) return Piece{kind, "", {}};
    }
    auto source = parse_source(slot);
    if (source) return Piece{Piece::Kind::source, "", std::move(*source)};
    return invalid("sign has {" + std::string(slot) +
                   "}; it can have {body} {ts} {id} {url} {secret} {json:/pointer} {header:NAME}");
}

// {id} without an `id` of its own is the header that names the event.
Result<std::optional<Source>> id_source(const SchemeConfig& scheme, const ReadConfig& read) {
    std::string from = scheme.id;
    if (from.empty() && read.event_id.size() == 1) from = read.event_id[0].at;
    if (!from.starts_with("header:")) {
        return invalid("sign has {id}, and neither `id` nor event_id names a header for it");
    }
    auto source = parse_source(from);
    if (!source) return source.error();
    return std::optional<Source>(std::move(*source));
}

Result<void> check_slots(const Scheme& scheme) {
    const bool hashes = scheme.config.alg == Alg::sha256 || scheme.config.alg == Alg::sha512;
    const auto& time = scheme.config.timestamp;
    if (scheme.is_token()) return {};
    if (hashes != scheme.signs(Piece::Kind::secret)) {
        return invalid(hashes ? "a plain hash proves nothing unless sign contains {secret}"
                              : "sign contains {secret}, which only alg sha256 and sha512 may");
    }
    if (scheme.signs(Piece::Kind::url) && scheme.url.empty()) {
        return invalid("the scheme signs the URL: write `url` as the provider has it registered");
    }
    if (scheme.signs(Piece::Kind::ts) && !time) {
        return invalid("sign has {ts}, and there is no `timestamp` to say where it comes from");
    }
    // A replay could set an unsigned time to the current one.
    if (time && !scheme.signs(Piece::Kind::ts)) return invalid("the timestamp is not signed");
    return {};
}

Result<void> check_list(const SchemeConfig& scheme) {
    const auto& list = scheme.list;
    const bool time_in_list = scheme.timestamp && scheme.timestamp->from == "list";
    if (time_in_list && (!list || list->ts.empty())) {
        return invalid("timestamp comes from the list, and list.ts does not name its element");
    }
    if (!list) return {};
    if (list->sep.empty()) return invalid("list.sep is empty");
    if (!list->kv.empty() && list->accept.empty()) {
        return invalid("list.accept must name the elements that are signatures");
    }
    return {};
}

Result<void> compile_sources(Scheme& scheme, const ProviderConfig& provider) {
    auto source = parse_source(scheme.config.source);
    if (!source) return source.error();
    scheme.source = std::move(*source);
    if (scheme.signs(Piece::Kind::id)) {
        auto id = id_source(scheme.config, provider.read);
        if (!id) return id.error();
        scheme.id = std::move(*id);
    }
    const auto& time = scheme.config.timestamp;
    if (time && time->from != "list") {
        auto from = parse_source(time->from);
        if (!from) return from.error();
        scheme.timestamp = std::move(*from);
    }
    if (!scheme.config.key.select_by.empty()) {
        auto from = parse_source(scheme.config.key.select_by);
        if (!from || from->from != Source::From::header) {
            return invalid("key.select_by must be header:NAME");
        }
        scheme.select_by = from->header;
    }
    return {};
}

}  // namespace

std::vector<std::string_view> header_lines(const Headers& headers, std::string_view name) {
    std::vector<std::string_view> lines;
    for (const auto& [key, value] : headers) {
        if (!equal_ignoring_case(key, name)) continue;
        std::string_view line = value;
        while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
        while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
        lines.push_back(line);
    }
    return lines;
}

bool Scheme::signs(Piece::Kind kind) const {
    return std::any_of(sign.begin(), sign.end(), [&](const Piece& p) { return p.kind == kind; });
}

Result<Source> parse_source(std::string_view text) {
    Source source;
    if (text.starts_with("header:") && text.size() > 7) {
        source.header = text.substr(7);
        return source;
    }
    if (text.starts_with("json:")) {
        auto pointer = json::Pointer::parse(text.substr(5));
        if (!pointer) return pointer.error();
        source.from = Source::From::json;
        source.pointer = std::move(*pointer);
        return source;
    }
    if (text.starts_with("form:")) {
        return invalid(quoted(text) + ": form fields are not supported by [scheme] yet");
    }
    return invalid(quoted(text) + ": invalid source; write header:NAME or json:/pointer");
}

Result<std::vector<Piece>> parse_template(std::string_view text) {
    std::vector<Piece> pieces;
    while (!text.empty()) {
        const auto open = text.find('{');
        const auto literal = text.substr(0, open);
        if (!literal.empty()) pieces.push_back({Piece::Kind::literal, std::string(literal), {}});
        if (open == std::string_view::npos) break;
        const auto close = text.find('}', open);
        if (close == std::string_view::npos) return invalid("sign has a { without its }");
        auto piece = parse_slot(text.substr(open + 1, close - open - 1));
        if (!piece) return piece.error();
        pieces.push_back(std::move(*piece));
        text.remove_prefix(close + 1);
    }
    if (pieces.empty()) return invalid("sign is empty: it would prove nothing");
    return pieces;
}

Covers covers_at_most(const SchemeConfig& scheme) {
    if (scheme.alg == Alg::token || scheme.alg == Alg::token_sha256) return Covers::none;
    if (scheme.sign.find("{body}") != std::string::npos) return Covers::full;
    return scheme.sign.find("{json:") != std::string::npos ? Covers::partial : Covers::none;
}

Result<Scheme> compile_scheme(const SchemeConfig& config, const ProviderConfig& provider,
                              std::span<const std::string> secrets) {
    Scheme scheme;
    scheme.config = config;
    scheme.url = provider.url;
    auto sign = parse_template(config.sign);
    if (!sign) return sign.error();
    scheme.sign = std::move(*sign);
    if (auto done = compile_sources(scheme, provider); !done) return done.error();
    if (auto done = check_slots(scheme); !done) return done.error();
    if (auto done = check_list(config); !done) return done.error();
    auto keys = prepare_keys(scheme, secrets);
    if (!keys) return keys.error();
    scheme.keys = std::move(*keys);
    return scheme;
}

}  // namespace pawl::providers
