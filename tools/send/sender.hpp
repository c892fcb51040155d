// Posts deliveries over several keep-alive connections from one thread, as a provider would: a
// delivery without an acknowledgement (503 or no answer) is posted again with the same bytes until
// its time is over. Owned by a command, which calls `run` once.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "tools/send/http_connection.hpp"
#include "tools/send/requests.hpp"
#include "tools/send/tally.hpp"

namespace pawl::app {

struct SenderOptions {
    std::size_t connections = 16;
    double per_second = 0;  // 0: as fast as answers come
    Duration retry_for = std::chrono::seconds(5);
    Duration answer_within = std::chrono::seconds(10);
};

class Sender {
  public:
    // Returns the next delivery; nullopt at the end. `at` is filled in when it is signed.
    using Next = std::function<std::optional<Parcel>()>;

    Sender(const SenderOptions& options, std::vector<Address> addresses, const Requests& requests,
           Next next, const Clock& clock);
    ~Sender();
    Sender(const Sender&) = delete;
    Sender& operator=(const Sender&) = delete;

    // Returns when every delivery was answered or abandoned. `watch` is called for progress.
    Tally run(const std::function<void(const Tally&)>& watch);

  private:
    using Steady = std::chrono::steady_clock::time_point;
    struct Job;
    struct Line;

    void open_lines(Steady now);
    void open(Line& line, Steady now);
    void dispatch(Steady now);
    std::optional<Job> next_job(Steady now);
    std::optional<Job> fresh_job(Steady now);
    Steady next_due() const;  // where the pace is fixed
    void post(Line& line, Job job, Steady now);
    void react(Line& line, HttpConnection::Happened happened, Steady now);
    void on_answer(Line& line, Steady now);
    void on_break(Line& line, Steady now);
    void again_later(Job job, Steady now, Duration pause);
    void wait(Steady now);
    void tend(Steady now);
    bool finished(Steady now) const;
    Duration until_next_event(Steady now) const;

    const SenderOptions options_;
    const std::vector<Address> addresses_;
    const Requests& requests_;
    Next next_;
    const Clock& clock_;
    int poll_ = -1;
    std::deque<Line> lines_;  // addresses stay put: the poll descriptor holds them
    std::vector<Line*> idle_;
    std::multimap<Steady, Job> later_;
    std::size_t in_flight_ = 0;
    std::size_t begun_ = 0;  // deliveries taken from `next_`
    bool exhausted_ = false;
    Steady began_{};
    Steady tended_{};
    Steady last_alive_{};  // when a connection last opened or answered
    Tally tally_;
};

}  // namespace pawl::app
