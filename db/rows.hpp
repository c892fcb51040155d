// What a query answered. Columns are asked for by position, in the order of the SELECT. Cheap to
// copy, keeps its data alive; used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace pqxx {
class result;
}

namespace pawl::db {

class Row {
  public:
    bool null(int column) const;
    std::string_view text(int column) const;  // valid as long as the Rows
    std::string str(int column) const { return std::string(text(column)); }
    std::optional<std::string> maybe_text(int column) const;
    std::int64_t number(int column) const;
    std::optional<std::int64_t> maybe_number(int column) const;
    bool flag(int column) const;
    std::string bytes(int column) const;  // a bytea column
    Time time(int column) const;          // a timestamptz column; sessions speak UTC
    std::optional<Time> maybe_time(int column) const;

  private:
    friend class Rows;
    Row(const pqxx::result* result, int row) : result_(result), row_(row) {}
    const pqxx::result* result_;
    int row_;
};

class Rows {
  public:
    explicit Rows(std::shared_ptr<const pqxx::result> result) : result_(std::move(result)) {}
    int size() const;
    bool empty() const { return size() == 0; }
    std::int64_t affected() const;  // rows an INSERT, UPDATE or DELETE touched
    Row operator[](int row) const { return {result_.get(), row}; }
    Row only() const;  // the single row of an answer that must have one

    class Iterator {
      public:
        Iterator(const Rows* rows, int at) : rows_(rows), at_(at) {}
        Row operator*() const { return (*rows_)[at_]; }
        Iterator& operator++() { return ++at_, *this; }
        bool operator!=(const Iterator& other) const { return at_ != other.at_; }

      private:
        const Rows* rows_;
        int at_;
    };
    Iterator begin() const { return {this, 0}; }
    Iterator end() const { return {this, size()}; }

  private:
    std::shared_ptr<const pqxx::result> result_;
};

}  // namespace pawl::db
