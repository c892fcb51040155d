// Preloaded into PostgreSQL: every sync takes at least as long as PAWL_BENCH_SYNC_US says, as on a
// disk that is slower than this machine's. It still happens: nothing is less durable for it.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

using Sync = int (*)(int);

Sync real(const char* name) {
    return reinterpret_cast<Sync>(::dlsym(RTLD_NEXT, name));
}

int no_sooner(Sync sync, int file) {
    static const char* const asked = std::getenv("PAWL_BENCH_SYNC_US");
    static const std::chrono::microseconds at_least(asked == nullptr ? 0 : std::atol(asked));
    const auto done_at = std::chrono::steady_clock::now() + at_least;
    const int result = sync(file);
    std::this_thread::sleep_until(done_at);
    return result;
}

}  // namespace

extern "C" int fdatasync(int file) {
    static const Sync sync = real("fdatasync");
    return no_sooner(sync, file);
}

extern "C" int fsync(int file) {
    static const Sync sync = real("fsync");
    return no_sooner(sync, file);
}
