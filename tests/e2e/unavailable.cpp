#include "tests/e2e/unavailable.hpp"

#include <gtest/gtest.h>

namespace pawl::testing {
namespace {

// A provider measures less than two seconds. The server answers half a second earlier
// (answer_timeout): a busy machine may lose that much.
constexpr std::chrono::milliseconds answer_limit(2000);

db::SessionOptions in_another_database(const TestDatabase& database, const std::string& name) {
    db::SessionOptions options;
    options.url = database.url();
    options.name = "test";
    const auto at = options.url.find("/" + name + "?");
    options.url.replace(at, name.size() + 1, "/postgres");
    return options;
}

}  // namespace

void expect_unavailable(const Response& answer) {
    EXPECT_EQ(answer.status, 503) << answer.body;
    EXPECT_NE(answer.header("Retry-After"), "");
    EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
    EXPECT_LT(answer.took, answer_limit) << answer.took.count() << " ms";
}

Closed::Closed(const TestDatabase& database)
    : elsewhere_(db::SessionOptions{}), name_(database.value("SELECT current_database()")) {
    elsewhere_ = db::Session(in_another_database(database, name_));
    db::Statement::run_script(elsewhere_, "ALTER DATABASE " + name_ + " ALLOW_CONNECTIONS false");
    db::Statement::run_script(elsewhere_,
                              "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                              "WHERE datname = '" +
                                  name_ + "'");
}

Closed::~Closed() {
    db::Statement::run_script(elsewhere_, "ALTER DATABASE " + name_ + " ALLOW_CONNECTIONS true");
}

}  // namespace pawl::testing
