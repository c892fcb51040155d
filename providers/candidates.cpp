#include "providers/candidates.hpp"

#include <charconv>

#include "base/encoding.hpp"

namespace pawl::providers {
namespace {

// Enough for any rotation; more only costs us time.
constexpr std::size_t lines_max = 8;
constexpr std::size_t signatures_max = 16;
constexpr std::size_t unix_digits_max = 15;  // milliseconds until the year 33658

Verification missing(std::string_view what) {
    return {Diagnosis::header_missing, std::string(what) + " is not there"};
}

Verification malformed(std::string_view what, std::string_view why) {
    return {Diagnosis::header_malformed, std::string(what) + " " + std::string(why)};
}

std::string name_of(const Source& source) {
    return source.from == Source::From::header ? "header " + source.header
                                               : "the signature field of the body";
}

std::optional<Time> unix_time(std::string_view text, TimeUnit unit) {
    if (text.empty() || text.size() > unix_digits_max) return std::nullopt;
    if (text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    std::int64_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    if (unit == TimeUnit::milliseconds) return Time(std::chrono::milliseconds(count));
    constexpr std::int64_t seconds_max = 999'999'999'999;  // microseconds of it still fit 64 bits
    if (count > seconds_max) return std::nullopt;
    return Time(std::chrono::seconds(count));
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto at = text.find(separator);
        std::string_view part = text.substr(0, at);
        while (part.starts_with(' ')) part.remove_prefix(1);
        while (part.ends_with(' ')) part.remove_suffix(1);
        if (!part.empty()) parts.push_back(part);
        if (at == std::string_view::npos) return parts;
        text.remove_prefix(at + separator.size());
    }
}

}  // namespace

const json::Document* Evidence::document() {
    if (!document_) {
        auto parsed = json::Document::parse(delivery_.body);
        if (!parsed) return nullptr;
        document_.emplace(std::move(*parsed));
    }
    return &*document_;
}

std::optional<Verification> Evidence::single(const Source& source, std::string& into) {
    if (source.from == Source::From::header) {
        const auto lines = header_lines(delivery_.headers, source.header);
        if (lines.empty() || lines[0].empty()) return missing(name_of(source));
        // Two parsers may choose different values of two, so both are refused.
        if (lines.size() > 1) return malformed(name_of(source), "comes more than once");
        into = lines[0];
        return std::nullopt;
    }
    const json::Document* body = document();
    if (body == nullptr)
        return malformed("the body", "is not JSON, and the scheme signs parts of it");
    const auto value = body->root().at(source.pointer);
    auto text = value ? value->text() : std::nullopt;
    if (!text) return missing("a field of the body that the scheme needs");
    into = std::move(*text);
    return std::nullopt;
}

std::optional<std::string> Evidence::decoded(std::string_view text) const {
    const auto& config = scheme_.config;
    if (text.starts_with(config.prefix)) {
        text.remove_prefix(config.prefix.size());
    } else if (!config.prefix_optional) {
        return std::nullopt;
    }
    if (!text.ends_with(config.suffix)) return std::nullopt;
    text.remove_suffix(config.suffix.size());
    if (config.alg == Alg::token) return std::string(text);
    switch (config.encoding) {
        case Encoding::hex:
            return from_hex(text);
        case Encoding::base64:
            return from_base64(text);
        case Encoding::base64url:
            return from_base64url(text);
    }
    return std::nullopt;
}

std::optional<Verification> Evidence::candidate(std::string_view line, Candidate& into) const {
    std::vector<std::string_view> texts = {line};
    if (const auto& list = scheme_.config.list) {
        texts.clear();
        for (const std::string_view element : split(line, list->sep)) {
            const auto at = list->kv.empty() ? std::string_view::npos : element.find(list->kv);
            const auto key = at == std::string_view::npos ? "" : element.substr(0, at);
            const auto value =
                at == std::string_view::npos ? element : element.substr(at + list->kv.size());
            if (!list->ts.empty() && key == list->ts) {
                if (!into.ts.empty() && into.ts != value)
                    return malformed("the list", "has two times");
                into.ts = value;
            } else if (list->kv.empty() || key == list->accept) {
                texts.push_back(value);
            }
        }
    }
    if (texts.size() > signatures_max) return malformed("the list", "has too many signatures");
    for (const auto text : texts) {
        if (auto bytes = decoded(text)) into.signatures.push_back(std::move(*bytes));
    }
    if (into.signatures.empty()) {
        return malformed(name_of(scheme_.source), "has no signature of the expected form");
    }
    return std::nullopt;
}

std::optional<Verification> Evidence::candidates(std::vector<Candidate>& into) {
    std::vector<std::string_view> lines;
    if (scheme_.source.from == Source::From::header) {
        lines = header_lines(delivery_.headers, scheme_.source.header);
        if (lines.empty()) return missing(name_of(scheme_.source));
        const std::size_t most = scheme_.config.list ? lines_max : 1;
        if (lines.size() > most) return malformed(name_of(scheme_.source), "comes more than once");
    } else {
        if (auto refusal = single(scheme_.source, kept_.emplace_back())) return refusal;
        lines.emplace_back(kept_.back());
    }
    std::optional<Verification> refusal;
    for (const auto line : lines) {
        Candidate found;
        if (auto why = candidate(line, found)) {
            refusal = std::move(why);
        } else {
            into.push_back(std::move(found));
        }
    }
    return into.empty() ? refusal : std::nullopt;
}

std::optional<Verification> Evidence::timestamp(Candidate& candidate, Time& into) {
    const auto& rule = scheme_.config.timestamp;
    if (!rule) return std::nullopt;
    if (scheme_.timestamp) {
        if (auto refusal = single(*scheme_.timestamp, candidate.ts)) return refusal;
    }
    std::optional<Time> time;
    if (rule->unit == TimeUnit::iso) {
        if (auto parsed = parse_rfc3339(candidate.ts)) time = *parsed;
    } else {
        time = unix_time(candidate.ts, rule->unit);
    }
    if (!time) return malformed("the timestamp", "is missing or no time");
    into = *time;
    return std::nullopt;
}

std::optional<Verification> Evidence::message(const Candidate& candidate, Message& into) {
    into.parts.reserve(scheme_.sign.size());
    for (const Piece& piece : scheme_.sign) {
        switch (piece.kind) {
            case Piece::Kind::literal:
                into.parts.emplace_back(piece.literal);
                break;
            case Piece::Kind::url:
                into.parts.emplace_back(scheme_.url);
                break;
            case Piece::Kind::ts:
                into.parts.emplace_back(candidate.ts);
                break;
            case Piece::Kind::body:
                into.body_slots.push_back(into.parts.size());
                into.parts.emplace_back(delivery_.body);
                break;
            case Piece::Kind::secret:
                into.secret_slots.push_back(into.parts.size());
                into.parts.emplace_back();
                break;
            case Piece::Kind::id:
            case Piece::Kind::source: {
                const Source& source = piece.kind == Piece::Kind::id ? *scheme_.id : piece.source;
                if (auto refusal = single(source, kept_.emplace_back())) return refusal;
                into.parts.emplace_back(kept_.back());
            }
        }
    }
    return std::nullopt;
}

}  // namespace pawl::providers
