#include "base/clock.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>

namespace pawl {
namespace {

using std::chrono::days;
using std::chrono::duration_cast;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::minutes;
using std::chrono::seconds;

// Reads exactly `width` digits at `at` and moves past them.
bool read_digits(std::string_view text, std::size_t& at, std::size_t width, int& out) {
    if (at + width > text.size()) return false;
    const char* begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, begin + width, out);
    if (error != std::errc{} || end != begin + width || *begin == '-') return false;
    at += width;
    return true;
}

bool read_char(std::string_view text, std::size_t& at, char wanted) {
    if (at >= text.size() || text[at] != wanted) return false;
    ++at;
    return true;
}

// Reads the fraction of a second, truncated to microseconds, the resolution of PostgreSQL.
bool read_fraction(std::string_view text, std::size_t& at, Duration& out) {
    if (!read_char(text, at, '.')) return true;
    std::int64_t micros = 0;
    std::int64_t scale = 100000;
    const std::size_t begin = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
        micros += (text[at] - '0') * scale;
        scale /= 10;
    }
    out = Duration(micros);
    return at > begin;
}

bool read_offset(std::string_view text, std::size_t& at, minutes& out) {
    if (at < text.size() && (text[at] == 'Z' || text[at] == 'z')) return ++at, true;
    if (at >= text.size() || (text[at] != '+' && text[at] != '-')) return false;
    const int sign = text[at++] == '-' ? -1 : 1;
    int hh = 0;
    int mm = 0;
    if (!read_digits(text, at, 2, hh)) return false;
    if (at < text.size() && text[at] == ':') ++at;
    if (!read_digits(text, at, 2, mm) || hh > 23 || mm > 59) return false;
    out = minutes(sign * (hh * 60 + mm));
    return true;
}

struct Unit {
    std::string_view suffix;
    Duration length;
};
constexpr std::array<Unit, 6> units{{{"ms", std::chrono::milliseconds(1)},
                                     {"us", microseconds(1)},
                                     {"s", seconds(1)},
                                     {"m", minutes(1)},
                                     {"h", hours(1)},
                                     {"d", days(1)}}};

}  // namespace

Time SystemClock::now() const {
    return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

std::chrono::steady_clock::time_point SystemClock::steady() const {
    return std::chrono::steady_clock::now();
}

std::string to_rfc3339(Time time) {
    const auto day = std::chrono::floor<days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss<Duration> clock(time - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", int(date.year()),
                       unsigned(date.month()), unsigned(date.day()), clock.hours().count(),
                       clock.minutes().count(), clock.seconds().count(),
                       clock.subseconds().count());
}

Result<Time> parse_rfc3339(std::string_view text) {
    const Error wrong =
        invalid(fmt::format("\"{}\" is not a time; write it like 2026-01-31T12:00:00Z", text));
    std::size_t at = 0;
    int y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0;
    const bool date = read_digits(text, at, 4, y) && read_char(text, at, '-') &&
                      read_digits(text, at, 2, mo) && read_char(text, at, '-') &&
                      read_digits(text, at, 2, d);
    if (!date || at >= text.size()) return wrong;
    if (text[at] != 'T' && text[at] != 't' && text[at] != ' ') return wrong;
    ++at;
    const bool clock = read_digits(text, at, 2, h) && read_char(text, at, ':') &&
                       read_digits(text, at, 2, mi) && read_char(text, at, ':') &&
                       read_digits(text, at, 2, s);
    Duration fraction{0};
    minutes offset{0};
    if (!clock || !read_fraction(text, at, fraction) || !read_offset(text, at, offset)) {
        return wrong;
    }
    const std::chrono::year_month_day ymd{std::chrono::year(y), std::chrono::month(unsigned(mo)),
                                          std::chrono::day(unsigned(d))};
    if (at != text.size() || !ymd.ok() || h > 23 || mi > 59 || s > 60) return wrong;
    const Time midnight = std::chrono::sys_days(ymd);
    return midnight + hours(h) + minutes(mi) + seconds(s) + fraction - offset;
}

Result<Duration> parse_duration(std::string_view text) {
    std::int64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const Unit& unit : units) {
        const bool fits = count >= 0 && count <= Duration::max() / unit.length;
        if (error == std::errc{} && suffix == unit.suffix && fits) return unit.length * count;
    }
    return invalid(
        fmt::format("\"{}\" is not a duration; write it like 250ms, 10s, 5m, 72h or 3d", text));
}

std::string to_text(Duration duration) {
    for (auto unit : {units[5], units[4], units[3], units[2], units[0]}) {
        if (duration.count() != 0 && duration % unit.length == Duration::zero()) {
            return fmt::format("{}{}", duration / unit.length, unit.suffix);
        }
    }
    return duration == Duration::zero() ? "0s" : fmt::format("{}us", duration.count());
}

}  // namespace pawl
