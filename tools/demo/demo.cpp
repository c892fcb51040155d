#include "tools/demo/demo.hpp"

#include <fmt/core.h>

#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "base/rng.hpp"
#include "outbound/http_client.hpp"
#include "settings/exit_code.hpp"
#include "settings/well_known.hpp"
#include "tools/demo/board.hpp"
#include "tools/demo/programs.hpp"
#include "tools/demo/scenario.hpp"
#include "tools/demo/shop.hpp"
#include "tools/demo/tables.hpp"
#include "tools/send/sender.hpp"

namespace pawl::app {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds look_every(250);
// Time for work still in progress after the last delivery: a lease that ends, a call that is
// resent.
constexpr seconds settle_within(40);

// Sends the deliveries to one of the two, on its own thread, and counts the results for the board.
class Feed {
  public:
    Feed(const Scenario& scenario, const Wording& wording, const providers::Provider& provider,
         const std::string& url, double per_second)
        : target_(parse_target(url).value()), requests_(provider, target_) {
        SenderOptions options;
        options.connections = 8;
        options.per_second = per_second;
        options.retry_for = seconds(30);
        options.answer_within = seconds(5);
        auto next = [&scenario, wording,
                     i = std::size_t{0}]() mutable -> std::optional<providers::Outgoing> {
            if (i == scenario.deliveries().size()) return std::nullopt;
            const Payment& payment = scenario.deliveries()[i++].payment;
            return providers::Outgoing{payment.event_id, wording(payment), {}};
        };
        sender_ = std::make_unique<Sender>(options, look_up(target_).value(), requests_,
                                           std::move(next), clock_);
        thread_ = std::thread([this] {
            Tally last = sender_->run([this](const Tally& so_far) { note(so_far, false); });
            note(last, true);
        });
    }
    ~Feed() { thread_.join(); }
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;

    FeedCounts counts() const {
        const std::lock_guard lock(mutex_);
        return counts_;
    }

  private:
    void note(const Tally& tally, bool over) {
        const std::lock_guard lock(mutex_);
        counts_ = {tally.answered(), tally.duplicates, tally.retries, tally.lost, over};
    }
    const SystemClock clock_;
    const Target target_;
    const Requests requests_;
    std::unique_ptr<Sender> sender_;
    mutable std::mutex mutex_;
    FeedCounts counts_;
    std::thread thread_;
};

class Demo {
  public:
    Demo(const DemoOptions& options, DemoPrograms& programs, const Terminal& out)
        : options_(options),
          programs_(programs),
          out_(out),
          scenario_(options.seed, options.payments),
          board_(out) {}

    Result<int> run(const providers::Provider& provider, const Wording& wording);

  private:
    ShopOptions shop(const std::string& prefix) const;
    void watch(const Feed& pawl, const Feed& rival);
    void kill_both(int number);
    void wait_until_settled();
    DemoSummary ending() const;
    bool quiet() const;

