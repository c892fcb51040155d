// pawl.toml: one function a section, one line a key.
#include <fmt/core.h>

#include "base/money.hpp"
#include "settings/database_url.hpp"
#include "settings/files.hpp"

namespace pawl::app {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;

void read_server(TableReader& root, ServerSettings& into) {
    auto server = root.table("server");
    if (!server) return;
    server->choice<Mode>("mode", into.mode, {{"live", Mode::live}, {"test", Mode::test}});
    read_listen(*server, "listen", into.listen);
    read_listen(*server, "admin_listen", into.admin_listen);
    server->whole("io_threads", into.io_threads, {1, 64});
    server->size("body_max", into.body_max, {kib, 64 * mib});
    server->whole("header_lines_max", into.header_lines_max, {16, 1000});
    server->size("header_bytes_max", into.header_bytes_max, {4 * kib, mib});
    server->duration("header_timeout", into.header_timeout, {seconds(1), minutes(5)});
    server->duration("body_timeout", into.body_timeout, {seconds(1), minutes(10)});
    server->duration("drain_timeout", into.drain_timeout, {seconds(1), minutes(10)});
    server->texts("chain_keys", into.chain_keys);
    server->finish();
}

void read_database(TableReader& root, DatabaseSettings& into) {
    auto database = root.table("database");
    if (!database) return;
    if (database->text("url", into.url)) {
        const auto fault = fault_of_database_url(into.url);
        if (fault) database->wrong("url", "is " + fault->condition, fault->remedy);
    }
    std::string data_dir;
    if (database->text("data_dir", data_dir)) into.data_dir = data_dir;
    database->whole("sessions", into.sessions, {1, 256});
    database->duration("connect_timeout", into.connect_timeout, {seconds(1), minutes(1)});
    database->duration("statement_timeout", into.statement_timeout, {milliseconds(100), hours(1)});
    database->duration("lock_timeout", into.lock_timeout, {milliseconds(50), hours(1)});
    database->finish();
    if (into.lock_timeout > into.statement_timeout) {
        database->wrong(
            "lock_timeout",
            fmt::format("({}) is longer than statement_timeout ({})",
                        pawl::to_text(into.lock_timeout), pawl::to_text(into.statement_timeout)),
            "make it shorter: at this length a wait for a lock cannot be told apart from a slow "
            "query");
    }
}

void read_receive(TableReader& root, ReceiveSettings& into) {
    auto receive = root.table("receive");
    if (!receive) return;
    receive->whole("committers", into.committers, {1, 64});
    receive->whole("batch_max", into.batch_max, {1, 10000});
    receive->whole("queue_max", into.queue_max, {1, 1000000});
    // The answer must be at the sender within 2 s, not begin its way there.
    receive->duration("answer_timeout", into.answer_timeout,
                      {milliseconds(100), milliseconds(1800)});
    receive->whole("segment_events", into.segment_events, {10, 1'000'000'000});
    receive->finish();
}

void read_work(TableReader& root, WorkSettings& into) {
    auto work = root.table("work");
    if (!work) return;
    work->choice<WorkWake>("wake", into.wake,
                           {{"notify", WorkWake::notify}, {"poll", WorkWake::poll}});
    work->duration("poll", into.poll, {milliseconds(10), minutes(1)});
    work->duration("lease", into.lease, {seconds(3), hours(1)});
    work->whole("enqueue_max", into.enqueue_max, {1, 10000});
    work->whole("attempts_max", into.attempts_max, {1, 1000});
    work->duration("retry_first", into.retry_first, {milliseconds(1), hours(1)});
    work->duration("retry_longest", into.retry_longest, {seconds(1), hours(24 * 7)});
    work->finish();
}

void read_retention(TableReader& root, RetentionSettings& into) {
    auto retention = root.table("retention");
    if (!retention) return;
    retention->duration("deliveries", into.deliveries, {hours(24)});
    retention->duration("rejections", into.rejections, {hours(1)});
    retention->duration("jobs", into.jobs, {hours(1)});
    retention->size("rejected_bytes_max", into.rejected_bytes_max, {0, 64 * 1024 * mib});
    retention->finish();
}

void read_log(TableReader& root, LogSettings& into) {
    using log::Format;
    using log::Level;
    auto section = root.table("log");
    if (!section) return;
    section->choice<Level>("level", into.level,
                           {{"trace", Level::trace},
                            {"debug", Level::debug},
                            {"info", Level::info},
                            {"warn", Level::warn},
                            {"error", Level::error}});
    Format format = Format::json;
    if (section->choice<Format>("format", format, {{"text", Format::text}, {"json", Format::json}}))
        into.format = format;
    section->finish();
}

void read_idempotency(TableReader& root, IdempotencySettings& into) {
    using Profile = IdempotencyProfile;
    auto section = root.table("idempotency");
    if (!section) return;
    section->duration("lifetime", into.lifetime, {hours(24)});
    section->choice<Profile>("profile", into.profile,
                             {{"ietf", Profile::ietf}, {"stripe", Profile::stripe}});
    section->finish();
}

}  // namespace

void read_subscribers(TableReader& root, std::vector<Subscriber>& into);

void read_program(TableReader& root, Settings& into) {
    read_server(root, into.server);
    read_database(root, into.database);
    read_receive(root, into.receive);
    read_work(root, into.work);
    read_retention(root, into.retention);
    read_log(root, into.log);
    read_idempotency(root, into.idempotency);
    read_subscribers(root, into.subscribers);
    root.finish();
}

}  // namespace pawl::app
