#include "settings/expand.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace pawl::app {
namespace {

// A secret is a line or a PEM file; anything larger is the wrong file.
constexpr std::size_t secret_bytes_max = 64 * 1024;

void missing(Expanded& into, std::string name, std::string what) {
    if (!into.missing.empty()) return;
    into.missing_name = std::move(name);
    into.missing = std::move(what);
}

void append_variable(Expanded& into, const std::string& name, const Variables& variables) {
    const auto value = variables(name);
    if (!value) return missing(into, name, fmt::format("variable {} is not set", name));
    // An empty secret would let every sender sign.
    if (value->empty()) return missing(into, name, fmt::format("variable {} is empty", name));
    into.text += *value;
}

void append_file(Expanded& into, const std::filesystem::path& path) {
    const std::string name = path.lexically_normal().string();
    struct stat info {};
    if (::stat(name.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) {
        const int code = errno != 0 ? errno : EISDIR;
        return missing(into, name,
                       fmt::format("file {} cannot be read: {}", name, std::strerror(code)));
    }
    errno = 0;
    std::ifstream file(name, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open()) {
        return missing(into, name,
                       fmt::format("file {} cannot be read: {}", name, std::strerror(errno)));
    }
    if (text.size() > secret_bytes_max) {
        into.wrong = fmt::format("file {} is larger than 64 KiB, which no secret is", name);
        return;
    }
    // Editors and `echo` end a file with a newline that is not part of the secret.
    if (!text.empty() && text.back() == '\n') text.pop_back();
    if (!text.empty() && text.back() == '\r') text.pop_back();
    if (text.empty()) return missing(into, name, fmt::format("file {} is empty", name));
    if ((info.st_mode & S_IROTH) != 0) into.exposed_file = name;
    into.text += text;
}

}  // namespace

Variables process_variables() {
    return [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        if (value == nullptr) return std::nullopt;
        return std::string(value);
    };
}

Expanded expand(std::string_view text, const Variables& variables,
                const std::filesystem::path& folder) {
    Expanded result;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t open = text.find("${", at);
        result.text += text.substr(at, open - at);
        if (open == std::string_view::npos) break;
        const std::size_t close = text.find('}', open);
        if (close == std::string_view::npos) {
            result.wrong = "\"${\" is not closed by \"}\"";
            break;
        }
        const std::string_view inside = text.substr(open + 2, close - open - 2);
        at = close + 1;
        result.from_outside = true;
        if (inside.starts_with("env:") && inside.size() > 4) {
            append_variable(result, std::string(inside.substr(4)), variables);
        } else if (inside.starts_with("file:") && inside.size() > 5) {
            errno = 0;
            append_file(result, folder / inside.substr(5));
        } else {
            result.wrong = fmt::format("\"${{{}}}\" names no source of values", inside);
        }
    }
    return result;
}

std::string origin_of(std::string_view text) {
    for (const auto& [mark, kind] :
         {std::pair(std::string_view("${env:"), "variable "), {"${file:", "file "}}) {
        const std::size_t at = text.find(mark);
        if (at == std::string_view::npos) continue;
        const std::string_view name = text.substr(at + mark.size());
        return kind + std::string(name.substr(0, name.find('}')));
    }
    return {};
}

}  // namespace pawl::app
