#include "app/demo/naive.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "app/signals.hpp"
#include "base/json.hpp"
#include "sandbox/http_server.hpp"

namespace pawl::app {
namespace {

// What somebody's own code does between marking and crediting: a query, a log line.
constexpr std::chrono::milliseconds between_mark_and_credit(2);

class Books {
  public:
    explicit Books(const std::string& file) : file_(file) {
        std::ifstream lines(file);
        std::string word, account;
        std::int64_t number = 0;
        while (lines >> word >> account >> number) note(word, account, number);
        descriptor_ = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    ~Books() { close(descriptor_); }
    Books(const Books&) = delete;
    Books& operator=(const Books&) = delete;

    bool seen(const std::string& id) {
        const std::lock_guard lock(mutex_);
        return seen_.contains(id);
    }
    bool newer(const std::string& account, std::int64_t sequence) {
        const std::lock_guard lock(mutex_);
        return sequence > last_[account];
    }
    void write(const std::string& word, const std::string& name, std::int64_t number) {
        const std::lock_guard lock(mutex_);
        note(word, name, number);
        const std::string line = fmt::format("{} {} {}\n", word, name, number);
        if (::write(descriptor_, line.data(), line.size()) > 0) fdatasync(descriptor_);
    }
    std::string as_json() {
        const std::lock_guard lock(mutex_);
        std::int64_t sum = 0;
        for (const auto& [account, amount] : balances_) sum += amount;
        json::Writer out;
        out.begin_object().member("credited", sum).member("credits", credits_);
        out.member("dropped_as_old", dropped_).end_object();
        return out.take();
    }
    void drop() {
        const std::lock_guard lock(mutex_);
        ++dropped_;
    }

  private:
    void note(const std::string& word, const std::string& name, std::int64_t number) {
        if (word == "seen") seen_.insert(name);
        if (word == "last") last_[name] = number;
        if (word != "credit") return;
        balances_[name] += number;
        ++credits_;
    }
    const std::string file_;
    int descriptor_ = -1;
    std::mutex mutex_;
    std::set<std::string> seen_;
    std::map<std::string, std::int64_t> last_, balances_;
    std::int64_t credits_ = 0, dropped_ = 0;
};

// Read it as you would in a review. Each line looks right.
sandbox::Reply receive(const sandbox::Request& request, const providers::Provider& provider,
                       Books& books) {
    providers::Delivery delivery{
        request.method, request.path, {}, request.body, SystemClock().now()};
    delivery.headers = request.headers;
    const auto received = provider.receive(delivery);
    if (received.verdict != providers::Verdict::verified) return {401, "{}", {}};
    const providers::Event& event = received.events.front();
    if (!event.movement || !event.sequence) return {200, "{}", {}};

    if (books.seen(event.event_id.str())) return {200, "{}", {}};
    books.write("seen", event.event_id.str(), 0);
    if (!books.newer(event.account, event.sequence->value)) {
        books.drop();
        return {200, "{}", {}};
    }
    books.write("last", event.account, event.sequence->value);
    std::this_thread::sleep_for(between_mark_and_credit);
    books.write("credit", event.account, event.movement->amount.minor);
    return {200, "{}", {}};
}

}  // namespace

int run_naive_receiver(const Context& context, std::uint16_t port, const std::string& file,
                       const providers::Provider& provider) {
    const StopSignals signals;  // before any thread
    Books books(file);
    sandbox::HttpServer server([&](const sandbox::Request& request) -> sandbox::Reply {
        if (request.method == "GET") return {200, books.as_json(), {}};
        return receive(request, provider, books);
    });
    if (auto started = server.start("127.0.0.1", port); !started) {
        return context.fail(started.error());
    }
    signals.wait();
    server.stop();
    return exit_done;
}

}  // namespace pawl::app
