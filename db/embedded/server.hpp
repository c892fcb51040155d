// One run of PostgreSQL's server, from its start to its end. Belongs to the thread that started it,
// which must live as long as the server should: the kernel asks it to shut down when that thread
// ends, however it ends, so a killed pawl leaves no server behind.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "base/process.hpp"
#include "base/result.hpp"
#include "db/embedded/options.hpp"
#include "db/embedded/place.hpp"
#include "db/embedded/programs.hpp"

namespace pawl::db::cluster {

class Server {
  public:
    // Returns when it accepts connections, or with the reason why it does not. `given_up` is polled
    // while waiting: recovery may take long, and a stop must not.
    static Result<Server> start(const Place& place, const Programs& programs,
                                const EmbeddedOptions& options,
                                const std::function<bool()>& given_up);

    process::Child& child() { return child_; }
    // Fast shutdown; immediate after stop_limit; killed after that. Returns when it has ended.
    void stop(const EmbeddedOptions& options);
    // Exit status and last output of the server.
    std::string last_words() const;

  private:
    Server(process::Child child, std::string log, std::uint64_t log_start)
        : child_(std::move(child)), log_(std::move(log)), log_start_(log_start) {}

    Result<void> await_ready(const Place& place, const EmbeddedOptions& options,
                             const std::function<bool()>& given_up);
    Error failed(const Place& place, const std::string& how) const;

    process::Child child_;
    std::string log_;
    std::uint64_t log_start_ = 0;
};

}  // namespace pawl::db::cluster
