// A COMMIT whose wait for its synchronous standby was canceled is answered as done, with a warning:
// it is not known to be durable there, and must not be acknowledged.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "db/embedded/embedded.hpp"
#include "db/embedded/programs.hpp"
#include "db/migrate.hpp"
#include "intents/commit/committer.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

const SystemClock system_clock;

// A folder with PostgreSQL's programs, of which `postgres` takes synchronous_standby_names from its
// files: the embedded server's command line says that there is none.
void make_programs(const fs::path& folder) {
    const auto real = db::cluster::newest_programs({});
    ASSERT_TRUE(real) << real.error().message;
    fs::create_directory(folder);
    for (const char* name : {"initdb", "createdb"}) {
        fs::create_symlink(real->program(name), folder / name);
    }
    std::ofstream(folder / "postgres")
        << "#!/bin/sh\nfor one do shift\n"
           "[ \"$one\" = synchronous_standby_names= ] && one=log_duration=off\n"
           "set -- \"$@\" \"$one\"\ndone\nexec "
        << real->program("postgres") << " \"$@\"\n";
    fs::permissions(folder / "postgres", fs::perms(0755));
}

// A cluster of its own, all of whose commits wait for a standby that does not exist.
class CommitWarning : public ::testing::Test {
  protected:
    CommitWarning() {
        std::string made = (fs::temp_directory_path() / "pawl-test-XXXXXX").string();
        folder = mkdtemp(made.data());
        fs::permissions(folder, fs::perms(0755));
        make_programs(folder / "bin");
        db::EmbeddedOptions options;
        options.data_dir = folder / "data";
        options.clock = &system_clock;
        options.purpose = "tests";
        options.pg_bin = folder / "bin";
        auto started = db::EmbeddedCluster::start(options);
        if (!started) throw std::runtime_error(started.error().message);
        cluster.emplace(std::move(*started));
        control.emplace(session_options(""));
        db::Statement::run_script(*control, "SET synchronous_commit = local");
        EXPECT_TRUE(db::migrate_up(*control, db::embedded()));
        db::Statement::run_script(*control, "CREATE TABLE public.probe (n int)");
        db::Statement::run_script(*control, "GRANT INSERT ON public.probe TO pawl_runtime");
        db::Statement::run_script(*control, "ALTER SYSTEM SET synchronous_standby_names = 'none'");
        reload();
        await_commits_that_wait();
    }
    ~CommitWarning() override {
        cluster.reset();
        std::error_code ignored;
        fs::remove_all(folder, ignored);
    }

    db::SessionOptions session_options(const std::string& role) const {
        db::SessionOptions options;
        options.url = cluster->url();
        options.name = "test";
        options.role = role;
        options.statement_timeout = seconds(60);
        return options;
    }
    std::string value(std::string_view sql) {
        return db::Statement::run(*control, db::Query{sql, sql}).value();
    }
    void reload() { value("SELECT pg_reload_conf()"); }
    void let_commits_pass() {
        db::Statement::run_script(*control, "ALTER SYSTEM RESET synchronous_standby_names");
        reload();
    }
    void cancel_a_wait() {
        while (value("SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity "
                     "WHERE wait_event = 'SyncRep'") == "0") {
            std::this_thread::yield();
        }
    }
    // The setting counts from when the checkpointer has read it: until then commits pass.
    void await_commits_that_wait() {
        std::atomic<bool> waited{false};
        std::thread prober([&] {
            db::Session session(session_options("pawl_runtime"));
            while (!waited) {
                db::Statement::run_script(session, "INSERT INTO public.probe VALUES (1)");
            }
        });
        while (value("SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") == "0") {
            std::this_thread::yield();
        }
        waited = true;
        cancel_a_wait();
        prober.join();
    }

    fs::path folder;
    std::optional<db::EmbeddedCluster> cluster;
    std::optional<db::Session> control;  // its own commits do not wait
};

TEST_F(CommitWarning, LeavesTheTransactionInDoubtAndTheSessionClosed) {
    db::Session session(session_options("pawl_runtime"));
    db::Transaction transaction(session);
    transaction.run_script("INSERT INTO public.probe VALUES (2)");
    std::thread canceler([&] { cancel_a_wait(); });
    try {
        transaction.commit();
        ADD_FAILURE() << "a commit that reached no standby was taken for durable";
    } catch (const db::Failure& failure) {
        EXPECT_EQ(failure.kind, db::FailureKind::in_doubt) << failure.what();
    }
    canceler.join();
    EXPECT_FALSE(session.connected());
}

TEST_F(CommitWarning, IsAnsweredAsUnavailableAndTheRedeliveryFindsItPosted) {
    Metrics metrics;
    Timer timer;
    intents::Committer committer({.committers = 1, .answer_within = seconds(3)},
                                 session_options("pawl_runtime"), timer, system_clock, metrics);
    committer.start();
    const auto deliver = [&] {
        auto answered = std::make_shared<std::promise<std::optional<intents::DeliveryResult>>>();
        EXPECT_TRUE(
            committer.submit(testing::deliver({testing::event({"e1", "capture/1"})}),
                             [answered](const std::optional<intents::DeliveryResult>& answer,
                                        const auto&...) { answered->set_value(answer); }));
        return answered->get_future();
    };
    auto first = deliver();
    cancel_a_wait();
    EXPECT_FALSE(first.get()) << "answered as durable";
    let_commits_pass();
    // On a busy machine the first redelivery may be answered 503 as well.
    std::optional<intents::DeliveryResult> again;
    for (int i = 0; i < 10 && !again; ++i) again = deliver().get();
    ASSERT_TRUE(again);
    EXPECT_TRUE((*again)[0].duplicate);
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), "1");
    EXPECT_EQ(value("SELECT amount FROM balances"), "100");
}

}  // namespace
}  // namespace pawl
