#include "base/fault.hpp"

#ifdef PAWL_FAULT_POINTS

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace pawl::fault {
namespace {

struct Armed {
    std::string action;
    int only_at = 0;  // 0: every time
    std::atomic<int> times{0};
};
using Plan = std::map<std::string, std::unique_ptr<Armed>, std::less<>>;

std::unique_ptr<Armed> parse_action(std::string_view text) {
    auto armed = std::make_unique<Armed>();
    const std::size_t at = text.find('@');
    armed->action = std::string(text.substr(0, at));
    if (at != std::string_view::npos) armed->only_at = std::stoi(std::string(text.substr(at + 1)));
    return armed;
}

Plan read_plan() {
    Plan plan;
    const char* raw = std::getenv("PAWL_FAULTS");
    std::string_view rest = raw == nullptr ? "" : raw;
    while (!rest.empty()) {
        const std::string_view entry = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
        const std::size_t equals = entry.find('=');
        if (equals == std::string_view::npos) continue;
        plan.emplace(entry.substr(0, equals), parse_action(entry.substr(equals + 1)));
    }
    return plan;
}

void act(const std::string& action, std::string_view point) {
    if (action == "kill") kill(getpid(), SIGKILL);
    // To this very thread: it must not run on for a moment while another is the first to stop.
    if (action == "stop") raise(SIGSTOP);
    if (action == "throw") throw std::runtime_error("fault point " + std::string(point));
    if (action.starts_with("sleep:")) {
        std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(action.substr(6))));
    }
}

thread_local Observer observed_by;

}  // namespace

void set_observer(Observer observer) {
    observed_by = std::move(observer);
}

void reached(std::string_view point, std::string_view what) {
    if (observed_by) observed_by(point, what);
    static const Plan plan = read_plan();
    const auto found = plan.find(point);
    if (found == plan.end()) return;
    const int time = ++found->second->times;
    if (found->second->only_at == 0 || found->second->only_at == time) {
        act(found->second->action, point);
    }
}

}  // namespace pawl::fault

#endif
