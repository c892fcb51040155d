// Signals as events to wait for. They are blocked in every thread, so that none interrupts a step:
// the main thread waits for the first, and the second ends the process at once. One object, made
// before any thread starts.
#pragma once

#include <signal.h>

namespace pawl::app {

class StopSignals {
  public:
    StopSignals();     // blocks SIGTERM, SIGINT and SIGHUP from here on, SIGPIPE permanently
    int wait() const;  // returns SIGTERM or SIGINT; SIGHUP is noted in the log and ignored
    void exit_at_second() const;  // from now on, another one ends the process at once

  private:
    sigset_t set_;
};

}  // namespace pawl::app