    const DemoOptions options_;
    DemoPrograms& programs_;
    const Terminal& out_;
    const Scenario scenario_;
    Board board_;
    ShopCounts bought_, bought_by_rival_;
    std::atomic<bool> stop_{false};
    int kills_ = 0;
};

ShopOptions Demo::shop(const std::string& prefix) const {
    ShopOptions shop;
    shop.orders = options_.orders;
    shop.pawl_url = programs_.pawl_url();
    shop.api_token = programs_.api_token();
    shop.sandbox_url = programs_.sandbox_url();
    shop.sandbox_key = sandbox_api_key;
    shop.prefix = prefix;
    return shop;
}

void Demo::kill_both(int number) {
    board_.say(out_.paint(
        Colour::red, fmt::format("kill -9, number {}: Pawl and the quick-start code", number)));
    programs_.kill_receivers();
    ++kills_;
    if (auto up = programs_.start_receivers(); !up) board_.say(up.error().message);
}

void Demo::watch(const Feed& pawl, const Feed& rival) {
    const std::size_t all = scenario_.deliveries().size();
    for (;;) {
        const FeedCounts ours = pawl.counts();
        const FeedCounts theirs = rival.counts();
        board_.show(live_lines(out_, {ours, theirs, all, kills_, bought_.paid.load(),
                                      bought_by_rival_.paid.load(), options_.orders}));
        const auto due = static_cast<std::size_t>(options_.kills + 1);
        if (kills_ < options_.kills &&
            ours.answered * due > all * static_cast<std::size_t>(kills_ + 1)) {
            kill_both(kills_ + 1);
        }
        if (ours.over && theirs.over) return;
        std::this_thread::sleep_for(look_every);
    }
}

bool Demo::quiet() const {
    const Fetched running =
        fetch(programs_.admin_url() + "/admin/v1/workflows?status=running&limit=1",
              programs_.admin_token());
    return running.status == 200 && running.body.find("\"run_id\"") == std::string::npos;
}

void Demo::wait_until_settled() {
    board_.show({"everything is delivered; waiting for what is still under way ..."});
    const auto until = std::chrono::steady_clock::now() + settle_within;
    while (std::chrono::steady_clock::now() < until) {
        if (bought_.over && bought_by_rival_.over && quiet()) return;
        std::this_thread::sleep_for(look_every);
    }
}

DemoSummary Demo::ending() const {
    DemoSummary end;
    end.deliveries = scenario_.deliveries().size();
    end.redeliveries = scenario_.redeliveries();
    end.second_events = scenario_.second_events();
    end.kills = kills_;
    end.expected_minor = scenario_.expected_minor();
    end.pawl_minor = sum_of_accounts(programs_, scenario_.account_prefix());
    end.shop_minor = sum_of_accounts(programs_, "shop:");
    const std::string rival = fetch(programs_.rival_url() + "/balances").body;
    end.rival_minor = number_in(rival, "/credited");
    const std::set<std::string> lost = texts_in(rival, "/not_credited");
    end.rival_lost = lost.size();
    end.rival_doubled = scenario_.doubled_without(lost);
    end.orders = options_.orders;
    end.paid = bought_.paid;
    const std::string counts = fetch(programs_.sandbox_url() + "/sandbox/counts").body;
    end.charged = charges_of(counts, "pawl-");
    end.charged_by_rival = charges_of(counts, "rival-");
    end.verified =
        send_json("POST", programs_.admin_url() + "/admin/v1/verify", "{}", programs_.admin_token())
            .body.find("{\"holds\":true") == 0;
    return end;
}

Result<int> Demo::run(const providers::Provider& provider, const Wording& wording) {
    if (auto up = programs_.start_sandbox(); !up) return up.error();
    if (auto up = programs_.start_receivers(); !up) return up.error();
    out_.line(introduction(out_, scenario_, options_.seed));
    std::thread by_pawl([this] { buy_through_pawl(shop("pawl-"), bought_, stop_); });
    std::thread by_rival([this] { buy_as_rival(shop("rival-"), bought_by_rival_, stop_); });
    {
        const Feed pawl(scenario_, wording, provider, programs_.pawl_url() + "/webhooks/demo",
                        options_.per_second);
        const Feed rival(scenario_, wording, provider, programs_.rival_url() + "/webhooks/demo",
                         options_.per_second);
        watch(pawl, rival);
    }
    wait_until_settled();
    stop_ = true;
    by_pawl.join();
    by_rival.join();
    board_.finish();
    const DemoSummary end = ending();
    out_.print(end_table(end, out_));
    out_.line(verdict(end, out_));
    out_.line(rival_causes(end));
    return end.good() ? exit_done : exit_no;
}

}  // namespace

Result<int> run_demo(const DemoOptions& given, const Settings& settings,
                     const providers::Provider& provider, const Terminal& out) {
    DemoOptions options = given;
    if (options.seed == 0) options.seed = 1 + SecureRng().below(1'000'000);
    const auto wording = wording_for(provider.config());
    if (!wording) return wording.error();
    auto programs = DemoPrograms::prepare(settings, options.seed);
    if (!programs) return programs.error();
    return Demo(options, **programs, out).run(provider, *wording);
}

}  // namespace pawl::app
