// Result<T>: a value, or an error. For errors that a caller must handle; exceptions cross only the
// db and outbound edges, and asserts are for bugs. A plain value: no thread rules.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace pawl {

// The kind of an error. The program's exit codes and the HTTP answers are derived from it.
enum class ErrorKind {
    refused,      // a valid question with a negative answer
    invalid,      // the input or the configuration is wrong: retrying the same changes nothing
    unreachable,  // database, network or disk: the same may succeed later
    internal,     // a bug in Pawl
};

struct Error {
    ErrorKind kind = ErrorKind::internal;
    std::string message;  // one sentence: object, condition, remedy
};

inline Error refused(std::string message) {
    return {ErrorKind::refused, std::move(message)};
}
inline Error invalid(std::string message) {
    return {ErrorKind::invalid, std::move(message)};
}
inline Error unreachable(std::string message) {
    return {ErrorKind::unreachable, std::move(message)};
}

template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }

    const T& value() const& { return assert(ok()), std::get<0>(state_); }
    T& value() & { return assert(ok()), std::get<0>(state_); }
    T&& value() && { return assert(ok()), std::get<0>(std::move(state_)); }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    const Error& error() const { return assert(!ok()), std::get<1>(state_); }

  private:
    std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)), failed_(true) {}
    bool ok() const { return !failed_; }
    explicit operator bool() const { return ok(); }
    const Error& error() const { return assert(failed_), error_; }

  private:
    Error error_;
    bool failed_ = false;
};

}  // namespace pawl
