#include "app/signals.hpp"

#include <unistd.h>

#include <thread>

namespace pawl::app {

StopSignals::StopSignals() {
    sigemptyset(&set_);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set_, signal);
    pthread_sigmask(SIG_BLOCK, &set_, nullptr);
    signal(SIGPIPE, SIG_IGN);  // a peer that closed is an error of that write, not of the process
}

int StopSignals::wait() const {
    int signal = 0;
    while (sigwait(&set_, &signal) != 0) {
    }
    return signal;
}

void StopSignals::exit_at_second() const {
    std::thread([set = set_] {
        int signal = 0;
        while (sigwait(&set, &signal) != 0) {
        }
        _exit(128 + signal);  // what a shell reports for a program ended by that signal
    }).detach();
}

}  // namespace pawl::app
