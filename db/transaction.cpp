#include <chrono>
#include <list>
#include <thread>
#include <utility>

#include "base/fault.hpp"
#include "base/log.hpp"
#include "base/rng.hpp"
#include "db/chain/writer.hpp"
#include "db/session_state.hpp"

namespace pawl::db {

pqxx::params to_pqxx(ParamList params) {
    pqxx::params out;
    out.reserve(params.size());
    for (const Param* one : params) {
        const Param& param = *one;
        switch (param.form) {
            case Param::Form::null:
                out.append();
                break;
            case Param::Form::text:
                out.append(pqxx::zview(param.value));  // not copied: they outlive the call
                break;
            case Param::Form::binary:
                out.append(pqxx::bytes_view(reinterpret_cast<const std::byte*>(param.value.data()),
                                            param.value.size()));
                break;
        }
    }
    return out;
}

struct Transaction::State {
    explicit State(pqxx::connection& connection) : work(connection) {}
    std::list<ChainAppender> chains;  // released after the end of `work`
    pqxx::work work;
};

Transaction::Transaction(Session& session) : session_(session) {
    const auto begin = [this] {
        session_.connect();
        guarded(*session_.state_,
                [this] { state_ = std::make_unique<State>(*session_.state_->connection); });
    };
    try {
        begin();
    } catch (const Failure& failure) {
        if (!failure.connection_lost) throw;
        begin();  // nothing has been done yet
    }
}

Transaction::~Transaction() {
    const auto watch = session_.state_->watch();  // bounds a ROLLBACK, too
    state_.reset();
}

Rows Transaction::run(const Query& query, ParamList params) {
    return guarded(*session_.state_, [&] {
        PAWL_FAULT_POINT_OF(before_statement, query.name);
        return run_prepared(*session_.state_, state_->work, query, params);
    });
}

void Transaction::run_script(std::string_view script) {
    guarded(*session_.state_, [&] { state_->work.exec(script); });
}

ChainAppender* Transaction::chain_of(chain::Table table) {
    const auto& writer = session_.options().chain;
    if (!writer) return nullptr;
    for (ChainAppender& taken : state_->chains) {
        if (taken.table() == table) return &taken;
    }
    return &state_->chains.emplace_back(writer, table);
}

void Transaction::commit() {
    try {
        end_commit();
    } catch (const Failure&) {
        for (ChainAppender& chain : state_->chains) chain.in_doubt();
        throw;
    }
    for (ChainAppender& chain : state_->chains) {
        PAWL_FAULT_POINT(after_commit_before_chain_head);
        chain.committed();
    }
}

void Transaction::end_commit() {
    guarded(*session_.state_, [this] {
        PAWL_FAULT_POINT_OF(before_statement, "commit");
        const std::uint64_t notices_before = session_.state_->notices;
        state_->work.commit();
        // A COMMIT that was cancelled while it waited for its synchronous standby is reported as
        // done, with nothing but a warning. It is not known to be durable there.
        if (session_.state_->notices != notices_before) {
            session_.state_->fail(FailureKind::in_doubt, "40003",
                                  "COMMIT was answered with a warning: not known to be durable");
        }
    });
}

void in_transaction(Session& session, const std::function<void(Transaction&)>& work) {
    constexpr int attempts_max = 6;
    SecureRng rng;
    bool replaced = false;  // the connection, once
    for (int attempt = 1;; ++attempt) {
        try {
            Transaction transaction(session);
            work(transaction);
            transaction.commit();
            return;
        } catch (const Failure& failure) {
            const bool again = failure.kind == FailureKind::retry ||
                               failure.kind == FailureKind::unique ||
                               failure.kind == FailureKind::in_doubt ||
                               (failure.connection_lost && !std::exchange(replaced, true));
            if (!again || attempt == attempts_max) throw;
            log::debug("transaction retried",
                       {{"attempt", attempt}, {"sqlstate", failure.sqlstate}});
        }
        // Full jitter: two that collided must not collide again in step.
        const auto ceiling_ms = std::uint64_t{1} << static_cast<unsigned>(attempt);
        std::this_thread::sleep_for(std::chrono::milliseconds(rng.below(ceiling_ms)));
    }
}

}  // namespace pawl::db
