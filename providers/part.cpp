#include "providers/part.hpp"

#include <algorithm>

#include "providers/provider.hpp"
#include "providers/scheme.hpp"

namespace pawl::providers {
namespace {

// PostgreSQL's B-tree takes rows up to about 2700 bytes, and an index row here holds a few of
// these. A longer one would fail each commit instead of one event.
constexpr std::size_t text_bytes_max = 512;

// Each separates or marks something in an effect key: the escape, levels, ids, totals, repetitions.
constexpr std::string_view reserved = "%/:@#";

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

}  // namespace

Result<Part> Part::parse(const ReadPart& config) {
    Part part;
    part.optional_ = config.optional;
    part.text_ = config.at;
    if (config.at.empty()) return invalid("is empty");
    if (config.at.starts_with('/')) {
        auto pointer = json::Pointer::parse(config.at);
        if (!pointer) return pointer.error();
        part.from_ = From::pointer;
        part.pointer_ = std::move(*pointer);
    } else if (config.at.starts_with("header:")) {
        part.from_ = From::header;
        part.text_ = config.at.substr(7);
        if (part.text_.empty()) return invalid("names no header after header:");
    } else if (config.at == "sha256:body") {
        part.from_ = From::body_sha256;
    }
    return part;
}

std::optional<std::string> Part::found(const Item& item) const {
    switch (from_) {
        case From::literal:
            return text_;
        case From::body_sha256:
            return item.bytes_sha256;
        case From::header: {
            const auto lines = header_lines(item.headers, text_);
            if (lines.size() != 1 || !json::is_utf8(lines[0])) return std::nullopt;
            return std::string(lines[0]);
        }
        case From::pointer: {
            const auto value = item.value ? item.value->at(pointer_) : std::nullopt;
            return value ? value->text() : std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<std::string> Part::read(const Item& item) const {
    auto text = found(item);
    if (text && text->size() <= text_bytes_max && text->find('\0') == std::string::npos &&
        (optional_ || !text->empty())) {
        return text;
    }
    if (text || !optional_) return std::nullopt;
    return std::string();
}

std::string escape_part(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    const auto stays = [](char c) {
        return reserved.find(c) == std::string_view::npos && !is_control(c);
    };
    if (std::all_of(text.begin(), text.end(), stays)) return std::string(text);
    std::string escaped;
    escaped.reserve(text.size());
    for (const char c : text) {
        if (stays(c)) {
            escaped += c;
            continue;
        }
        escaped += '%';
        escaped += digits[static_cast<unsigned char>(c) >> 4U];
        escaped += digits[static_cast<unsigned char>(c) & 15U];
    }
    return escaped;
}

std::optional<std::string> read_joined(const Parts& parts, const Item& item) {
    if (parts.empty()) return std::nullopt;
    if (parts.size() == 1) {
        auto text = parts[0].read(item);
        return text && text->empty() ? std::nullopt : text;
    }
    std::string joined;
    for (const Part& part : parts) {
        const auto text = part.read(item);
        if (!text) return std::nullopt;
        if (&part != &parts.front()) joined += ':';
        joined += escape_part(*text);
    }
    if (joined.size() > text_bytes_max) return std::nullopt;
    return joined;
}

Result<Parts> parse_parts(const ReadParts& configs, std::string_view what) {
    Parts parts;
    for (const ReadPart& config : configs) {
        auto part = Part::parse(config);
        if (!part) return invalid(std::string(what) + " " + part.error().message);
        parts.push_back(std::move(*part));
    }
    const bool varies = std::any_of(parts.begin(), parts.end(), [](const Part& part) {
        return part.from() != Part::From::literal;
    });
    if (!parts.empty() && !varies) {
        return invalid(std::string(what) +
                       " is the same for each event: a pointer into the body starts with /");
    }
    return parts;
}

EffectKey make_effect_key(std::string_view books, std::string_view kind,
                          const std::vector<std::string>& id) {
    std::string key = escape_part(books) + "/" + escape_part(kind) + "/";
    for (std::size_t i = 0; i < id.size(); ++i) {
        if (i > 0) key += ':';
        key += escape_part(id[i]);
    }
    return EffectKey(std::move(key));
}

}  // namespace pawl::providers
