// The load of `make bench`: signed deliveries of the demo provider, each of another payment, posted
// for a while over many connections. They are signed before the clock starts: a provider signs on
// machines of its own, and here it would take its time from the server's. Words are name=value, for
// a script; people use `pawl send`. Prints "acknowledged per_second p50_ms p99_ms".
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/send/payments.hpp"
#include "app/send/sender.hpp"
#include "app/settings.hpp"

namespace {

using namespace pawl;
using namespace pawl::app;

struct Options {
    std::string url = "http://127.0.0.1:8080/webhooks/demo";
    Duration lasting = std::chrono::seconds(8);
    PaymentOptions payments{1, 10'000};
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
    if (name == "seconds") return options.lasting = std::chrono::seconds(number), true;
    if (name == "connections") return options.sender.connections = number, number > 0;
    if (name == "accounts") return options.payments.accounts = number, number > 0;
    if (name == "seed") return options.payments.seed = number, true;
    if (name == "rate") return options.sender.per_second = static_cast<double>(number), true;
    return false;
}

Result<providers::Provider> demo_provider() {
    LoadOptions options;
    options.demo_secrets = true;  // the secret that `serve --dev` accepts
    const Loaded loaded = load(options);
    for (const ProviderFile& file : loaded.settings.providers) {
        if (file.config.name == "demo") return providers::Provider::create(file.config);
    }
    return invalid("no provider \"demo\" is configured\n" + error_lines(loaded.findings));
}

// More than any server here can take; what would be wanted beyond that is signed when it is sent.
std::size_t wanted_at_most(const Options& options) {
    constexpr double fastest_per_second = 40'000;
    const double pace = options.sender.per_second;
    const std::chrono::duration<double> lasting(options.lasting);
    return static_cast<std::size_t>(lasting.count() * (pace > 0 ? pace : fastest_per_second));
}

// Hands out deliveries that were signed when it was made, then new ones.
class Supply {
  public:
    using Make = std::function<providers::Outgoing(std::size_t number)>;

    Supply(std::size_t count, Make make, const Requests& requests, const Clock& clock)
        : make_(std::move(make)) {
        ready_.reserve(count);
        for (std::size_t number = 0; number < count; ++number) {
            providers::Outgoing delivery = make_(number);
            delivery.at = clock.now();
            std::string request = requests.make(delivery);
            ready_.emplace_back(std::move(delivery), std::move(request));
        }
    }
    Parcel next() {
        const std::size_t number = given_++;
        return number < ready_.size() ? std::move(ready_[number]) : Parcel(make_(number));
    }

  private:
    Make make_;
    std::vector<Parcel> ready_;
    std::size_t given_ = 0;
};

Result<Tally> run(const Options& options) {
    auto provider = demo_provider();
    if (!provider) return provider.error();
    const auto wording = wording_for(provider->config());
    if (!wording) return wording.error();
    const auto target = parse_target(options.url);
    if (!target) return target.error();
    auto addresses = look_up(*target);
    if (!addresses) return addresses.error();
    const SystemClock clock;
    const Requests requests(*provider, *target);
    const auto make = [&](std::size_t number) {
        const Payment payment = make_payment(options.payments, number);
        return providers::Outgoing{payment.event_id, (*wording)(payment), {}};
    };
    Supply supply(wanted_at_most(options), make, requests, clock);
    const auto until = clock.steady() + options.lasting;
    const auto next = [&]() -> std::optional<Parcel> {
        if (clock.steady() > until) return std::nullopt;
        return supply.next();
    };
    Sender sender(options.sender, std::move(*addresses), requests, next, clock);
    return sender.run([](const Tally&) {});
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        if (!take(options, argv[i])) return fail(std::string("what is ") + argv[i] + "?");
    }
    auto tally = run(options);
    if (!tally) return fail(tally.error().message);
    if (tally->acknowledged == 0) return fail("nothing was acknowledged by " + options.url);
    if (tally->refusals() + tally->lost + tally->duplicates > 0) {
        return fail("deliveries were refused, lost or called duplicates: this measures nothing");
    }
    std::printf("%zu %.1f %.3f %.3f\n", tally->acknowledged, tally->per_second(),
                percentile_ms(tally->latencies_us, 0.5), percentile_ms(tally->latencies_us, 0.99));
    return 0;
}
