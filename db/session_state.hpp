// State of a Session, shared by the few files of this folder that use libpqxx. No file outside db/
// includes it.
#pragma once

#include <fcntl.h>

#include <chrono>
#include <optional>
#include <pqxx/except>
#include <pqxx/nontransaction>
#include <pqxx/transaction>
#include <set>
#include <string>
#include <utility>

#include "base/process.hpp"
#include "db/session.hpp"

namespace pawl::db {

// The URL with TCP timeouts: without them a lost host is noticed after minutes. Excludes standbys.
// Parameters of the URL win.
std::string with_transport_options(const SessionOptions& options);

struct Session::State {
    SessionOptions options;
    std::optional<pqxx::connection> connection;
    // A second descriptor of its socket. libpq closes its own at any time, and the number may be
    // reused a moment later; this one is valid for as long as it may be watched.
    process::Fd socket;
    std::set<std::string, std::less<>> prepared;
    std::uint64_t generation = 0;
    std::uint64_t notices = 0;
    std::chrono::steady_clock::time_point began;  // time of the last statement

    // Drops the connection where the failure leaves its state unknown, and translates.
    [[noreturn]] void fail(FailureKind kind, std::string sqlstate, const std::string& what) {
        Failure failure(kind, std::move(sqlstate), what);
        failure.connection_lost = has_just_ended(failure);
        const bool lost = kind == FailureKind::unreachable || kind == FailureKind::in_doubt;
        if (lost && connection) {
            prepared.clear();
            connection->close();
            socket.reset();
        }
        throw failure;
    }

    // An end that took longer to come is a hung server: a retry would hang as well.
    bool has_just_ended(const Failure& failure) const {
        constexpr std::chrono::milliseconds at_once(500);
        const bool ended = failure.kind == FailureKind::unreachable &&
                           (failure.sqlstate.empty() || failure.sqlstate.starts_with("57P"));
        return ended && connection && std::chrono::steady_clock::now() - began < at_once;
    }

    // The server, or an operator of it, has ended the connection since it was last used.
    bool ended_while_idle();

    void hold_socket() { socket.reset(::fcntl(connection->sock(), F_DUPFD_CLOEXEC, 0)); }

    // The server ends a statement at its own timeout. A statement that is not over well after that
    // never will be, and the result of a COMMIT is then unknown.
    Watchdog::Watch watch() const {
        constexpr std::chrono::milliseconds margin(1000);  // for an answer on a slow wire
        const bool bounded = socket.open() && options.statement_timeout.count() > 0;
        return {bounded ? options.watchdog : nullptr, socket.get(),
                options.statement_timeout + margin};
    }
};

// Runs `work`, and turns every exception of libpqxx into a Failure.
template <class State, class Work>
auto guarded(State& state, Work&& work) -> decltype(work()) {
    state.began = std::chrono::steady_clock::now();
    try {
        const auto watch = state.watch();
        return work();
    } catch (const pqxx::in_doubt_error& e) {
        state.fail(FailureKind::in_doubt, "40003", e.what());
    } catch (const pqxx::insufficient_privilege& e) {
        state.fail(FailureKind::permanent, "42501", e.what());  // libpqxx drops this one's code
    } catch (const pqxx::sql_error& e) {
        state.fail(classify(e.sqlstate()), e.sqlstate(), e.what());
    } catch (const pqxx::broken_connection& e) {
        state.fail(FailureKind::unreachable, "", e.what());
    } catch (const pqxx::failure& e) {
        state.fail(FailureKind::unreachable, "", e.what());
    } catch (const Failure&) {
        throw;
    } catch (const std::exception& e) {
        state.fail(FailureKind::permanent, "", e.what());
    }
}

pqxx::params to_pqxx(ParamList params);

template <class State>
Rows run_prepared(State& state, pqxx::transaction_base& transaction, const Query& query,
                  ParamList params) {
    if (!state.prepared.contains(query.name)) {
        state.connection->prepare(std::string(query.name), std::string(query.text));
        state.prepared.emplace(query.name);
    }
    return Rows(std::make_shared<const pqxx::result>(
        transaction.exec(pqxx::prepped{std::string(query.name)}, to_pqxx(params))));
}

}  // namespace pawl::db
