// Signals as something to wait for. Blocked in every thread, so that none is handled in the middle
// of something: the main thread waits for the first, and the second ends the process at once. One
// object, made before any thread starts.
#pragma once

#include <signal.h>

namespace pawl::app {

class StopSignals {
  public:
    StopSignals();     // blocks SIGTERM, SIGINT and SIGHUP from here on, SIGPIPE for good
    int wait() const;  // returns SIGTERM or SIGINT; SIGHUP is noted in the log and ignored
    void exit_at_second() const;  // from now on, another one ends the process without ceremony

  private:
    sigset_t set_;
};

}  // namespace pawl::app
