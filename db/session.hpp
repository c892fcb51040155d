// One connection to PostgreSQL, for one thread. It connects when first used and again after it
// broke; a broken connection is thrown away, never repaired, because its state is unknown. Owned by
// the thread that uses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/hash_chain.hpp"
#include "db/failure.hpp"
#include "db/parameter.hpp"
#include "db/query.hpp"
#include "db/rows.hpp"
#include "db/watchdog.hpp"

namespace pawl::db {

class ChainAppender;
class ChainWriter;

class Session;

struct SessionOptions {
    std::string url;   // a libpq URI or conninfo; several hosts allowed
    std::string name;  // shown in pg_stat_activity, as pawl/<name>
    std::string role;  // SET ROLE after connecting; empty: keep the URL's user
    // Every statement finds its rows by an index, in its order: no plan may read a whole table,
    // however small it was when the plan was made. Otherwise every statement is planned for its
    // values, as lists with optional filters need.
    bool finds_by_key = false;
    std::chrono::milliseconds connect_timeout{2000};
    std::chrono::milliseconds statement_timeout{1500};
    std::chrono::milliseconds lock_timeout{1000};
    std::chrono::milliseconds idle_in_transaction_timeout{10000};
    // Cuts the connection if the server does not even report a timeout.
    std::shared_ptr<Watchdog> watchdog{};
    // Chains the rows that transactions append; none: they are written without.
    std::shared_ptr<ChainWriter> chain{};
    // Runs on each new connection before it is used; a failover may have lost commits.
    std::function<void(Session&)> on_connect{};
};

SessionOptions for_reports(SessionOptions options);  // the same, but not by key
SessionOptions named(SessionOptions options, std::string name);

class Session {
  public:
    explicit Session(SessionOptions options);
    ~Session();
    Session(Session&&) noexcept;
    Session& operator=(Session&&) noexcept;

    // Throws Failure. Does nothing if connected; a connection that the server has ended since it
    // was last used is replaced.
    void connect();
    void disconnect();  // throws nothing
    bool connected() const;
    // Counts connections made. A cache of database facts compares this, and is emptied when it
    // moved: a failover may lose committed data.
    std::uint64_t generation() const;
    const SessionOptions& options() const;
    std::string server_version();

  private:
    friend class Transaction;
    friend class Statement;
    struct State;
    void connect_now();
    std::unique_ptr<State> state_;
};

// A transaction: rolled back unless committed. Do not keep one open over anything but queries.
class Transaction {
  public:
    explicit Transaction(Session& session);
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;

    template <TypedStatement S>
    RowsOf<typename S::Row> run(const S& statement) {
        const auto parameters = statement.parameters();
        return RowsOf<typename S::Row>(run(S::query(), parameters));
    }
    // For queries that no .sql file holds: those of tests.
    Rows run(const Query& query, ParamList params = {});
    // Text that is not a generated statement: migrations, SET LOCAL. Never with foreign input in
    // it.
    void run_script(std::string_view script);
    void commit();  // Failure{in_doubt} when the answer was lost
    // The chain that this transaction's rows of the table join; nullptr: none is kept.
    ChainAppender* chain_of(chain::Table table);

  private:
    void end_commit();
    Session& session_;
    struct State;
    std::unique_ptr<State> state_;
};

// One statement outside any transaction block, as some commands of PostgreSQL require.
class Statement {
  public:
    template <TypedStatement S>
    static RowsOf<typename S::Row> run(Session& session, const S& statement) {
        const auto parameters = statement.parameters();
        return RowsOf<typename S::Row>(run(session, S::query(), parameters));
    }
    static void run_script(Session& session, std::string_view script);
    static Rows run(Session& session, const Query& query, ParamList params = {});
};

// Runs `work` in a transaction and commits it; tries again, with jitter, where the retry table says
// that the same may pass. An in-doubt commit is re-entered too: `work` must begin with its own
// claim, whose unique row shows whether the first one took effect. A connection that ends under
// `work` is replaced, once.
void in_transaction(Session& session, const std::function<void(Transaction&)>& work);

}  // namespace pawl::db
