#include "settings/signals.hpp"

#include <unistd.h>

#include <thread>

#include "base/log.hpp"

namespace pawl::app {

StopSignals::StopSignals() {
    sigemptyset(&set_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    signal(SIGPIPE, SIG_IGN);  // a peer that closed is an error of that write, not of the process
}

int StopSignals::wait() const {
    for (;;) {
        int signal = 0;
        if (sigwait(&set_, &signal) != 0) continue;
        if (signal != SIGHUP) return signal;
        log::warn(
            "SIGHUP was ignored: the configuration is read at the start only; restart to "
            "change it");
    }
}

void StopSignals::exit_at_second() const {
    std::thread([set = set_]() mutable {
        sigdelset(&set, SIGHUP);  // it stays blocked, and ends nothing
        int signal = 0;
        while (sigwait(&set, &signal) != 0) {
        }
        _exit(128 + signal);  // what a shell reports for a program ended by that signal
    }).detach();
}

}  // namespace pawl::app
