#include "tests/e2e/api_case.hpp"

#include "base/json.hpp"

namespace pawl::testing {
namespace {

std::string config_with(const Folder& folder, const std::string& settings) {
    const std::string config = copied_config(folder);
    write_text(config + "/pawl.toml", settings);
    return config;
}

}  // namespace

ApiServer::ApiServer(const std::string& settings, const std::string& faults)
    : server({.data_dir = folder / "data",
              .database_url = database.url(),
              .config = config_with(folder, settings),
              .faults = faults,
              .variables = {std::string("PAWL_API_TOKEN=") + api_token,
                            std::string("PAWL_ADMIN_TOKEN=") + admin_token}}),
      sandbox(server.port(), {}) {
    point_gateway_at(server.options().config, sandbox, "5s");
    server.start();
}

Response ApiServer::ask(const std::string& method, const std::string& path, const std::string& body,
                        providers::Headers headers) {
    headers.emplace_back("Authorization", std::string("Bearer ") + api_token);
    if (!body.empty()) headers.emplace_back("Content-Type", "application/json");
    return HttpClient(server.port()).request(method, path, headers, body);
}

Response ApiServer::admin(const std::string& method, const std::string& path,
                          const std::string& body) {
    const providers::Headers headers = {{"Authorization", std::string("Bearer ") + admin_token}};
    return HttpClient(server.admin_port()).request(method, path, headers, body);
}

Response ApiServer::put_order(const std::string& order, int amount) {
    return ask("PUT", "/v1/orders/" + order,
               R"({"amount":)" + std::to_string(amount) +
                   R"(,"currency":"USD","account":"user:42","gateway":"sandbox"})");
}

Response ApiServer::pay(const std::string& order, const std::string& key, const std::string& wait,
                        const std::string& body) {
    return ask("POST", "/v1/orders/" + order + "/payments", body,
               {{"Idempotency-Key", key}, {"Prefer", "wait=" + wait}});
}

process::Finished ApiServer::verify() const {
    process::Command command;
    command.argv = {"/bin/bash", PAWL_SOURCE_DIR "/docs/verify.sh",
                    "http://127.0.0.1:" + std::to_string(server.port()), api_token};
    command.env = {"PATH=/usr/local/bin:/usr/bin:/bin"};
    auto finished = process::run(command, patience);
    if (!finished) return {false, finished.error().message, ""};
    return *finished;
}

std::string member(const std::string& body, const std::string& pointer) {
    const auto document = json::Document::parse(body);
    if (!document) return "(no JSON)";
    const auto value = document->root().at(json::Pointer::parse(pointer).value());
    return value ? value->text().value_or("(null)") : "";
}

}  // namespace pawl::testing
