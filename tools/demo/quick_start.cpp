#include "tools/demo/quick_start.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <mutex>
#include <set>

#include "base/json.hpp"
#include "sandbox/http_server.hpp"
#include "settings/exit_code.hpp"
#include "settings/signals.hpp"

namespace pawl::app {
namespace {

// Two tables, kept in one file: events by id, and balances by account. Each statement is on the
// disk before it returns, as with a database that commits every statement by itself. Any thread.
class Tables {
  public:
    explicit Tables(const std::string& file) {
        std::ifstream lines(file);
        std::string word, name, account;
        std::int64_t amount = 0;
        while (lines >> word >> name) {
            if (word == "event") events_.insert(name);
            if (word == "credit" && lines >> account >> amount) add(name, account, amount);
        }
        descriptor_ = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    ~Tables() { close(descriptor_); }
    Tables(const Tables&) = delete;
    Tables& operator=(const Tables&) = delete;

    // An insert that does nothing where the id is there: false.
    bool insert_event(const std::string& id) {
        const std::lock_guard lock(mutex_);
        if (!events_.insert(id).second) return false;
        write(fmt::format("event {}\n", id));
        return true;
    }
    // Adds to the balance. The event's id goes with it only for the report at the end.
    void credit(const std::string& account, std::int64_t minor, const std::string& event) {
        const std::lock_guard lock(mutex_);
        add(event, account, minor);
        write(fmt::format("credit {} {} {}\n", event, account, minor));
    }
    std::string as_json() {
        const std::lock_guard lock(mutex_);
        std::int64_t sum = 0;
        for (const auto& [account, amount] : balances_) sum += amount;
        json::Writer out;
        out.begin_object().member("credited", sum).key("not_credited").begin_array();
        for (const std::string& id : events_) {
            if (!credited_.contains(id)) out.string(id);
        }
        out.end_array().end_object();
        return out.take();
    }

  private:
    void add(const std::string& event, const std::string& account, std::int64_t minor) {
        balances_[account] += minor;
        credited_.insert(event);
    }
    void write(const std::string& line) const {
        if (::write(descriptor_, line.data(), line.size()) > 0) fdatasync(descriptor_);
    }
    int descriptor_ = -1;
    std::mutex mutex_;
    std::set<std::string> events_, credited_;
    std::map<std::string, std::int64_t> balances_;
};

sandbox::Reply receive(const sandbox::Request& request, const providers::Provider& provider,
                       Tables& tables) {
    providers::Delivery delivery{
        request.method, request.path, {}, request.body, SystemClock().now()};
    delivery.headers = request.headers;
    const auto received = provider.receive(delivery);
    if (received.verdict != providers::Verdict::verified) return {401, "{}", {}};
    const providers::Event& event = received.events.front();
    if (event.movements.empty()) return {200, "{}", {}};

    if (!tables.insert_event(event.event_id.str())) return {200, "{}", {}};
    tables.credit(event.account, event.movements.at(0).amount.minor, event.event_id.str());
    return {200, "{}", {}};
}

}  // namespace

Result<int> run_quick_start_receiver(std::uint16_t port, const std::string& file,
                                     const providers::Provider& provider) {
    const StopSignals signals;  // before any thread
    Tables tables(file);
    sandbox::HttpServer server([&](const sandbox::Request& request) -> sandbox::Reply {
        if (request.method == "GET") return {200, tables.as_json(), {}};
        return receive(request, provider, tables);
    });
    if (auto started = server.start("127.0.0.1", port); !started) return started.error();
    signals.wait();
    server.stop();
    return exit_done;
}

}  // namespace pawl::app
