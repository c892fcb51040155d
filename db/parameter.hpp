// Parameters of the generated statements, each already in the form in which PostgreSQL reads it. No
// parameter has a default: one that is left out does not compile, nor does one of another type. A
// null is std::nullopt. Plain values.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "db/column.hpp"

namespace pawl::db {

struct Param {
    enum class Form { null, text, binary } form = Form::null;
    std::string value;
};
// Parameters of one statement, in the order of its positions.
using ParamList = std::span<const Param* const>;

template <class T>
concept TextLike = std::convertible_to<const T&, std::string_view>;

class TextParam : public Param {
  public:
    TextParam(std::string&& text) : Param{Form::text, std::move(text)} {}
    template <TextLike T>
    TextParam(const T& text) : Param{Form::text, std::string(std::string_view(text))} {}
};

class BytesParam : public Param {  // sent as they are, never escaped
  public:
    BytesParam(std::string&& bytes) : Param{Form::binary, std::move(bytes)} {}
    template <TextLike T>
    BytesParam(const T& bytes) : Param{Form::binary, std::string(std::string_view(bytes))} {}
};

class NumberParam : public Param {
  public:
    template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>) NumberParam(T number)
        : Param{Form::text, std::to_string(static_cast<std::int64_t>(number))} {}
};

class FlagParam : public Param {
  public:
    FlagParam(std::same_as<bool> auto flag) : Param{Form::text, flag ? "t" : "f"} {}
};

class TimeParam : public Param {
  public:
    TimeParam(Time time) : Param{Form::text, to_rfc3339(time)} {}
};

// A whole column of a batch, as an array.
template <class Values>
class ArrayParam : public Param {
  public:
    ArrayParam(Values&& column) {
        // An array without one value is sent as NULL, which unnest() turns into nulls next to
        // columns that have values: that is a quarter of the columns of an ordinary batch.
        if (column.only_nulls()) return;
        form = Form::binary;
        value = column.take_array();
    }
};
using TextsParam = ArrayParam<Texts>;
using NumbersParam = ArrayParam<Numbers>;
using FlagsParam = ArrayParam<Flags>;
using TimesParam = ArrayParam<Times>;
using BytesArrayParam = ArrayParam<Bytes>;

// A nullable parameter: takes what `Known` takes, std::nullopt, or an optional of such a value.
template <class Known>
class Maybe : public Param {
  public:
    Maybe(std::nullopt_t) {}
    template <class T>
    requires std::constructible_from<Known, T&&> Maybe(T&& known)
        : Param(Known(std::forward<T>(known))) {}
    template <class T>
    requires std::constructible_from<Known, const T&> Maybe(const std::optional<T>& known)
        : Param(known ? Param(Known(*known)) : Param{}) {}
    template <class T>
    requires std::constructible_from<Known, T&&> Maybe(std::optional<T>&& known)
        : Param(known ? Param(Known(std::move(*known))) : Param{}) {}
};
using MaybeTextParam = Maybe<TextParam>;
using MaybeBytesParam = Maybe<BytesParam>;
using MaybeNumberParam = Maybe<NumberParam>;
using MaybeFlagParam = Maybe<FlagParam>;
using MaybeTimeParam = Maybe<TimeParam>;
using MaybeTextsParam = Maybe<TextsParam>;
using MaybeNumbersParam = Maybe<NumbersParam>;
using MaybeFlagsParam = Maybe<FlagsParam>;
using MaybeTimesParam = Maybe<TimesParam>;
using MaybeBytesArrayParam = Maybe<BytesArrayParam>;

}  // namespace pawl::db
