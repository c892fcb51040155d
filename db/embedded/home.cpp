#include "db/embedded/home.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "db/embedded/files.hpp"

namespace pawl::db::cluster {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::milliseconds poll_every{20};
// Between the lock and its note, and between the note's end and the lock's, are a few microseconds;
// on a machine with too much to do, more.
constexpr std::chrono::milliseconds note_limit{1000};
// A file that is open for reading can be locked: a user that may open this one could keep every
// server from starting.
constexpr mode_t lock_mode = 0600;

std::string lock_path(const std::string& data_dir) {
    return data_dir + "/pawl.lock";
}
std::string state_path(const std::string& data_dir) {
    return data_dir + "/embedded.state";
}

Error taken(const std::string& data_dir, const Holder& holder) {
    return refused("the data directory " + data_dir + " is in use by pawl " + holder.purpose +
                   " (pid " + std::to_string(holder.pid) +
                   "): stop that, or give this one a PAWL_DATA_DIR of its own");
}

}  // namespace

Result<std::string> make_data_dir(const std::string& data_dir) {
    std::error_code failed;
    auto full = fs::absolute(data_dir, failed).lexically_normal();
    if (!full.has_filename()) full = full.parent_path();
    bool made = fs::create_directories(full, failed);
    if (failed) return cannot("make the data directory", full.string(), failed.value());
    // Root's server runs as another user, which must be able to pass through, not to list.
    if (made) chmod(full.c_str(), geteuid() == 0 ? 0711 : 0700);
    auto real = fs::canonical(full, failed);
    if (failed) return cannot("find the data directory", full.string(), failed.value());
    return real.string();
}

Result<Lock> Lock::open(const std::string& data_dir) {
    auto path = lock_path(data_dir);
    auto fd = open_no_link(path, O_RDWR | O_CREAT, lock_mode);
    if (!fd) return fd.error();
    give_to_owner_of(data_dir, fd->get());
    // An earlier version made it readable for all. Only its owner can change that.
    [[maybe_unused]] auto tightened = fchmod(fd->get(), lock_mode);
    return Lock(std::move(*fd));
}

bool Lock::set(short type, Part part) {
    struct flock wanted {};
    wanted.l_type = type;
    wanted.l_whence = SEEK_SET;
    wanted.l_start = part == Part::owner ? 0 : 1;
    wanted.l_len = 1;
    return fcntl(fd_.get(), F_OFD_SETLK, &wanted) == 0;
}

bool Lock::try_own() {
    return set(F_WRLCK, Part::owner);
}
bool Lock::try_use() {
    return set(F_RDLCK, Part::users);
}
bool Lock::try_keep_users_out() {
    return set(F_WRLCK, Part::users);
}
void Lock::unlock(Part part) {
    set(F_UNLCK, part);
}

bool Lock::owned_by_another() const {
    struct flock asked {};
    asked.l_type = F_WRLCK;
    asked.l_whence = SEEK_SET;
    asked.l_len = 1;
    return fcntl(fd_.get(), F_OFD_GETLK, &asked) == 0 && asked.l_type != F_UNLCK;
}

Holder Lock::holder() const {
    char buffer[256];
    auto got = pread(fd_.get(), buffer, sizeof buffer, 0);
    std::istringstream text(std::string(buffer, got > 0 ? static_cast<std::size_t>(got) : 0));
    Holder holder;
    text >> holder.pid >> holder.purpose;
    return holder;
}

void Lock::write_holder(const Holder& holder) {
    auto text = std::to_string(holder.pid) + " " + holder.purpose + "\n";
    [[maybe_unused]] auto cut = ftruncate(fd_.get(), 0);
    [[maybe_unused]] auto put = pwrite(fd_.get(), text.data(), text.size(), 0);
}

Result<Lock> own(const std::string& data_dir, const Holder& us, const Clock& clock,
                 std::chrono::milliseconds busy_limit) {
    auto lock = Lock::open(data_dir);
    if (!lock) return lock.error();
    const auto began = clock.steady();
    auto last_read = began;  // when the state file last named a living process
    while (!lock->try_own()) {
        auto holder = lock->holder();
        auto now = clock.steady();
        // Not written yet, or being left, or still the note of one that was killed.
        bool unread = holder.pid == 0 || (kill(holder.pid, 0) != 0 && errno == ESRCH);
        if (!unread) last_read = now;
        bool short_command = !unread && holder.purpose != "serve" && now - began < busy_limit;
        if (!short_command && (!unread || now - last_read > note_limit)) {
            return taken(data_dir, holder);
        }
        std::this_thread::sleep_for(poll_every);
    }
    lock->write_holder(us);
    return lock;
}

Notes read_notes(const std::string& data_dir) {
    std::ifstream file(state_path(data_dir));
    Notes notes;
    for (std::string line; std::getline(file, line);) {
        auto equals = line.find('=');
        if (equals == std::string::npos) continue;
        auto name = line.substr(0, equals);
        auto value = line.substr(equals + 1);
        if (name == "cluster") notes.cluster = value;
        if (name == "socket_dir") notes.socket_dir = value;
        if (name == "ready") notes.ready = std::atoi(value.c_str());
    }
    return notes;
}

Result<void> write_notes(const std::string& data_dir, const Notes& notes) {
    return replace_file(state_path(data_dir), "cluster=" + notes.cluster +
                                                  "\nsocket_dir=" + notes.socket_dir +
                                                  "\nready=" + std::to_string(notes.ready) + "\n");
}

}  // namespace pawl::db::cluster
