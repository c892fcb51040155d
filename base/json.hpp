// Strict JSON: reading that keeps the source text of every number and the raw bytes of every
// value, and a small writer for answers.
// A document is checked whole before any value is read from it: bad grammar, bad UTF-8, duplicate
// keys, trailing bytes and deep nesting refuse all of it. A Document refers to the text it was
// parsed from, which must outlive it; Values refer to both. Immutable once parsed.
#pragma once

#include <cstdint>
#include <forward_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace pawl::json {

enum class Kind : std::uint8_t { null, boolean, number, string, array, object };

// An RFC 6901 pointer, taken apart once. "" is the whole document.
class Pointer {
  public:
    Pointer() = default;
    static Result<Pointer> parse(std::string_view text);
    const std::vector<std::string>& tokens() const { return tokens_; }
    bool whole() const { return tokens_.empty(); }

  private:
    std::vector<std::string> tokens_;
};

// One value in document order; its descendants follow it.
struct Node {
    std::uint32_t begin = 0;  // offsets into the text, quotes included
    std::uint32_t end = 0;
    std::uint32_t span = 1;  // nodes from this one to the next that is not inside it
    Kind kind = Kind::null;
    bool escaped = false;  // a string with a backslash in it
    std::string_view key;  // decoded; only for members of objects
};

class Value {
  public:
    Value(std::string_view text, const Node* node) : text_(text), node_(node) {}
    Kind kind() const { return node_->kind; }
    std::string_view raw() const { return text_.substr(node_->begin, node_->end - node_->begin); }
    std::string_view key() const { return node_->key; }  // name of a member
    // Returns a string decoded, a number as it was written, true or false; nullopt for null, arrays
    // and objects.
    std::optional<std::string> text() const;
    std::optional<Value> at(const Pointer& pointer) const;
    std::vector<Value> children() const;  // elements or members, in order

  private:
    std::optional<Value> child(const std::string& token) const;
    std::string_view text_;
    const Node* node_;
};

class Document {
  public:
    static Result<Document> parse(std::string_view text);
    Document(Document&&) = default;  // not copied: keys point into decoded_keys_
    Document& operator=(Document&&) = default;
    Value root() const { return {text_, nodes_.data()}; }

  private:
    friend class Parser;
    Document() = default;
    std::string_view text_;
    std::vector<Node> nodes_;
    std::forward_list<std::string> decoded_keys_;  // those with escapes; addresses stay put
};

// The text at the pointer ("/a/b"); empty if there is none. For documents that were checked before.
std::string text_at(const Value& value, std::string_view pointer);

// Removes insignificant white space, to detect a proxy's changes to a body. Only for text that
// parses.
std::string minify(std::string_view text);

bool is_utf8(std::string_view text);

std::string quote(std::string_view text);  // with the quotes; bad UTF-8 becomes U+FFFD

// Writes members in the order they are given. The caller keeps begin and end in balance.
class Writer {
  public:
    Writer() { out_.reserve(256); }  // most answers are shorter, and need no growth
    Writer& begin_object();
    Writer& end_object();
    Writer& begin_array();
    Writer& end_array();
    Writer& key(std::string_view name);
    Writer& string(std::string_view value);
    Writer& number(std::int64_t value);
    Writer& boolean(bool value);
    Writer& null();
    Writer& raw(std::string_view json);  // already JSON

    Writer& member(std::string_view name, std::string_view value) {
        return key(name).string(value);
    }
    Writer& member(std::string_view name, const char* value) { return key(name).string(value); }
    Writer& member(std::string_view name, const std::string& value) {
        return key(name).string(value);
    }
    Writer& member(std::string_view name, std::int64_t value) { return key(name).number(value); }
    Writer& member(std::string_view name, int value) { return key(name).number(value); }
    Writer& member(std::string_view name, bool value) { return key(name).boolean(value); }
    template <class T>
    Writer& member(std::string_view name, const std::optional<T>& value) {
        return value ? member(name, *value) : key(name).null();
    }

    std::string take() { return std::move(out_); }

  private:
    void separate();
    std::string out_;
    bool fresh_ = true;  // no element before this one in the object or array
};

}  // namespace pawl::json
