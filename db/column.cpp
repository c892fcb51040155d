#include "db/column.hpp"

#include <chrono>

namespace pawl::db {
namespace {

using namespace std::chrono;

// PostgreSQL counts microseconds from here.
constexpr sys_days epoch{year{2000} / January / 1};

constexpr std::size_t head_bytes = 20;

void append_uint32(std::string& out, std::uint32_t number) {
    const char bytes[] = {static_cast<char>(number >> 24U), static_cast<char>(number >> 16U),
                          static_cast<char>(number >> 8U), static_cast<char>(number)};
    out.append(bytes, sizeof bytes);
}

}  // namespace

Column::Column(Type type) : type_(type), array_(head_bytes, '\0') {}

void Column::add_null() {
    append_uint32(array_, UINT32_MAX);  // a length of -1
    ++nulls_;
    ++size_;
}

void Column::add_value(std::string_view bytes) {
    append_uint32(array_, static_cast<std::uint32_t>(bytes.size()));
    array_.append(bytes);
    ++size_;
}

void Column::add_big_endian(std::int64_t number) {
    const auto bits = static_cast<std::uint64_t>(number);
    append_uint32(array_, 8);
    append_uint32(array_, static_cast<std::uint32_t>(bits >> 32U));
    append_uint32(array_, static_cast<std::uint32_t>(bits));
    ++size_;
}

void Times::add(Time time) {
    add_big_endian(duration_cast<microseconds>(time - Time(epoch)).count());
}

std::string Column::take_array() {
    std::string head;
    append_uint32(head, empty() ? 0 : 1);  // dimensions
    append_uint32(head, nulls_ > 0 ? 1 : 0);
    append_uint32(head, static_cast<std::uint32_t>(type_));
    if (empty()) return head;
    append_uint32(head, static_cast<std::uint32_t>(size_));
    append_uint32(head, 1);  // SQL counts from 1
    array_.replace(0, head_bytes, head);
    return std::move(array_);
}

}  // namespace pawl::db
