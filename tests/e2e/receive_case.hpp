// One server on a database of the test's own, with the shipped providers and a few more, for the
// tests of what a sender is answered. Started once a suite. One thread.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {

// Secrets of the providers that receive_case adds.
inline constexpr std::string_view other_secret =
    "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

// Shared by a suite: made by its first test, removed with its last.
struct ReceiveServer {
    explicit ReceiveServer(const std::string& receive_settings = "",
                           const std::string& faults = "");

    Folder folder;
    TestDatabase database;
    Server server;
};

class ReceiveCase : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { shared_ = std::make_unique<ReceiveServer>(); }
    static void TearDownTestSuite() { shared_.reset(); }

    Server& server() { return shared_->server; }
    TestDatabase& database() { return shared_->database; }
    std::string intents(const std::string& id) {
        return database().value("SELECT count(*) FROM webhook_intents WHERE event_id = '" + id +
                                "'");
    }
    // "status outcome", of the demo provider.
    std::string state_of(const std::string& id) {
        return database().value(
            "SELECT status || ' ' || outcome FROM webhook_intents "
            "WHERE event_id = '" +
            id + "'");
    }

  private:
    static inline std::unique_ptr<ReceiveServer> shared_;
};

// {"provider":"demo","event_id":...}: the body of an answer.
std::string answer_body(const std::string& id, const std::string& status,
                        const std::string& outcome, bool duplicate);

}  // namespace pawl::testing
