// The whole configuration: pawl.toml, the provider and gateway files, and the environment, which
// wins. Read once at start and handed down as plain values; no folder below app/ reads files or
// variables of its own. Values; no thread rules.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mode.hpp"
#include "providers/config.hpp"
#include "settings/expand.hpp"
#include "settings/finding.hpp"
#include "settings/source.hpp"
#include "settings/values.hpp"

namespace pawl::app {

struct ServerSettings {
    Mode mode = Mode::live;
    Listen listen{"127.0.0.1", 8080};
    Listen admin_listen{"127.0.0.1", 8081};
    int io_threads = 2;
    std::size_t body_max = 1024 * 1024;
    std::size_t header_lines_max = 100;
    std::size_t header_bytes_max = 32 * 1024;
    Duration header_timeout = std::chrono::seconds(10);
    Duration body_timeout = std::chrono::seconds(20);
    // Keys of the hash chain: the first writes, each verifies. If empty, an embedded database has a
    // key in its data directory, and rows of an external one are not chained.
    std::vector<std::string> chain_keys;
    // Less than the 10 s that container runtimes wait between SIGTERM and SIGKILL.
    Duration drain_timeout = std::chrono::seconds(6);
};

struct DatabaseSettings {
    std::string url;  // empty: an embedded server below data_dir. May hold a password: never print
    std::filesystem::path data_dir = ".pawl";
    int sessions = 4;  // for everything but the committers, which have one each
    // A blocked lock leaves a batch time to continue without the deliveries that need it, and a
    // slow statement leaves it time to be canceled: both before answer_timeout.
    Duration connect_timeout = std::chrono::seconds(2);
    Duration statement_timeout = std::chrono::milliseconds(1200);
    Duration lock_timeout = std::chrono::milliseconds(800);
};

struct ReceiveSettings {
    int committers = 2;
    std::size_t batch_max = 256;
    std::size_t locks_max = 1600;  // limit of a transaction; `serve` takes the database's limit
    std::size_t queue_max = 4096;
    // Providers get an answer within 2 s. The rest of those 2 s is for noticing the timeout, for
    // threads that do not get a processor at once, and for the network.
    Duration answer_timeout = std::chrono::milliseconds(1500);
    // Large enough for the index of the open segment to stay in memory, and small enough for one
    // filter each: a few hundred segments at a billion events.
    std::int64_t segment_events = 3'000'000;
};

// The way to wake the enqueuer when jobs are staged; it polls in any case.
enum class WorkWake { notify, poll };
struct WorkSettings {
    WorkWake wake = WorkWake::notify;
    Duration poll = std::chrono::milliseconds(500);
    Duration lease = std::chrono::seconds(30);
    std::size_t enqueue_max = 500;
    int attempts_max = 30;
    Duration retry_first = std::chrono::seconds(2);
    Duration retry_longest = std::chrono::hours(6);
};

struct RetentionSettings {
    Duration deliveries = std::chrono::days(30);
    Duration rejections = std::chrono::days(7);
    Duration jobs = std::chrono::days(7);               // those that are over; dead ones are kept
    std::size_t rejected_bytes_max = 64 * 1024 * 1024;  // by provider
};

struct LogSettings {
    log::Level level = log::Level::info;
    std::optional<log::Format> format;  // nothing: text on a terminal, else json
};

enum class IdempotencyProfile { ietf, stripe };
struct IdempotencySettings {
    Duration lifetime = std::chrono::days(30);
    IdempotencyProfile profile = IdempotencyProfile::ietf;
};

struct Subscriber {
    std::string name;
    std::string url;
    std::vector<std::string> secrets;
    std::vector<std::string> events;
    bool ordered = false;
    bool allow_private = false;
    int concurrency = 4;
    Duration timeout = std::chrono::seconds(10);
};

// A provider file and the line of each of its keys ("rule[2].effect_key"), for later findings.
struct ProviderFile {
    providers::ProviderConfig config;
    Places places;
    std::string file;
    bool sound = true;  // load() found no error in it
    bool on = true;
    std::string off_because;                  // the reason why it is not served
    std::optional<Finding> missing;           // the first value that the operator has yet to supply
    std::string missing_name;                 // the variable or file that it comes from
    std::vector<std::string> secret_origins;  // origin of each secret, in the words of origin_of()

    Place place_of(std::string path) const;
};

enum class GatewayKind { stripe, adyen, generic };
enum class Replays { all, success, latest };
struct GatewayFile {
    std::string file;
    std::string name;
    std::string books;
    GatewayKind kind = GatewayKind::stripe;
    std::string base_url;
    std::string api_key;
    Duration key_horizon = std::chrono::hours(24);  // default of every kind of call
    std::optional<Duration> charge_horizon, capture_horizon, refund_horizon;
    Replays replays = Replays::all;
    std::string lookup = "after:1h";
    Duration timeout = std::chrono::seconds(10);
    int max_in_flight = 32;
    int max_per_second = 0;  // 0: no limit
    bool allow_private = false;
    Places places;
    bool on = true;            // one that is off must not be called
    std::string off_because;   // in words
    std::string missing_name;  // the variable or file that its first missing value comes from
};

struct Settings {
    std::filesystem::path folder;  // the configuration directory
    bool dev = false;
    ServerSettings server;
    DatabaseSettings database;
    ReceiveSettings receive;
    WorkSettings work;
    RetentionSettings retention;
    LogSettings log;
    IdempotencySettings idempotency;
    std::vector<Subscriber> subscribers;
    std::vector<ProviderFile> providers;  // those that are off included
    std::vector<GatewayFile> gateways;
    std::string admin_token;  // a first token, from the environment; empty: none
    std::string api_token;
    Places places;  // places in pawl.toml

    bool embedded() const { return database.url.empty(); }
};

struct LoadOptions {
    std::string folder;              // --config; empty: PAWL_CONFIG, ./config, /etc/pawl, ...
    bool dev = false;                // as `serve --dev`: the demo's secrets, and test mode
    bool demo_secrets = false;       // accept well-known secrets and supply the demo's, in any mode
    bool accept_well_known = false;  // for offline tools that read documented examples
    bool accept_unbuilt = false;     // rules that are checked here and not executed yet
    bool with_providers = true;      // false: pawl.toml and the environment are enough
    bool beside_server = false;      // if a server runs, use its environment (app/running.hpp)
    Variables variables = process_variables();
};

struct Loaded {
    Settings settings;
    Findings findings;  // sorted by place; settings are to be used only where ok()
    bool ok() const { return !has_errors(findings); }
};

Loaded load(const LoadOptions& options);

// One sentence a line, errors only: what a command prints before it exits with 2.
std::string error_lines(const Findings& findings);

}  // namespace pawl::app
