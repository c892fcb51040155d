// The load of `make bench`: signed deliveries, posted for a while over many connections. They are
// signed before the clock starts: a provider signs on machines of its own, and here it would take
// its time from the server's. Arguments are name=value, for a script; `pawl send` is the command
// for operators. Prints "posted per_second p50_ms p99_ms acknowledged": the different events that
// the server must have posted, and the events it acknowledged, a second and in all. bench/README.md
// explains the arguments.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "settings/settings.hpp"
#include "tools/send/payments.hpp"
#include "tools/send/sender.hpp"

namespace {

using namespace pawl;
using namespace pawl::app;

struct Options {
    std::string url = "http://127.0.0.1:8080/webhooks/demo";
    std::string provider =
        "demo";  // its file has the secret; of the configuration that pawl would read
    Duration lasting = std::chrono::seconds(8);
    PaymentOptions payments{1, 10'000};
    bool zipf = false;             // accounts by Zipf's law instead of one after the other
    std::uint64_t duplicates = 0;  // percent of deliveries that repeat an event of this run
    bool storm = false;            // every delivery is the same event
    std::size_t items = 0;         // events in a delivery; 0: the delivery is the event
    std::size_t bytes = 0;         // an event is filled up to this size
    SenderOptions sender;
};

int fail(const std::string& why) {
    std::fprintf(stderr, "pawl_load: %s\n", why.c_str());
    return 1;
}

bool take(Options& options, std::string_view word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return false;
    const std::string_view name = word.substr(0, equals);
    const std::string value(word.substr(equals + 1));
    const auto number = std::strtoull(value.c_str(), nullptr, 10);
    if (name == "url") return options.url = value, true;
    if (name == "provider") return options.provider = value, true;
    if (name == "seconds") return options.lasting = std::chrono::seconds(number), true;
    if (name == "connections") return options.sender.connections = number, number > 0;
    if (name == "accounts") return options.payments.accounts = number, number > 0;
    if (name == "seed") return options.payments.seed = number, true;
    if (name == "rate") return options.sender.per_second = static_cast<double>(number), true;
    if (name == "zipf") return options.zipf = number > 0, true;
    if (name == "duplicates") return options.duplicates = number, number < 100;
    if (name == "storm") return options.storm = number > 0, true;
    if (name == "items") return options.items = number, true;
    if (name == "bytes") return options.bytes = number, true;
    return false;
}

Result<providers::Provider> provider_named(const std::string& name) {
    LoadOptions options;
    options.demo_secrets = true;  // the secret that `serve --dev` accepts
    const Loaded loaded = load(options);
    for (const ProviderFile& file : loaded.settings.providers) {
        if (file.config.name == name) return providers::Provider::create(file.config);
    }
    return invalid("no provider \"" + name + "\" is configured\n" + error_lines(loaded.findings));
}

// The account with the k-th most payments gets 1/k^0.99 of what the first one gets: the skew that
// benchmarks of key-value stores have made customary.
class Zipf {
  public:
    explicit Zipf(std::size_t accounts) {
        double sum = 0;
        for (std::size_t k = 1; k <= accounts; ++k) {
            sum += std::pow(static_cast<double>(k), -0.99);
            up_to_.push_back(sum);
        }
    }
    std::size_t draw(Rng& rng) const {
        const auto share = static_cast<double>(rng.below(1U << 30U)) / (1U << 30U);
        const auto at = std::upper_bound(up_to_.begin(), up_to_.end(), share * up_to_.back());
        return static_cast<std::size_t>(at - up_to_.begin());
    }

  private:
    std::vector<double> up_to_;
};

// Text that hardly compresses, as ids and tokens do: bodies must not become small on the disk only
// because the filling repeats itself.
class Filling {
  public:
    explicit Filling(Rng& rng) {
        while (text_.size() < 1024UL * 1024) text_ += random_token(rng, 48);
    }
    // Makes the JSON object `event` as long as `bytes`, by one more member.
    void fill(std::string& event, std::size_t bytes, Rng& rng) const {
        constexpr std::string_view member = R"(,"filling":")";
        const std::size_t with_empty = event.size() + member.size() + 1;
        if (with_empty >= bytes) return;
        const std::size_t missing = std::min(bytes - with_empty, text_.size() / 2);
        event.pop_back();
        event.append(member).append(text_, rng.below(text_.size() / 2), missing).append("\"}");
    }

  private:
    std::string text_;
};

// Makes one delivery after the other, in an order that the seed decides.
class Deliveries {
  public:
    Deliveries(const Options& options, Wording wording)
        : options_(options),
          wording_(std::move(wording)),
          rng_(options.payments.seed),
          zipf_(options.payments.accounts),
          filling_(rng_) {}

    providers::Outgoing make() {
        if (options_.items == 0) {
            const std::size_t number = next_number();
            return {make_payment(options_.payments, number).event_id, event(number), {}};
        }
        std::string body = R"({"events":[)";
        const std::size_t first = fresh_;
        for (std::size_t i = 0; i < options_.items; ++i) {
            body.append(i == 0 ? "" : ",").append(event(fresh_++));
        }
        return {make_payment(options_.payments, first).event_id + "_batch", body + "]}", {}};
    }
    std::size_t different_events() const { return fresh_; }

