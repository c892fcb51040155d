#include "tests/integration/stepped_session.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/fault.hpp"
#include "tests/support/events.hpp"

namespace pawl::testing {
namespace {

using std::chrono::milliseconds;

// No wait may end by its own time-out while a test holds the other session still.
constexpr milliseconds long_enough(120000);
constexpr std::chrono::microseconds most_statements_take(300);

// Statements that nothing another session does here can touch: two append rows with numbers of
// their own, one reads a table that nobody writes. They run together with the one before, which
// leaves out only schedules that differ in nothing.
constexpr std::array<std::string_view, 3> alone = {"intents_write_deliveries", "jobs_stage_jobs",
                                                   "intents_paused_providers"};

db::SessionOptions patient(db::SessionOptions options) {
    options.finds_by_key = true;  // as a committer's
    options.statement_timeout = long_enough;
    options.lock_timeout = long_enough;
    options.idle_in_transaction_timeout = long_enough;
    return options;
}

}  // namespace

Stepped::Stepped(db::SessionOptions options)
    : session_(patient(options)), watch_(patient(std::move(options))) {
    constexpr db::Query who{"test_backend", "SELECT pg_backend_pid()"};
    backend_ = db::Statement::run(session_, who).only().number(0);
    thread_ = std::thread([this] { run(); });
}

Stepped::~Stepped() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
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
        const bool statement = point == "before_statement" || point == "before_lone_statement";
        if (statement) stop_before(what);
    });
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return work_ || ending_; });
        if (ending_) return;
        const Work work = std::exchange(work_, {});
        lock.unlock();
        std::string error;
        std::vector<intents::Answer> answers;
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
    if (std::find(alone.begin(), alone.end(), statement) != alone.end()) return;
    std::unique_lock lock(mutex_);
    state_ = State::before_statement;
    statement_ = statement;
    changed_.notify_all();
    changed_.wait(lock, [this] { return go_ || ending_; });
    go_ = false;
    state_ = State::running;
}

// The table of locks, not the view of waits: it changes with the very release of a lock.
bool Stepped::waits_for_a_lock() {
    constexpr db::Query query{"test_waits",
                              "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = $1::int "
                              "AND NOT granted)"};
    return db::Statement::run(watch_, query, db::Params().number(backend_)).only().flag(0);
}

Stepped::State Stepped::settle() {
    const auto give_up = std::chrono::steady_clock::now() + long_enough;
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait_for(lock, most_statements_take,
                              [this] { return state_ != State::running; });
            if (state_ != State::running) return state_;
        }
        if (waits_for_a_lock()) return State::blocked;
        if (std::chrono::steady_clock::now() > give_up) {
            throw std::runtime_error("a session neither goes on nor waits for a lock");
        }
    }
}

void Stepped::step() {
    {
        const std::lock_guard lock(mutex_);
        go_ = true;
        state_ = State::running;
    }
    changed_.notify_all();
}

std::string Stepped::next_statement() {
    const std::lock_guard lock(mutex_);
    return statement_;
}

std::int64_t Stepped::first_answers() const {
    std::int64_t count = 0;
    for (const intents::Answer& answer : answers_) {
        count += std::count_if(answer.begin(), answer.end(),
                               [](const auto& one) { return !one.duplicate; });
    }
    return count;
}

}  // namespace pawl::testing
