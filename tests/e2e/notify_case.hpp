// A server with subscribers, on a database of the test's own, and the subscribers: a program of its
// own, in JavaScript, that judges each signature with the libraries that subscribers use. One
// thread.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {

inline constexpr const char* admin_token = "an-admin-token-of-the-tests-0123456789";

std::string node_program();  // the one of package.json; empty: it is not installed

struct Told {
    std::string kind, id, type, account;
    int attempt = 0;
    std::string correlation_id;
};

class NotifyCase : public ::testing::Test {
  protected:
    void SetUp() override;

    // `more` is added to the table, in TOML.
    void subscribe(const std::string& name, const std::string& kind,
                   const std::string& more = "events = [\"*\"]");
    void start(const std::string& settings = "", const std::string& faults = "");
    std::vector<Told> told(const std::string& kind) const;
    std::map<std::string, int> times_by_id(const std::string& kind) const;
    int most_at_once() const;     // requests that "busy" had open together
    std::string refused() const;  // what the libraries refused
    void deliver(int from, int count, int accounts = 10);
    std::string count(const std::string& where) {
        return database.value("SELECT count(*) FROM " + every_job + "WHERE " + where);
    }

    Folder folder;
    TestDatabase database;
    std::string config;
    std::string subscribers;  // TOML
    std::unique_ptr<Server> server;

  private:
    void start_subscribers();
    process::Child program_;
    std::uint16_t port_ = 0;
};

}  // namespace pawl::testing
