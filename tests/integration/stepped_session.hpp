// A session on a private thread that stops before each statement, and within it at each gate, until
// `step`. For tests that decide in which order two sessions meet the database. Owned and driven by
// one thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "intents/accept/submission.hpp"
#include "tests/integration/gates.hpp"

namespace pawl::testing {

class Stepped {
  public:
    enum class State {
        running,
        before_statement,  // or at a gate: stands, and continues with step()
        blocked,           // waits in the database for a lock that the rival holds
        done,
    };

    explicit Stepped(const TestDatabase& database);  // whose gates are built
    ~Stepped();

    using Work = std::function<std::vector<intents::DeliveryResult>(db::Session&)>;

    void begin(Work work);                               // does it, step by step
    void begin(std::vector<intents::Submission> batch);  // accepts and commits it
    State settle(const Stepped& rival);                  // waits until it is anything but running
    void step();                                         // runs what it stands before
    std::string next_statement();

    // After it is done.
    std::int64_t first_answers() const;  // how many of its answers are not "duplicate"
    const std::string& error() const { return error_; }

  private:
    void run();
    void stop_before(std::string_view statement);
    std::optional<State> stands(std::chrono::microseconds patience);

    db::Session session_;
    db::Session watch_;
    const std::int64_t backend_;
    Gates gates_;
    int at_gate_ = 0;  // 0: at none
    std::string behind_gate_;
    bool blocked_ = false;  // when it was last looked at

    std::mutex mutex_;
    std::condition_variable changed_;
    State state_ = State::done;
    std::string statement_;
    Work work_;
    bool go_ = false;
    bool ending_ = false;
    std::vector<intents::DeliveryResult> answers_;
    std::string error_;
    std::thread thread_;
};

}  // namespace pawl::testing
