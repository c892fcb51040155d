#include "base/log.hpp"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/printable.hpp"

namespace pawl::log {
namespace {

// Values of these fields are never written.
constexpr std::array<std::string_view, 8> secret_fields = {
    "secret", "token", "password", "authorization", "api_key", "signature", "cookie", "body"};

std::shared_ptr<spdlog::logger>& logger() {
    static auto instance = spdlog::stderr_logger_mt("pawl");
    return instance;
}

Format& chosen_format() {
    static Format format = Format::text;
    return format;
}

spdlog::level::level_enum to_spdlog(Level level) {
    switch (level) {
        case Level::trace:
            return spdlog::level::trace;
        case Level::debug:
            return spdlog::level::debug;
        case Level::info:
            return spdlog::level::info;
        case Level::warn:
            return spdlog::level::warn;
        case Level::error:
            return spdlog::level::err;
    }
    return spdlog::level::err;
}

std::string_view name_of(Level level) {
    constexpr std::array<std::string_view, 5> names = {"trace", "debug", "info", "warn", "error"};
    return names[static_cast<std::size_t>(level)];
}

bool is_secret(std::string_view name) {
    for (const std::string_view secret : secret_fields) {
        if (name == secret) return true;
    }
    return false;
}

// Escapes control characters and bytes that would end the line or the string: log lines contain
// text of unauthenticated clients.
void append_escaped(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const std::size_t plain = std::min(text.find_first_of("\"\\"), text.size());
        append_printable(out, text.substr(0, plain));
        text.remove_prefix(plain);
        if (text.empty()) return;
        out += '\\';
        out += text[0];
        text.remove_prefix(1);
    }
}

void append_value(std::string& out, const Field& field, bool always_quote) {
    std::string_view value = field.value;
    if (is_secret(field.name)) value = "[not logged]";
    const bool plain = value.find_first_of(" \"\\=\n\t") == std::string_view::npos;
    if (!field.quoted || (!always_quote && plain && !value.empty())) {
        append_escaped(out, value);
        return;
    }
    out += '"';
    append_escaped(out, value);
    out += '"';
}

void write(Level level, std::string_view message, Fields fields) {
    const auto spd_level = to_spdlog(level);
    if (!logger()->should_log(spd_level)) return;
    const std::string line = render(chosen_format(), level, message, fields);
    logger()->log(spd_level, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

Field::Field(std::string_view field_name, std::string_view text) : name(field_name), value(text) {}
Field::Field(std::string_view field_name, std::int64_t number)
    : name(field_name), value(std::to_string(number)), quoted(false) {}
Field::Field(std::string_view field_name, bool flag)
    : name(field_name), value(flag ? "true" : "false"), quoted(false) {}

void start(Level level, Format format) {
    chosen_format() = format;
    logger()->set_level(to_spdlog(level));
    logger()->flush_on(spdlog::level::trace);
    logger()->set_pattern(
        format == Format::json ? R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ",%v})" : "%H:%M:%S.%e %v",
        spdlog::pattern_time_type::utc);
}

bool parse_level(std::string_view text, Level& level) {
    for (const Level candidate :
         {Level::trace, Level::debug, Level::info, Level::warn, Level::error}) {
        if (text == name_of(candidate)) return level = candidate, true;
    }
    return false;
}

std::string render(Format format, Level level, std::string_view message, Fields fields) {
    std::string line;
    if (format == Format::json) {
        line = fmt::format(R"("level":"{}","message":")", name_of(level));
        append_escaped(line, message);
        line += '"';
    } else {
        line = fmt::format("{:<5} {}", name_of(level), message);
    }
    for (const Field& field : fields) {
        line += format == Format::json ? fmt::format(",\"{}\":", field.name)
                                       : fmt::format(" {}=", field.name);
        append_value(line, field, format == Format::json);
    }
    return line;
}

void trace(std::string_view message, Fields fields) {
    write(Level::trace, message, fields);
}
void debug(std::string_view message, Fields fields) {
    write(Level::debug, message, fields);
}
void info(std::string_view message, Fields fields) {
    write(Level::info, message, fields);
}
void warn(std::string_view message, Fields fields) {
    write(Level::warn, message, fields);
}
void error(std::string_view message, Fields fields) {
    write(Level::error, message, fields);
}

}  // namespace pawl::log
