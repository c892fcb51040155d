// The result of a query. Generated code reads columns by their position, all other code by the
// names of a RowsOf. Cheap to copy, keeps its data alive; used by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"

namespace pqxx {
class result;
}

namespace pawl::db {

// Rows of a query that no .sql file declares, by the names of their columns; NULL is an empty text.
using NamedRow = std::map<std::string, std::string, std::less<>>;

class Row {
  public:
    bool null(int column) const;
    std::string_view text(int column) const;  // valid as long as the Rows
    std::string str(int column) const { return std::string(text(column)); }
    std::optional<std::string_view> maybe_text(int column) const;
    std::int64_t number(int column) const;
    std::optional<std::int64_t> maybe_number(int column) const;
    int integer(int column) const;  // an integer column
    std::optional<int> maybe_integer(int column) const;
    bool flag(int column) const;
    std::optional<bool> maybe_flag(int column) const;
    std::string bytes(int column) const;  // a bytea column
    std::optional<std::string> maybe_bytes(int column) const;
    Time time(int column) const;  // a timestamptz column; sessions speak UTC
    std::optional<Time> maybe_time(int column) const;

  private:
    friend class Rows;
    [[noreturn]] void refuse_null(int column) const;
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
    // The first column of the first row, as text; empty: NULL, or no row.
    std::string value() const;
    std::int64_t number() const { return only().number(0); }
    std::vector<NamedRow> named() const;

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

// Rows of a generated statement: each is one of its class, whose members read the columns.
template <class Named>
class RowsOf {
  public:
    explicit RowsOf(Rows rows) : rows_(std::move(rows)) {}
    int size() const { return rows_.size(); }
    bool empty() const { return rows_.empty(); }
    std::int64_t affected() const { return rows_.affected(); }
    Named operator[](int row) const { return Named(rows_[row]); }
    Named only() const { return Named(rows_.only()); }

    class Iterator {
      public:
        explicit Iterator(Rows::Iterator at) : at_(at) {}
        Named operator*() const { return Named(*at_); }
        Iterator& operator++() { return ++at_, *this; }
        bool operator!=(const Iterator& other) const { return at_ != other.at_; }

      private:
        Rows::Iterator at_;
    };
    Iterator begin() const { return Iterator(rows_.begin()); }
    Iterator end() const { return Iterator(rows_.end()); }

  private:
    Rows rows_;
};

// Result of a statement that returns no rows, or none that are read.
class NoRow {
  public:
    explicit NoRow(const Row&) {}
};

}  // namespace pawl::db
