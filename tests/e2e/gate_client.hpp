// Fixture of the gate's tests: the server in its own process, and sockets that send exact bytes.
// One thread each.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace pawl::gate_test {

struct Setting {  // of the environment
    const char* name;
    const char* value;
};

// gate_server, running as long as this object lives.
class Server {
  public:
    explicit Server(std::initializer_list<Setting> environment = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    std::uint16_t port() const { return port_; }
    std::uint16_t admin_port() const { return admin_port_; }
    long rss_kb() const;
    // CPU time of all its threads. Unlike time by the clock, it does not grow while other processes
    // run.
    std::chrono::milliseconds cpu_time() const;
    bool alive() const;      // answers within the minute that a busy machine may need
    void terminate() const;  // SIGTERM
    int wait();              // its exit code; 128 + signal where it was killed
    std::string metrics() const;

  private:
    pid_t pid_ = -1;
    std::uint16_t port_ = 0;
    std::uint16_t admin_port_ = 0;
};

class Socket {
  public:
    // With a buffer of that many bytes for what comes in; 0: as large as the system likes.
    explicit Socket(std::uint16_t port, int receive_buffer = 0);
    ~Socket();
    Socket(Socket&& other) noexcept;
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    bool send(std::string_view bytes) const;  // false: the other side has gone
    // Reads until the server closes, or the time is over.
    std::string read_all(std::chrono::milliseconds within = std::chrono::seconds(10)) const;
    // Until `text` has been seen.
    std::string read_until(std::string_view text,
                           std::chrono::milliseconds within = std::chrono::seconds(10)) const;
    bool closed_by_peer(std::chrono::milliseconds within) const;
    int fd() const { return fd_; }

  private:
    std::string read(std::string_view until, std::chrono::milliseconds within) const;
    int fd_ = -1;
};

// Sanitizers keep freed memory back on purpose; there the sizes say nothing.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr long memory_factor = 20;
#else
constexpr long memory_factor = 1;
#endif

// One request on a connection of its own, read until it is closed.
std::string ask(std::uint16_t port, std::string_view bytes);
int status_of(std::string_view answer);        // 0: there is none
std::string code_of(std::string_view answer);  // the problem's code member
std::size_t count(std::string_view text, std::string_view part);

}  // namespace pawl::gate_test
