// SIGTERM with everything in its way that clients, a payment API, a subscriber and the database can
// put there, alone and all together, while deliveries come in: the server ends in time and with 0,
// leaves no lease while the database can be reached, and has lost nothing that it answered 200.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>

#include <atomic>
#include <optional>
#include <thread>

#include "tests/e2e/database_proxy.hpp"
#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/foreign_clients.hpp"
#include "tests/e2e/http_client.hpp"
#include "tests/e2e/pay_case.hpp"
#include "tests/e2e/sandbox_program.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

sockaddr_in address_of(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// The kernel accepts its connections; no program does, and no answer ever comes.
class Hanging {
  public:
    Hanging() : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address = address_of(0);
        socklen_t size = sizeof address;
        const auto raw = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(bind(fd_.get(), raw, size), 0);
        EXPECT_EQ(listen(fd_.get(), 64), 0);
        EXPECT_EQ(getsockname(fd_.get(), raw, &size), 0);
        port_ = ntohs(address.sin_port);
    }
    std::uint16_t port() const { return port_; }

  private:
    process::Fd fd_;
    std::uint16_t port_ = 0;
};

// Asks for more than its buffers take, and reads nothing.
class Unreading {
  public:
    explicit Unreading(std::uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        const int small = 4096;
        setsockopt(fd_.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        const sockaddr_in to = address_of(port);
        EXPECT_EQ(connect(fd_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
        std::string requests;
        for (int i = 0; i < 500; ++i) requests += "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n";
        EXPECT_GT(::send(fd_.get(), requests.data(), requests.size(), MSG_DONTWAIT), 0);
    }

  private:
    process::Fd fd_;
};

// Sends one delivery after the other on a connection that stays, until the server has gone.
class Load {
  public:
    Load(std::uint16_t port, std::string name)
        : thread_([this, port, name = std::move(name)] {
              DemoSender sender(port);
              for (int i = 0; !over_; ++i) {
                  const std::string id = name + std::to_string(i);
                  const int status = sender.send({.id = id, .account = "load:" + name}).status;
                  if (status == 200) ++accepted_;
                  if (status == 0) return;
                  EXPECT_TRUE(status == 200 || status == 503) << status;
              }
          }) {}
    ~Load() { accepted(); }
    int so_far() const { return accepted_; }
    int accepted() {
        over_ = true;
        if (thread_.joinable()) thread_.join();
        return accepted_;
    }

  private:
    std::atomic<int> accepted_{0};
    std::atomic<bool> over_{false};
    std::thread thread_;
};

enum class Wire { carries, refuses, hangs };

struct InTheWay {
    const char* name;
    milliseconds at_most;
    bool half_requests = false;
    bool gateway = false;
    bool subscriber = false;
    bool unreading = false;
    Wire database = Wire::carries;
};

class ServerStop : public ::testing::TestWithParam<InTheWay> {
  protected:
    ServerStop() {
        point_gateway_at(config, hanging.port(), "30s");
        write_text(config + "/pawl.toml",
                   "\n[[subscriber]]\nname = \"shop\"\nurl = \"http://127.0.0.1:" +
                       std::to_string(hanging.port()) +
                       "/\"\nsecrets = [\"whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\"]\n"
                       "allow_private = true\nevents = [\"" +
                       (GetParam().subscriber ? "*" : "refund.succeeded") + "\"]\n",
                   true);
    }

    // Put there before the signal, and seen to be there.
    void put_in_the_way(const InTheWay& what) {
        if (what.half_requests) {
            half.emplace_back(server.port()).send("POST /webhooks/demo HTTP/1.1\r\nHost: a\r\nX-");
            half.emplace_back(server.port())
                .send(
                    "POST /webhooks/demo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf "
                    "of");
            half.emplace_back(server.admin_port()).send("GET /met");
        }
        // Their bytes have been read where a later connection of each thread has been answered.
        for (int i = 0; i < 10; ++i) {
            ASSERT_EQ(HttpClient(server.port()).get("/healthz").status, 200);
            ASSERT_EQ(HttpClient(server.admin_port()).get("/healthz").status, 200);
        }
        if (what.unreading) unreading.emplace(server.admin_port());
        if (what.gateway) {
            db::Session session(database.options());
            begin_payment(session, "o1");
            ASSERT_TRUE(
                eventually([&] { return value("SELECT sum(sends) FROM external_calls") == "1"; }));
        }
        if (what.subscriber) {
            ASSERT_TRUE(eventually([&] { return leases("jobs") != "0"; }));
        }
        const auto mode =
            what.database == Wire::hangs ? DatabaseProxy::Mode::hold : DatabaseProxy::Mode::refuse;
        if (what.database != Wire::carries) wire.set(mode);
    }
    std::string value(const std::string& sql) { return database.value(sql); }
    std::string leases(const std::string& table) {
        return value("SELECT count(*) FROM " + table + " WHERE locked_until > now()");
    }
    void stop_within(milliseconds limit) {
        const auto began = std::chrono::steady_clock::now();
        server.signal(SIGTERM);
        EXPECT_TRUE(server.ended_within(patience));
        const auto took =
            std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began);
        std::printf("  %s: %ld ms\n", GetParam().name, static_cast<long>(took.count()));
        EXPECT_LT(took, limit);
        EXPECT_EQ(server.how_it_ended(), "exited with 0");
    }

    Hanging hanging;
    Folder folder;
    TestDatabase database;
    DatabaseProxy wire{database.url()};
    const std::string config = copied_config(folder);
    Server server{{.data_dir = folder / "data", .database_url = wire.url(), .config = config}};
    std::vector<RawConnection> half;
    std::optional<Unreading> unreading;
};

TEST_P(ServerStop, EndsInTimeWithoutALeaseAndLosesNothing) {
    const InTheWay& what = GetParam();
    server.start();
    Load load(server.port(), "a");
    ASSERT_TRUE(eventually([&] { return load.so_far() > 20; }));
    ASSERT_NO_FATAL_FAILURE(put_in_the_way(what));
    stop_within(what.at_most);
    for (const RawConnection& one : half) {
        EXPECT_NE(one.read_to_its_end().find("503"), std::string::npos);
    }
    EXPECT_EQ(value("SELECT count(*) FROM transfers WHERE credit_account = 'load:a'"),
              value("SELECT count(*) FROM webhook_intents WHERE account = 'load:a'"));
    EXPECT_LE(load.accepted(),
              std::stoi(value("SELECT count(*) FROM webhook_intents WHERE account = 'load:a'")));
    if (what.database != Wire::carries) return;  // its leases end by their time
    EXPECT_EQ(leases("workflow_runs"), "0");
    EXPECT_EQ(leases("jobs"), "0");
    EXPECT_EQ(value("SELECT coalesce(min(state), 'none') FROM payments"),
              what.gateway ? "unknown" : "none");
}

// A sanitizer's checks take their time; what the server itself waits for is the same.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr milliseconds soon{6000};
#else
constexpr milliseconds soon{2000};  // nothing is waited for but what is on its way
#endif
constexpr milliseconds drained{8500};  // calls get the drain time, and are then written down
constexpr milliseconds at_the_end{9000};

INSTANTIATE_TEST_SUITE_P(
    With, ServerStop,
    ::testing::Values(
        InTheWay{"NothingInTheWay", soon}, InTheWay{"HalfRequests", soon, true},
        InTheWay{"AGatewayThatHangs", drained, false, true},
        InTheWay{"ASubscriberThatHangs", drained, false, false, true},
        InTheWay{"AnOperatorWhoReadsNothing", soon, false, false, false, true},
        InTheWay{"ADatabaseThatIsAway", at_the_end, false, false, false, false, Wire::refuses},
        InTheWay{"ADatabaseThatHangs", at_the_end, false, false, false, false, Wire::hangs},
        InTheWay{"AllOfIt", at_the_end, true, true, true, true},
        InTheWay{"AllOfItAndTheDatabaseAway", at_the_end, true, true, true, true, Wire::refuses},
        InTheWay{"AllOfItAndTheDatabaseHanging", at_the_end, true, true, true, true, Wire::hangs}),
    [](const auto& tested) { return std::string(tested.param.name); });

using ServerSignals = ServerStop;

TEST_P(ServerSignals, ReloadIsNotThereYetAndASighupEndsNothing) {
    server.start();
    server.signal(SIGHUP);
    EXPECT_TRUE(
        eventually([&] { return server.said().find("SIGHUP was ignored") != std::string::npos; }));
    EXPECT_EQ(DemoSender(server.port()).send({.id = "e1"}).status, 200);
    stop_within(GetParam().at_most);
}

INSTANTIATE_TEST_SUITE_P(With, ServerSignals, ::testing::Values(InTheWay{"ASighup", soon}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
}  // namespace pawl::testing
