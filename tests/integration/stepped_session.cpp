#include "tests/integration/stepped_session.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/fault.hpp"
#include "tests/support/events.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

// Longer than the test holds the other session, so that no wait ends by its timeout.
constexpr milliseconds long_enough(120000);
constexpr std::chrono::microseconds most_statements_take(300);
constexpr std::chrono::microseconds at_once(0);

db::SessionOptions patient(db::SessionOptions options) {
    options.statement_timeout = long_enough;
    options.lock_timeout = long_enough;
    options.idle_in_transaction_timeout = long_enough;
    return options;
}

std::int64_t backend_of(db::Session& session) {
    constexpr db::Query who{"test_backend", "SELECT pg_backend_pid()"};
    return db::Statement::run(session, who).number();
}

}  // namespace

Stepped::Stepped(const TestDatabase& database)
    : session_(patient(database.options())),
      watch_(database.owner()),
      backend_(backend_of(session_)),
      gates_(watch_, backend_) {
    db::Statement::run_script(session_, "SET synchronous_commit = off");  // thousands of commits
    db::Statement::run_script(session_, Gates::passing);
    thread_ = std::thread([this] { run(); });
}

Stepped::~Stepped() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    watch_.disconnect();  // opens the gates
    changed_.notify_all();
    thread_.join();
}

void Stepped::begin(std::vector<intents::Submission> batch) {
    begin([batch = std::move(batch)](db::Session& session) { return commit(session, batch); });
}

void Stepped::begin(Work work) {
    {
        const std::lock_guard lock(mutex_);
        state_ = State::running;
        work_ = std::move(work);
    }
    changed_.notify_all();
}

void Stepped::run() {
    fault::set_observer([this](std::string_view point, std::string_view what) {
        if (point == "before_statement") stop_before(what);
        // A transaction of its own, which no declaration of the statement alone would cover.
        if (point == "before_lone_statement") stop_before("alone: " + std::string(what));
    });
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return work_ || ending_; });
        if (ending_) return;
        const Work work = std::exchange(work_, {});
        lock.unlock();
        std::string error;
        std::vector<intents::DeliveryResult> answers;
        try {
            answers = work(session_);
        } catch (const std::exception& thrown) {
            error = thrown.what();
        }
        lock.lock();
        answers_ = std::move(answers);
        error_ = std::move(error);
        state_ = State::done;
        changed_.notify_all();
    }
}

void Stepped::stop_before(std::string_view statement) {
    std::unique_lock lock(mutex_);
    state_ = State::before_statement;
    statement_ = statement;
    changed_.notify_all();
    changed_.wait(lock, [this] { return go_ || ending_; });
    go_ = false;
    state_ = State::running;
}

std::optional<Stepped::State> Stepped::stands(std::chrono::microseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return state_ != State::running; });
    return state_ == State::running ? std::nullopt : std::optional(state_);
}

// Two looks in a row may find it neither standing nor waiting: it runs, however long that takes. A
// session that waited is looked up in the database first: few steps release its lock.
Stepped::State Stepped::settle(const Stepped& rival) {
    if (at_gate_ != 0) return State::before_statement;
    const auto give_up = std::chrono::steady_clock::now() + long_enough;
    for (auto patience = blocked_ ? at_once : most_statements_take;;
         patience = most_statements_take) {
        blocked_ = false;
        if (const auto state = stands(patience)) return *state;
        const Gates::Wait wait = gates_.look(rival.backend_);
        at_gate_ = wait.gate;
        blocked_ = wait.for_rival;
        if (at_gate_ != 0) {
            behind_gate_ = wait.what;
            return State::before_statement;
        }
        if (wait.for_rival) return State::blocked;
        if (std::chrono::steady_clock::now() > give_up) {
            throw std::runtime_error("a session neither continues nor waits for its rival");
        }
    }
}

void Stepped::step() {
    if (at_gate_ != 0) {
        gates_.open(std::exchange(at_gate_, 0));
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        go_ = true;
        state_ = State::running;
    }
    changed_.notify_all();
}

std::string Stepped::next_statement() {
    if (at_gate_ != 0) return behind_gate_;
    const std::lock_guard lock(mutex_);
    return statement_;
}

std::int64_t Stepped::first_answers() const {
    std::int64_t count = 0;
    for (const intents::DeliveryResult& answer : answers_) {
        count += std::count_if(answer.begin(), answer.end(),
                               [](const auto& one) { return !one.duplicate; });
    }
    return count;
}

}  // namespace pawl::testing
