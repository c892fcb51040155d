#include "tests/support/database.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "db/embedded/embedded.hpp"
#include "db/migrate.hpp"
#include "tests/support/scratch.hpp"

namespace pawl::testing {
namespace {

const SystemClock system_clock;

// One cluster for the process, and in it a migrated template that every test's database copies.
class Cluster {
  public:
    static Cluster& get() {
        static Cluster cluster;
        return cluster;
    }

    std::string url_of(const std::string& database) const {
        std::string url = cluster_->url();
        const std::size_t at = url.find("/pawl?");
        return url.replace(at, 6, "/" + database + "?");
    }

    void run(const std::string& sql) const {
        db::Session session(plain(url_of("postgres")));
        db::Statement::run_script(session, sql);
    }

    static db::SessionOptions plain(const std::string& url) {
        db::SessionOptions options;
        options.url = url;
        options.name = "test";
        options.statement_timeout = std::chrono::seconds(60);
        return options;
    }

    // PAWL_TEST_ICU_LOCALE: every database is ordered by that locale, as a user's own may be.
    static std::string like_a_users() {
        const char* locale = std::getenv("PAWL_TEST_ICU_LOCALE");
        if (locale == nullptr) return "";
        return std::string(" TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE '") + locale + "'";
    }

    static std::string next_name() {
        static std::atomic<int> count{0};
        return "t" + std::to_string(++count);
    }

  private:
    Cluster() {
        log::start(log::Level::warn, log::Format::text);
        std::string folder = scratch_root() + "/pawl-test-XXXXXX";
        folder_ = mkdtemp(folder.data());
        db::EmbeddedOptions options;
        options.data_dir = folder_;
        options.clock = &system_clock;
        options.purpose = "tests";
        auto started = db::EmbeddedCluster::start(options);
        if (!started) {
            ADD_FAILURE() << started.error().message;
            std::abort();
        }
        cluster_ = std::make_unique<db::EmbeddedCluster>(std::move(*started));
        run("CREATE DATABASE migrated" + like_a_users());
        db::Session session(plain(url_of("migrated")));
        const auto applied = db::migrate_up(session, db::embedded());
        if (!applied) {
            ADD_FAILURE() << applied.error().message;
            std::abort();
        }
    }
    ~Cluster() {
        cluster_.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::string folder_;
    std::unique_ptr<db::EmbeddedCluster> cluster_;
};

}  // namespace

TestDatabase::TestDatabase() : name_(Cluster::next_name()) {
    Cluster::get().run("CREATE DATABASE " + name_ + " TEMPLATE migrated");
    url_ = Cluster::get().url_of(name_);
}

TestDatabase::~TestDatabase() {
    try {
        Cluster::get().run("DROP DATABASE " + name_ + " WITH (FORCE)");
    } catch (const db::Failure& failure) {
        ADD_FAILURE() << failure.what();
    }
}

db::SessionOptions TestDatabase::options() const {
    db::SessionOptions options;
    options.url = url_;
    options.name = "test";
    options.role = "pawl_runtime";
    options.finds_by_key = true;
    options.statement_timeout = std::chrono::seconds(30);  // the machine may be busy
    return options;
}

db::Session TestDatabase::owner() const {
    return db::Session(Cluster::plain(url_));
}

std::string TestDatabase::value(std::string_view sql) const {
    db::Session session = owner();
    db::Transaction transaction(session);
    return transaction.run(db::Query{"test_value", sql}).value();
}

void TestDatabase::run(std::string_view sql) const {
    db::Session session = owner();
    db::Statement::run_script(session, sql);
}

void TestDatabase::take_away() const {
    Cluster::get().run("ALTER DATABASE " + name_ + " ALLOW_CONNECTIONS false");
    Cluster::get().run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" +
                       name_ + "'");
}

void TestDatabase::bring_back() const {
    Cluster::get().run("ALTER DATABASE " + name_ + " ALLOW_CONNECTIONS true");
}

std::string empty_database_url() {
    const std::string name = Cluster::next_name();
    Cluster::get().run("CREATE DATABASE " + name + Cluster::like_a_users());
    return Cluster::get().url_of(name);
}

}  // namespace pawl::testing
