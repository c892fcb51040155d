#include "tests/e2e/any_client.hpp"

#include <algorithm>

#include "base/json.hpp"

namespace pawl::testing {
namespace {

Response by_bytes(std::uint16_t port, const Ask& ask) {
    HttpClient client(port);
    if (!ask.chunked) return client.request(ask.method, ask.path, ask.headers, ask.body);
    std::string bytes = ask.method + " " + ask.path + " HTTP/1.1\r\nHost: localhost\r\n";
    for (const auto& [name, value] : ask.headers) bytes += name + ": " + value + "\r\n";
    bytes += "Transfer-Encoding: chunked\r\n\r\n";
    constexpr std::size_t chunk = 50000;
    for (std::size_t at = 0; at < ask.body.size(); at += chunk) {
        const std::string part = ask.body.substr(at, chunk);
        char size[16];
        std::snprintf(size, sizeof size, "%zx\r\n", part.size());
        bytes += size + part + "\r\n";
    }
    return client.exchange(bytes + "0\r\n\r\n");
}

// As it looks on the wire; an interim answer before it does not count.
Response parsed(std::string_view said) {
    while (said.starts_with("HTTP/1.1 100")) said.remove_prefix(said.find("\r\n\r\n") + 4);
    Response response;
    const auto head_end = said.find("\r\n\r\n");
    if (!said.starts_with("HTTP/1.1 ") || head_end == said.npos) {
        response.body = said;
        return response;
    }
    response.status = std::atoi(std::string(said.substr(9, 3)).c_str());
    response.body = said.substr(head_end + 4);
    std::string_view lines = said.substr(0, head_end);
    while (!lines.empty()) {
        const std::string_view line = lines.substr(0, lines.find("\r\n"));
        const auto colon = line.find(": ");
        if (colon != line.npos) {
            response.headers.emplace_back(line.substr(0, colon), line.substr(colon + 2));
        }
        lines.remove_prefix(std::min(line.size() + 2, lines.size()));
    }
    return response;
}

std::vector<std::string> curl_command(std::uint16_t port, const Ask& ask, const std::string& file) {
    std::vector<std::string> argv = {
        on_path("curl"), "-sS", "-q", "-i", "--noproxy",    "*", "--max-time", "20", "-X",
        ask.method,      "-A",  "",   "-H", "Content-Type:"};
    if (ask.method != "GET") {
        argv.emplace_back("--data-binary");
        argv.push_back("@" + file);
    }
    if (ask.chunked) argv.insert(argv.end(), {"-H", "Transfer-Encoding: chunked"});
    for (const auto& [name, value] : ask.headers) {
        argv.emplace_back("-H");
        argv.push_back(name + ": " + value);
    }
    argv.push_back(url_of(port) + ask.path);
    return argv;
}

std::vector<std::string> node_command(std::uint16_t port, const Ask& ask, const Folder& folder,
                                      const std::string& file) {
    json::Writer headers;
    headers.begin_array();
    for (const auto& [name, value] : ask.headers) {
        headers.begin_array().string(name).string(value).end_array();
    }
    headers.end_array();
    write_text(folder / "headers", headers.take());
    std::vector<std::string> argv = {
        on_path("node"),         PAWL_SOURCE_DIR "/tests/e2e/receive_request.mjs",
        url_of(port) + ask.path, ask.method,
        folder / "headers",      file};
    if (ask.chunked) argv.emplace_back("chunked");
    return argv;
}

}  // namespace

const char* to_text(By client) {
    return client == By::bytes ? "bytes" : client == By::curl ? "curl" : "node";
}

bool is_there(By client) {
    return client == By::bytes || !on_path(to_text(client)).empty();
}

Response ask_by(By client, std::uint16_t port, const Ask& ask) {
    if (client == By::bytes) return by_bytes(port, ask);
    const Folder folder;
    const std::string file = folder / "body";
    write_text(file, ask.body);
    auto argv =
        client == By::curl ? curl_command(port, ask, file) : node_command(port, ask, folder, file);
    return parsed(run_program(std::move(argv)).output);
}

}  // namespace pawl::testing
