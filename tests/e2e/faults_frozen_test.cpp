// A database that hangs, as a whole and under one thread of Pawl at a time, while operators and
// clients with invalid tokens keep using the admin API: providers are answered 503 in time, and
// probes of /healthz at once.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <list>
#include <sstream>
#include <thread>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/e2e/unavailable.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

constexpr const char* viewer_token = "pawl_test_viewer_0123456789abcdef";
constexpr const char* shop_token = "pawl_test_shop_0123456789abcdef";
constexpr std::size_t clients_of_each_kind = 8;

providers::Headers bearer(const std::string& token) {
    return {{"Authorization", "Bearer " + token}};
}

// Asks the same again and again, on a connection that stays, with a short pause: it is not about
// how much a machine can do.
class Polling {
  public:
    Polling(std::uint16_t port, std::string path, std::string token)
        : thread_([this, port, path = std::move(path), token = std::move(token)] {
              HttpClient client(port);
              while (!over_) {
                  const int status = client.request("GET", path, bearer(token), "").status;
                  ++statuses_[static_cast<std::size_t>(status)];
                  std::this_thread::sleep_for(milliseconds(20));
              }
          }) {}
    ~Polling() {
        over_ = true;
        thread_.join();
    }
    Polling(const Polling&) = delete;
    Polling& operator=(const Polling&) = delete;
    int seen(std::size_t status) const { return statuses_[status]; }

  private:
    mutable std::array<std::atomic<int>, 600> statuses_{};
    std::atomic<bool> over_{false};
    std::thread thread_;
};

class FaultsFrozen : public ::testing::Test {
  protected:
    FaultsFrozen() {
        server.start();
        url = server.embedded_url();
        add_token("viewer", "viewer", viewer_token);
        add_token("shop", "api", shop_token);
        for (std::size_t i = 0; i < clients_of_each_kind; ++i) {
            const std::string made_up = "pawl_made_up_" + std::to_string(i);
            invalid.emplace_back(server.admin_port(), "/admin/v1/intents", made_up);
            valid.emplace_back(server.admin_port(), "/admin/v1/intents", viewer_token);
        }
        shops.emplace_back(server.port(), "/v1/accounts/user:1", shop_token);
        EXPECT_EQ(sender.send({.id = "first"}).status, 200);
        EXPECT_TRUE(eventually([this] { return valid.back().seen(200) > 0; }));
        EXPECT_TRUE(eventually([this] { return invalid.back().seen(401) > 0; }));
    }
    ~FaultsFrozen() override { go_on(); }

    void add_token(const std::string& principal, const std::string& role, const std::string& text) {
        run_sql(url, "INSERT INTO api_tokens (principal, role, token_sha256, hint) VALUES ('" +
                         principal + "', '" + role + "', sha256('" + text + "'), 'test')");
    }
    void freeze(std::vector<pid_t> processes) {
        frozen = std::move(processes);
        for (const pid_t pid : frozen) kill(pid, SIGSTOP);
    }
    void go_on() {
        for (const pid_t pid : frozen) kill(pid, SIGCONT);
        frozen.clear();
    }
    std::vector<pid_t> backends(const std::string& name) {
        std::istringstream pids(
            ask(url,
                "SELECT coalesce(string_agg(pid::text, ' '), '') FROM pg_stat_activity "
                "WHERE application_name = 'pawl/" +
                    name + "'"));
        std::vector<pid_t> all;
        for (pid_t pid = 0; pids >> pid;) all.push_back(pid);
        return all;
    }
    void expect_answers_in_time() {
        for (int i = 0; i < 3; ++i) {
            const auto answer = sender.send({.id = "frozen" + std::to_string(++sent)});
            if (answer.status == 200) {
                EXPECT_LT(answer.took, milliseconds(2000));
            } else {
                expect_unavailable(answer);
            }
        }
    }
    // On a machine with other things to do a probe may lose the processor for a while; one that
    // waits for the database is late by seconds, and so are those behind it.
    void expect_to_be_seen_alive() {
        constexpr std::size_t probes = 10;
        for (const std::uint16_t port : {server.port(), server.admin_port()}) {
            std::vector<milliseconds> took;
            for (std::size_t i = 0; i < probes; ++i) {
                const auto answer = HttpClient(port).get("/healthz");
                EXPECT_EQ(answer.status, 200);
                took.push_back(answer.took);
            }
            std::sort(took.begin(), took.end());
            EXPECT_LT(took[probes * 9 / 10], milliseconds(100)) << "port " << port;
            EXPECT_LT(took.back(), milliseconds(1000)) << "port " << port;
        }
    }

    Folder folder;
    Server server{{.data_dir = folder / "data"}};
    DemoSender sender{server.port()};
    std::string url;
    std::vector<pid_t> frozen;
    int sent = 0;
    std::list<Polling> invalid, valid, shops;
};

TEST_F(FaultsFrozen, SendersGet503InTimeAndProbesAreAnsweredAtOnce) {
    freeze(server.postgres_processes());
    for (int round = 0; round < 2; ++round) {
        expect_answers_in_time();
        expect_to_be_seen_alive();
    }
    go_on();
    EXPECT_TRUE(eventually([this] { return sender.send({.id = "after"}).status == 200; }));
}

TEST_F(FaultsFrozen, AnswersAre503WhicheverThreadWaitsForIt) {
    for (const char* name : {"committer", "rejections", "sweeper", "enqueuer", "worker", "upkeep",
                             "work", "admin", "api", "wakeup-listen"}) {
        SCOPED_TRACE(name);
        ASSERT_TRUE(eventually([&] {
            sender.post({{"webhook-id", "unsigned"}}, "{}");  // a rejection to be written
            return !backends(name).empty();
        }));
        freeze(backends(name));
        expect_answers_in_time();
        expect_to_be_seen_alive();
        go_on();
    }
    EXPECT_TRUE(eventually([this] { return sender.send({.id = "after"}).status == 200; }));
}

// It reads the whole journal: repeating it must not take more than one thread and one session.
TEST_F(FaultsFrozen, TheBooksAreVerifiedOneAtATimeAndOperatorsAreServedMeanwhile) {
    const auto verify = [this] {
        return HttpClient(server.admin_port())
            .request("POST", "/admin/v1/verify", bearer(viewer_token), "");
    };
    EXPECT_EQ(verify().status, 200);
    std::atomic<bool> over{false};
    std::list<std::thread> viewers;
    std::array<std::atomic<int>, 600> seen{};
    for (int i = 0; i < 4; ++i) {
        viewers.emplace_back([&] {
            while (!over) ++seen[static_cast<std::size_t>(verify().status)];
        });
    }
    EXPECT_TRUE(eventually([&] { return seen[409] > 3 && seen[200] > 3; }));
    EXPECT_LE(backends("verify").size(), 1U);
    EXPECT_EQ(sender.send({.id = "meanwhile"}).status, 200);
    expect_to_be_seen_alive();
    over = true;
    for (std::thread& viewer : viewers) viewer.join();
    EXPECT_EQ(verify().status, 200);
    EXPECT_EQ(seen[503], 0);
}

}  // namespace
}  // namespace pawl::testing