  private:
    std::size_t next_number() {
        const bool repeated =
            fresh_ > 0 && (options_.storm || rng_.below(100) < options_.duplicates);
        return repeated ? rng_.below(fresh_) : fresh_++;
    }
    // The same bytes whenever the same event is delivered again.
    std::string event(std::size_t number) const {
        Payment payment = make_payment(options_.payments, number);
        SeededRng rng(options_.payments.seed + number);
        if (options_.zipf) {
            payment.account = account_name(options_.payments, zipf_.draw(rng));
            payment.sequence = static_cast<std::int64_t>(number) + 1;
        }
        std::string text = wording_(payment);
        filling_.fill(text, options_.bytes, rng);
        return text;
    }

    const Options& options_;
    const Wording wording_;
    SeededRng rng_;
    const Zipf zipf_;
    const Filling filling_;
    std::size_t fresh_ = 0;
};

// Hands out deliveries that were signed when it was made, then new ones.
class Supply {
  public:
    Supply(const Options& options, Deliveries& deliveries, const Requests& requests,
           const Clock& clock)
        : deliveries_(deliveries) {
        const std::size_t count = wanted_at_most(options);
        for (std::size_t bytes = 0; ready_.size() < count && bytes < signed_bytes_max;) {
            Made made = make();
            made.parcel.delivery.at = clock.now();
            made.parcel.request = requests.make(made.parcel.delivery);
            bytes += made.parcel.request.size() + made.parcel.delivery.body.size();
            ready_.push_back(std::move(made));
        }
    }
    Parcel next() {
        Made made = given_ < ready_.size() ? std::move(ready_[given_]) : make();
        ++given_;
        events_ = made.events;
        return std::move(made.parcel);
    }
    std::size_t given() const { return given_; }
    std::size_t different_events() const { return events_; }  // in what was handed out

  private:
    static constexpr std::size_t signed_bytes_max = 1024UL * 1024 * 1024;

    struct Made {
        Parcel parcel;
        std::size_t events;  // different ones in all deliveries so far
    };
    Made make() {
        Parcel parcel(deliveries_.make());
        return {std::move(parcel), deliveries_.different_events()};
    }
    // More than any server here can take; what would be wanted beyond that is signed when it is
    // sent.
    static std::size_t wanted_at_most(const Options& options) {
        constexpr double fastest_per_second = 40'000;
        const double pace = options.sender.per_second;
        const double events = static_cast<double>(std::max<std::size_t>(options.items, 1));
        const std::chrono::duration<double> lasting(options.lasting);
        return static_cast<std::size_t>(lasting.count() *
                                        (pace > 0 ? pace : fastest_per_second / events));
    }

    Deliveries& deliveries_;
    std::vector<Made> ready_;
    std::size_t given_ = 0;
    std::size_t events_ = 0;
};

// A peer need not say which deliveries it has seen before; one that does says so of repeats only.
Result<void> must_have_taken_all(const Options& options, const Tally& tally, const Supply& supply) {
    if (tally.acknowledged == 0) return invalid("nothing was acknowledged by " + options.url);
    if (tally.refusals() + tally.lost > 0) {
        return invalid("deliveries were refused or lost: this measures nothing");
    }
    const std::size_t repeats = options.items == 0 ? supply.given() - supply.different_events() : 0;
    if (tally.duplicates > repeats) {
        return invalid("deliveries were called duplicates that are none: this measures nothing");
    }
    return {};
}

void print(const Options& options, Tally& tally, const Supply& supply, double seconds) {
    const std::size_t events = tally.acknowledged * std::max<std::size_t>(options.items, 1);
    std::printf("%zu %.1f %.3f %.3f %zu\n", supply.different_events(),
                static_cast<double>(events) / seconds, percentile_ms(tally.latencies_us, 0.5),
                percentile_ms(tally.latencies_us, 0.99), events);
}

Result<void> run(const Options& options) {
    auto provider = provider_named(options.provider);
    if (!provider) return provider.error();
    const auto wording = wording_for(provider->config());
    if (!wording) return wording.error();
    const auto target = parse_target(options.url);
    if (!target) return target.error();
    auto addresses = look_up(*target);
    if (!addresses) return addresses.error();
    const SystemClock clock;
    const Requests requests(*provider, *target);
    Deliveries deliveries(options, *wording);
    Supply supply(options, deliveries, requests, clock);
    // The clock starts with the first delivery: thousands of connections take a while to open.
    std::optional<std::chrono::steady_clock::time_point> began;
    const auto next = [&]() -> std::optional<Parcel> {
        if (!began) began = clock.steady();
        if (clock.steady() - *began > options.lasting) return std::nullopt;
        return supply.next();
    };
    Sender sender(options.sender, std::move(*addresses), requests, next, clock);
    Tally tally = sender.run([](const Tally&) {});
    if (auto taken = must_have_taken_all(options, tally, supply); !taken) return taken;
    const std::chrono::duration<double> took = clock.steady() - *began;
    print(options, tally, supply, took.count());
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        if (!take(options, argv[i])) return fail(std::string("what is ") + argv[i] + "?");
    }
    if (const auto ran = run(options); !ran) return fail(ran.error().message);
    return 0;
}
