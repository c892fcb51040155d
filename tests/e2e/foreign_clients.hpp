// Foreign HTTP clients: curl and Node where PATH has them, and raw bytes on a socket. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"
#include "providers/event.hpp"
#include "tests/e2e/embedded_case.hpp"

namespace pawl::testing {

std::string on_path(const std::string& program);  // empty: PATH has none
std::string url_of(std::uint16_t port);
process::Finished run_program(std::vector<std::string> argv);

class Curl {
  public:
    explicit Curl(std::uint16_t port) : url_(url_of(port)) {}

    // "<status> <body>"; "000 " and what curl said, where no answer came.
    std::string operator()(const std::string& path, const providers::Headers& headers,
                           std::vector<std::string> more) const;

  private:
    std::string url_;
};

// A program that runs while the test does something else.
class Background {
  public:
    explicit Background(std::vector<std::string> argv);
    std::string said() const { return read_text(log_); }
    std::string finish();  // how it ended

  private:
    const Folder folder_;
    const std::string log_ = folder_ / "said";
    process::Child child_;
};

// Sends bytes on one connection, and reads until the server closes it.
class RawConnection {
  public:
    explicit RawConnection(std::uint16_t port);
    void send(std::string_view bytes) const;
    std::string read_to_its_end(std::chrono::milliseconds limit = std::chrono::seconds(20)) const;

  private:
    process::Fd fd_;
};

}  // namespace pawl::testing
