// Fixture of the embedded cluster's tests: a folder that is removed with the test, queries, and
// processes that are forked, run a cluster, and are killed. One thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "db/embedded/embedded.hpp"

namespace pawl::testing {

inline constexpr std::chrono::seconds patience{60};  // a deadline, not a pause

class Folder {
  public:
    // In memory where there is room: what a kill does is the same there, and fsync is free.
    explicit Folder(const std::string& parent = "");
    ~Folder();  // with everything in it
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const std::string& path() const { return path_; }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

// A small tmpfs; mounted() is false without the right to mount.
class SmallDisk {
  public:
    SmallDisk(const std::string& on, int mb);
    ~SmallDisk();
    bool mounted() const { return mounted_; }
    bool make_read_only();

  private:
    std::string on_;
    bool mounted_ = false;
};

db::EmbeddedOptions options_for(const std::string& data_dir);
void run_sql(const std::string& url, const std::string& sql);
std::string ask(const std::string& url, const std::string& sql);
std::string setting(const std::string& url, const std::string& name);

// "up <ms>", or the error's message; the cluster stays in `kept`.
std::string start_told(const db::EmbeddedOptions& options,
                       std::optional<db::EmbeddedCluster>& kept);

// A forked process that does `work`, which reports lines, and then waits to be killed.
class Forked {
  public:
    using Report = std::function<void(const std::string&)>;
    explicit Forked(const std::function<void(const Report&)>& work, uid_t uid = 0);
    ~Forked();
    Forked(const Forked&) = delete;
    Forked& operator=(const Forked&) = delete;

    std::string line(std::chrono::milliseconds limit = patience);  // empty: none in time
    void kill_now();                                               // SIGKILL, and waited for
    pid_t pid() const { return pid_; }
    uid_t uid() const { return uid_; }

  private:
    pid_t pid_ = -1;
    uid_t uid_ = 0;
    process::Fd lines_;
    std::string read_;
};

bool eventually(const std::function<bool()>& condition, std::chrono::milliseconds limit = patience);
bool alive(pid_t pid);
bool am_root();
uid_t uid_of(const char* name);
void write_text(const std::string& path, const std::string& text, bool append = false);
std::string read_text(const std::string& path);

}  // namespace pawl::testing
