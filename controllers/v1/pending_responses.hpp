// Requests that wait for a payment, a refund or a cancellation to settle. They hold no thread and
// no session: one thread asks the database for all of them at once, when the engine has committed
// something, and by itself a few times a second for as long as there are any: what settles a
// payment may be committed by another process. A wait that runs out is answered with what there is
// by then. `add` and `look` are safe from every thread; `run_once` is what the loop does, and what
// tests drive.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "base/loop.hpp"
#include "controllers/v1/v1.hpp"
#include "db/session.hpp"

namespace pawl::http {

class PendingResponses {
  public:
    PendingResponses(db::SessionOptions session, const Clock& clock,
                     std::chrono::milliseconds interval = std::chrono::milliseconds(250));

    void add(AnswerLater later, Responder respond);
    void add(CancelLater later, Responder respond);

    void start() { loop_.start(); }
    void look();             // something was committed: ask now, if any request waits
    void hurry();            // the server is going: from now on every wait has run out
    void stop();             // hurries, and returns when all of them have been answered
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

    Loop::Pause round();
    template <class Later>
    void put(std::vector<One<Later>>& into, Later later, Responder respond);
    bool has_run_out(Time until, Time now) const;
    void settle_answers(Answers& waiting, Time now);
    void settle_cancels(Cancels& waiting, Time now);
    std::size_t give_up_on_late(Answers& answers, Cancels& cancels, Time now);

    db::Session session_;  // used by the thread that calls run_once
    const Clock& clock_;
    const std::chrono::milliseconds interval_;

    mutable std::mutex mutex_;
    Answers answers_;
    Cancels cancels_;
    std::size_t under_way_ = 0;  // taken out of both by run_once
    bool hurried_ = false;
    Loop loop_;
};

}  // namespace pawl::http
