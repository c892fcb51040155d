// Wraps spdlog: text on a terminal, one JSON object a line otherwise. Messages are constant
// sentences; variable parts go into fields, so that logs can be searched by name. Values of fields
// named in `secret_fields` are never written. Safe from every thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace pawl::log {

enum class Level { trace, debug, info, warn, error };
enum class Format { text, json };

struct Field {
    Field(std::string_view field, std::string_view text);
    Field(std::string_view field, const char* text) : Field(field, std::string_view(text)) {}
    Field(std::string_view field, const std::string& text) : Field(field, std::string_view(text)) {}
    Field(std::string_view field, std::int64_t number);
    Field(std::string_view field, int number) : Field(field, static_cast<std::int64_t>(number)) {}
    Field(std::string_view field, std::size_t number)
        : Field(field, static_cast<std::int64_t>(number)) {}
    Field(std::string_view field, bool flag);

    std::string_view name;
    std::string value;
    bool quoted = true;  // numbers and booleans are written bare in JSON
};

using Fields = std::initializer_list<Field>;

// Called once from main before threads start. Log lines go to stderr: stdout belongs to answers.
void start(Level level, Format format);
bool parse_level(std::string_view text, Level& level);

void trace(std::string_view message, Fields fields = {});
void debug(std::string_view message, Fields fields = {});
void info(std::string_view message, Fields fields = {});
void warn(std::string_view message, Fields fields = {});
void error(std::string_view message, Fields fields = {});

// Exposed for its test: one line as it would be written, without the time.
std::string render(Format format, Level level, std::string_view message, Fields fields);

}  // namespace pawl::log
