// One server on a database of the test's own, and `pawl sandbox` as its payment provider. One
// thread, but for what a test starts itself.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/e2e/embedded_case.hpp"
#include "tests/e2e/http_client.hpp"
#include "tests/e2e/sandbox_program.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {

inline constexpr const char* api_token = "pawl_test_api_token_0123456789";
inline constexpr const char* admin_token = "pawl_test_admin_token_0123456789";

struct ApiServer {
    explicit ApiServer(const std::string& settings = "", const std::string& faults = "");

    Response ask(const std::string& method, const std::string& path, const std::string& body = "",
                 providers::Headers headers = {});
    Response admin(const std::string& method, const std::string& path,
                   const std::string& body = "");
    Response put_order(const std::string& order, int amount = 5000);
    Response pay(const std::string& order, const std::string& key, const std::string& wait = "20",
                 const std::string& body = "{}");
    // Runs docs/verify.sh; what it printed, and whether it was content.
    process::Finished verify() const;

    Folder folder;
    TestDatabase database;
    Server server;
    SandboxProgram sandbox;
};

std::string member(const std::string& body, const std::string& pointer);  // as text

}  // namespace pawl::testing
