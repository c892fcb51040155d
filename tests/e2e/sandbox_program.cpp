#include "tests/e2e/sandbox_program.hpp"

#include <gtest/gtest.h>

#include <charconv>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/json.hpp"
#include "tests/e2e/http_client.hpp"

namespace pawl::testing {
namespace {

std::map<std::string, std::int64_t> numbers_in(const json::Value& object, const char* pointer) {
    std::map<std::string, std::int64_t> numbers;
    const auto found = object.at(json::Pointer::parse(pointer).value());
    if (!found) return numbers;
    for (const json::Value& one : found->children()) {
        numbers[std::string(one.key())] = std::stoll(one.text().value_or("0"));
    }
    return numbers;
}

}  // namespace

SandboxProgram::SandboxProgram(std::uint16_t server_port, std::vector<std::string> faults,
                               std::uint64_t seed)
    : port_(free_port()) {
    process::Command command;
    command.argv = {
        PAWL_PROGRAM,    "sandbox",
        "--listen",      "127.0.0.1:" + std::to_string(port_),
        "--webhook-url", "http://127.0.0.1:" + std::to_string(server_port) + "/webhooks/sandbox",
        "--seed",        std::to_string(seed)};
    for (const std::string& fault : faults) {
        command.argv.push_back("--fault");
        command.argv.push_back(fault);
    }
    auto child = process::spawn(command);
    EXPECT_TRUE(child.ok());
    if (child) child_ = std::move(*child);
    HttpClient client(port_);
    for (int i = 0; i < 300 && client.get("/sandbox/counts").status != 200; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void SandboxProgram::set(const std::string& path, const std::string& body) const {
    HttpClient client(port_);
    const Response answer = client.post("/sandbox/" + path, {}, body);
    EXPECT_EQ(answer.status, 200) << answer.body;
}

SandboxProgram::Counts SandboxProgram::counts() const {
    HttpClient client(port_);
    const Response answer = client.get("/sandbox/counts");
    Counts counts;
    const auto document = json::Document::parse(answer.body);
    if (!document) {
        ADD_FAILURE() << answer.status << " " << answer.body;
        return counts;
    }
    counts.charges = std::stoll(
        document->root().at(json::Pointer::parse("/charges").value())->text().value_or("0"));
    counts.refunds = std::stoll(
        document->root().at(json::Pointer::parse("/refunds").value())->text().value_or("0"));
    counts.by_order = numbers_in(document->root(), "/by_order");
    counts.captures_by_key = numbers_in(document->root(), "/captures_by_key");
    counts.usd_charged = numbers_in(document->root(), "/amounts/usd")["charged"];
    counts.faults = numbers_in(document->root(), "/faults");
    return counts;
}

std::int64_t SandboxProgram::sends_of(const std::string& key) const {
    HttpClient client(port_);
    const Response answer = client.get("/sandbox/counts");
    const auto document = json::Document::parse(answer.body);
    if (!document) return -1;
    const auto seen = numbers_in(document->root(), "/keys_seen");
    const auto found = seen.find(key);
    return found == seen.end() ? 0 : found->second;
}

void point_gateway_at(const std::string& config_folder, const SandboxProgram& sandbox,
                      const std::string& timeout) {
    point_gateway_at(config_folder, sandbox.port(), timeout);
}

void point_gateway_at(const std::string& config_folder, std::uint16_t port,
                      const std::string& timeout) {
    const std::string path = config_folder + "/gateways/sandbox.toml";
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    std::string changed = text.str();
    const auto replace = [&](const std::string& from, const std::string& to) {
        const std::size_t at = changed.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        changed.replace(at, from.size(), to);
    };
    replace("http://127.0.0.1:8090", "http://127.0.0.1:" + std::to_string(port));
    replace("\"10s\"", "\"" + timeout + "\"");
    std::ofstream(path) << changed;
}

}  // namespace pawl::testing
