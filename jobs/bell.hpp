// The signal between processes: who stages rings, who moves hears. Rung by a statement of its own
// after the commit, at most once in a while however often it is asked for. A Bell and an Ear each
// have a thread and a session. Nothing depends on them: whoever hears also looks by himself.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "db/session.hpp"
#include "jobs/wake.hpp"

namespace pawl::jobs {

inline constexpr const char* staged_channel = "pawl_staged";
inline constexpr const char* ready_channel = "pawl_ready";

class Bell {
  public:
    Bell(db::SessionOptions session, std::string channel);
    ~Bell();  // stops
    void ring() { wake_.poke(); }
    void start();
    void drain() { wake_.stop(); }  // returns at once
    void stop();

  private:
    void run();
    const db::SessionOptions session_options_;
    const std::string channel_;
    Wake wake_;
    std::thread thread_;
};

class Ear {
  public:
    Ear(db::SessionOptions session, std::string channel, std::function<void()> heard);
    ~Ear();  // stops
    void start();
    void drain() { wake_.stop(); }  // returns at once
    void stop();

  private:
    void run();
    const db::SessionOptions session_options_;
    const std::string channel_;
    const std::function<void()> heard_;
    Wake wake_;
    std::thread thread_;
};

}  // namespace pawl::jobs
