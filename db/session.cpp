#include "db/session.hpp"

#include <fmt/core.h>
#include <poll.h>

#include <optional>
#include <pqxx/connection>
#include <set>
#include <utility>

#include "base/fault.hpp"
#include "base/log.hpp"
#include "db/session_state.hpp"
#include "db/sql.hpp"

namespace pawl::db {
namespace {

std::string milliseconds(std::chrono::milliseconds value) {
    return std::to_string(value.count());
}

}  // namespace

std::string with_transport_options(const SessionOptions& options) {
    const auto seconds = std::max<std::int64_t>(2, options.connect_timeout.count() / 1000);
    const std::pair<std::string, std::string> wanted[] = {
        {"connect_timeout", std::to_string(seconds)},
        {"tcp_user_timeout", std::to_string(options.statement_timeout.count() + 500)},
        {"keepalives_idle", "10"},
        {"fallback_application_name", "pawl/" + options.name},
        {"target_session_attrs", "read-write"}};
    const bool uri =
        options.url.starts_with("postgres://") || options.url.starts_with("postgresql://");
    std::string url = options.url;
    for (const auto& [key, value] : wanted) {
        if (url.find(key + "=") != std::string::npos) continue;
        const char* joint = !uri ? " " : url.find('?') == std::string::npos ? "?" : "&";
        url += fmt::format("{}{}={}", joint, key, value);
    }
    return url;
}

SessionOptions for_reports(SessionOptions options) {
    options.finds_by_key = false;
    return options;
}

SessionOptions named(SessionOptions options, std::string name) {
    options.name = std::move(name);
    return options;
}

Session::Session(SessionOptions options) : state_(std::make_unique<State>()) {
    state_->options = std::move(options);
}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

bool Session::connected() const {
    return state_->connection && state_->connection->is_open();
}
std::uint64_t Session::generation() const {
    return state_->generation;
}
const SessionOptions& Session::options() const {
    return state_->options;
}

void Session::disconnect() {
    state_->prepared.clear();
    state_->connection.reset();
    state_->socket.reset();
}

// The end of a connection, and the reason for it, lie unread in its socket. Looking there costs
// less than a microsecond; without it the next one to be served would learn of the end by a
// failure.
bool Session::State::ended_while_idle() {
    constexpr int reads_max = 3;  // a notice, the reason, the end
    for (int i = 0; i < reads_max; ++i) {
        pollfd unread{connection->sock(), POLLIN, 0};
        if (poll(&unread, 1, 0) <= 0) return false;
        try {
            connection->get_notifs();
        } catch (const pqxx::failure&) {
            return true;
        }
    }
    return false;
}

void Session::connect() {
    if (connected() && !state_->ended_while_idle()) return;
    disconnect();
    const auto& watchdog = state_->options.watchdog;
    if (watchdog && !watchdog->may_connect()) {
        throw Failure(FailureKind::unreachable, "", "Pawl is stopping");
    }
    try {
        connect_now();
        if (watchdog) watchdog->note_connected(true);
        if (const auto& check = state_->options.on_connect) check(*this);
    } catch (const Failure&) {
        disconnect();
        if (watchdog) watchdog->note_connected(false);
        throw;
    }
}

void Session::connect_now() {
    guarded(*state_, [this] {
        const SessionOptions& options = state_->options;
        state_->connection.emplace(with_transport_options(options));
        state_->hold_socket();
        const auto watch = state_->watch();  // bounds later operations; connect has its own
        ++state_->generation;
        State* state = state_.get();
        state_->connection->set_notice_handler([state](pqxx::zview notice) noexcept {
            ++state->notices;
            log::debug("notice from the database", {{"notice", std::string_view(notice)}});
        });
        pqxx::nontransaction plain(*state_->connection);
        const sql::ConfigureSession configure{
            .statement_timeout = milliseconds(options.statement_timeout),
            .lock_timeout = milliseconds(options.lock_timeout),
            .idle_timeout = milliseconds(options.idle_in_transaction_timeout),
            .role = options.role.empty() ? "none" : options.role,
            .finds_by_key = options.finds_by_key};
        plain.exec(sql::ConfigureSession::query().text, to_pqxx(configure.parameters()));
    });
}

std::string Session::server_version() {
    return std::string(Statement::run(*this, sql::ServerVersion{}).only().version());
}

Rows Statement::run(Session& session, const Query& query, ParamList params) {
    session.connect();
    return guarded(*session.state_, [&] {
        PAWL_FAULT_POINT_OF(before_lone_statement, query.name);
        pqxx::nontransaction plain(*session.state_->connection);
        return run_prepared(*session.state_, plain, query, params);
    });
}

void Statement::run_script(Session& session, std::string_view script) {
    session.connect();
    guarded(*session.state_, [&] {
        pqxx::nontransaction plain(*session.state_->connection);
        plain.exec(script);
    });
}

}  // namespace pawl::db
