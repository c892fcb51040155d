// One column of a batch, filled row by row, on its way to PostgreSQL as an array: in binary form,
// in which every value is copied once and nothing is quoted, escaped or parsed again. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"

namespace pawl::db {

class Column {
  public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    bool only_nulls() const { return size_ > 0 && nulls_ == size_; }
    void add_null();
    // Moves the whole array out, as PostgreSQL receives it; the column keeps only its
    // size.
    std::string take_array();

  protected:
    // PostgreSQL's OID of the element type; these numbers never change.
    enum class Type : std::uint32_t {
        boolean = 16,
        bytea = 17,
        bigint = 20,
        text = 25,
        timestamptz = 1184
    };
    explicit Column(Type type);
    void add_value(std::string_view bytes);
    void add_big_endian(std::int64_t number);

  private:
    Type type_;
    std::size_t size_ = 0;
    std::size_t nulls_ = 0;
    std::string array_;  // begins with room for its head
};

// An empty optional is an SQL NULL inside the array.
class Texts : public Column {
  public:
    Texts() : Column(Type::text) {}
    explicit Texts(const std::vector<std::string>& texts) : Texts() {
        for (const std::string& text : texts) add(text);
    }
    void add(std::string_view text) { add_value(text); }
    void add(const std::string& text) { add_value(text); }
    void add(const char* text) { add_value(text); }
    void add_known(std::string_view text) { text.empty() ? add_null() : add_value(text); }
    void add(const std::optional<std::string>& text) { text ? add_value(*text) : add_null(); }
};

class Bytes : public Column {
  public:
    Bytes() : Column(Type::bytea) {}
    void add(std::string_view bytes) { add_value(bytes); }
};

class Numbers : public Column {
  public:
    Numbers() : Column(Type::bigint) {}
    void add(std::int64_t number) { add_big_endian(number); }
    void add(std::optional<std::int64_t> number) { number ? add(*number) : add_null(); }
};

class Flags : public Column {
  public:
    Flags() : Column(Type::boolean) {}
    void add(bool flag) { add_value(std::string_view(flag ? "\1" : "\0", 1)); }
};

class Times : public Column {
  public:
    Times() : Column(Type::timestamptz) {}
    void add(Time time);
    void add(const std::optional<Time>& time) { time ? add(*time) : add_null(); }
};

}  // namespace pawl::db
