// Requests that wait for a payment, a refund or a cancellation to settle. They hold no thread and
// no session: one thread asks the database for all of them at once, a few times a second, for as
// long as anybody waits. A wait that runs out is answered with what there is by then. `add` is safe
// from every thread; `run_once` is what `start`'s thread does, and what tests drive.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "controllers/v1/v1.hpp"
#include "db/session.hpp"

namespace pawl::http {

class Waiting {
  public:
    Waiting(db::SessionOptions session, const Clock& clock,
            std::chrono::milliseconds interval = std::chrono::milliseconds(25));
    ~Waiting();  // stops

    void add(AnswerLater later, Responder respond);
    void add(CancelLater later, Responder respond);

    void start();
    void hurry();            // the server is going: from now on every wait has run out
    void stop();             // hurries, and returns when everybody has been answered
    std::size_t run_once();  // how many were answered
    std::size_t size() const;

  private:
    template <class Later>
    struct One {
        Later later;
        Responder respond;
    };
    using Answers = std::vector<One<AnswerLater>>;
    using Cancels = std::vector<One<CancelLater>>;

    void run();
    template <class Later>
    void put(std::vector<One<Later>>& into, Later later, Responder respond);
    bool has_run_out(Time until, Time now) const;
    void settle_answers(Answers& waiting, Time now);
    void settle_cancels(Cancels& waiting, Time now);
    std::size_t give_up_on_late(Answers& answers, Cancels& cancels, Time now);

    db::Session session_;  // of whoever calls run_once
    const Clock& clock_;
    const std::chrono::milliseconds interval_;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    Answers answers_;
    Cancels cancels_;
    bool hurried_ = false;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace pawl::http
