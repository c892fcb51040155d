#include "providers/field_selector.hpp"

#include <algorithm>

#include "base/keys.hpp"
#include "providers/scheme.hpp"

namespace pawl::providers {
namespace {

// PostgreSQL's B-tree takes rows up to about 2700 bytes, and an index row here holds a few of
// these. A longer one would fail each commit instead of one event.
constexpr std::size_t text_bytes_max = 512;

std::optional<std::string> text_at(const std::optional<json::Value>& in,
                                   const json::Pointer& pointer) {
    const auto value = in ? in->at(pointer) : std::nullopt;
    return value ? value->text() : std::nullopt;
}

}  // namespace

Result<FieldSelector> FieldSelector::parse(const ReadPart& config) {
    FieldSelector part;
    part.optional_ = config.optional;
    part.text_ = config.at;
    if (config.at.empty()) return invalid("is empty");
    const std::pair<std::string_view, From> kinds[] = {
        {"", From::pointer}, {"root:", From::root}, {".", From::element}};
    for (const auto& [prefix, from] : kinds) {
        if (!config.at.starts_with(std::string(prefix) + '/')) continue;
        auto pointer = json::Pointer::parse(std::string_view(config.at).substr(prefix.size()));
        if (!pointer) return pointer.error();
        part.from_ = from;
        part.pointer_ = std::move(*pointer);
        return part;
    }
    if (config.at.starts_with("header:")) {
        part.from_ = From::header;
        part.text_ = config.at.substr(7);
        if (part.text_.empty()) return invalid("names no header after header:");
    } else if (config.at == "sha256:body") {
        part.from_ = From::body_sha256;
    }
    return part;
}

std::optional<std::string> FieldSelector::found(const Item& item) const {
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
        case From::pointer:
            return text_at(item.value, pointer_);
        case From::root:
            return text_at(item.root, pointer_);
        case From::element:
            return text_at(item.element, pointer_);
    }
    return std::nullopt;
}

bool FieldSelector::is_pointer() const {
    return from_ == From::pointer || from_ == From::root || from_ == From::element;
}

std::optional<std::string> FieldSelector::read(const Item& item) const {
    auto text = found(item);
    if (text && text->size() <= text_bytes_max && text->find('\0') == std::string::npos &&
        (optional_ || !text->empty())) {
        return text;
    }
    if (text || !optional_) return std::nullopt;
    return std::string();
}

std::optional<std::string> read_joined(const FieldSelectors& parts, const Item& item) {
    if (parts.empty()) return std::nullopt;
    if (parts.size() == 1) {
        auto text = parts[0].read(item);
        return text && text->empty() ? std::nullopt : text;
    }
    std::string joined;
    for (const FieldSelector& part : parts) {
        const auto text = part.read(item);
        if (!text) return std::nullopt;
        if (&part != &parts.front()) joined += ':';
        joined += escape_part(*text);
    }
    if (joined.size() > text_bytes_max) return std::nullopt;
    return joined;
}

Result<FieldSelectors> parse_selectors(const ReadParts& configs, std::string_view what) {
    FieldSelectors parts;
    for (const ReadPart& config : configs) {
        auto part = FieldSelector::parse(config);
        if (!part) return invalid(std::string(what) + " " + part.error().message);
        parts.push_back(std::move(*part));
    }
    const bool varies = std::any_of(parts.begin(), parts.end(), [](const FieldSelector& part) {
        return part.from() != FieldSelector::From::literal;
    });
    if (!parts.empty() && !varies) {
        return invalid(std::string(what) +
                       " is the same for each event: a pointer into the body starts with /");
    }
    return parts;
}

}  // namespace pawl::providers
