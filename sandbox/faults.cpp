#include "sandbox/faults.hpp"

#include <algorithm>
#include <charconv>

#include "base/crypto.hpp"
#include "base/rng.hpp"

namespace pawl::sandbox {
namespace {

constexpr int ms_max = 3'600'000;

bool parse_whole(std::string_view text, int& into) {
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, into);
    return failed == std::errc() && stop == end && into >= 0 && into <= ms_max;
}

std::uint64_t number_from(std::string_view text) {
    const std::string hash = crypto::digest(crypto::Hash::sha256, text);
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) {
        number = number << 8U | static_cast<unsigned char>(hash[i]);
    }
    return number;
}

}  // namespace

const std::vector<FaultName>& fault_names() {
    static const std::vector<FaultName> names = {
        {"latency", FaultKind::latency, 500, "waits MS first"},
        {"reset_before", FaultKind::reset_before, 0, "does nothing, resets the connection"},
        {"timeout_before", FaultKind::timeout_before, 60000, "does nothing, is silent for MS"},
        {"conflict", FaultKind::conflict, 0, "409, does nothing"},
        {"rate_limit", FaultKind::rate_limit, 1, "429 with Retry-After: S, does nothing"},
        {"unavailable", FaultKind::unavailable, 0, "503, does nothing, stores nothing"},
        {"error", FaultKind::error, 0, "500, does nothing, stored under the key"},
        {"error_after", FaultKind::error_after, 0, "500, done all the same, stored"},
        {"reset_after", FaultKind::reset_after, 0, "done, resets the connection"},
        {"timeout_after", FaultKind::timeout_after, 60000, "done, is silent for MS"},
        {"decline", FaultKind::decline, 0, "402 card_error; a refund fails"},
        {"late_success", FaultKind::late_success, 1000, "402, succeeds all the same after MS"},
        {"requires_action", FaultKind::requires_action, 0, "the payer must act: see /confirm"},
        {"processing", FaultKind::processing, 1000, "processing, succeeds after MS"},
        {"partial", FaultKind::partial, 50, "only PERCENT of the amount is received"},
        {"webhook_first", FaultKind::webhook_first, 5000, "webhook before the answer"},
        {"webhook_never", FaultKind::webhook_never, 0, "no webhook"},
        {"webhook_late", FaultKind::webhook_late, 1000, "webhook after MS"},
        {"webhook_repeated", FaultKind::webhook_repeated, 2, "the same webhook N times"},
    };
    return names;
}

std::string_view name_of(FaultKind kind) {
    for (const FaultName& one : fault_names()) {
        if (one.kind == kind) return one.name;
    }
    return "?";
}

Result<Fault> parse_fault(std::string_view text) {
    const auto colon = std::min(text.find(':'), text.size());
    const std::string_view name = text.substr(0, colon);
    std::string known;
    for (const FaultName& one : fault_names()) {
        known += (known.empty() ? "" : ", ") + std::string(one.name);
        if (one.name != name) continue;
        Fault fault{one.kind, one.arg};
        if (colon < text.size() && !parse_whole(text.substr(colon + 1), fault.arg)) {
            return invalid("fault \"" + std::string(text) + "\": after the colon stands a number");
        }
        return fault;
    }
    return invalid("unknown fault \"" + std::string(name) + "\"; known: " + known);
}

Result<FaultList> parse_faults(std::string_view text) {
    FaultList faults;
    while (!text.empty()) {
        std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(std::min(one.size() + 1, text.size()));
        while (one.starts_with(' ')) one.remove_prefix(1);
        while (one.ends_with(' ')) one.remove_suffix(1);
        auto fault = parse_fault(one);
        if (!fault) return fault.error();
        faults.push_back(*fault);
    }
    return faults;
}

Result<FaultRate> parse_fault_rate(std::string_view text) {
    const auto equals = text.find('=');
    const std::string shown = "fault \"" + std::string(text) + "\"";
    if (equals == std::string_view::npos) {
        return invalid(shown + ": write NAME=PERCENT or NAME=PERCENT:ARG");
    }
    const std::string_view numbers = text.substr(equals + 1);
    const auto colon = std::min(numbers.find(':'), numbers.size());
    auto fault =
        parse_fault(std::string(text.substr(0, equals)) + std::string(numbers.substr(colon)));
    if (!fault) return fault.error();
    FaultRate rate{*fault, 0};
    if (!parse_whole(numbers.substr(0, colon), rate.percent) || rate.percent > 100) {
        return invalid(shown + ": the percentage is 0 to 100");
    }
    return rate;
}

std::string to_text(const FaultRate& rate) {
    return std::string(name_of(rate.fault.kind)) + "=" + std::to_string(rate.percent) + ":" +
           std::to_string(rate.fault.arg);
}

const Fault* find(const FaultList& faults, FaultKind kind) {
    const auto found = std::find_if(faults.begin(), faults.end(),
                                    [&](const Fault& fault) { return fault.kind == kind; });
    return found == faults.end() ? nullptr : &*found;
}

bool has(const FaultList& faults, FaultKind kind) {
    return find(faults, kind) != nullptr;
}

Result<void> Faults::set(std::vector<FaultRate> rates) {
    int sum = 0;
    for (const FaultRate& rate : rates) sum += rate.percent;
    if (sum > 100) return invalid("the faults add up to more than 100 percent");
    const std::lock_guard lock(mutex_);
    rates_ = std::move(rates);
    return {};
}

void Faults::set_down(bool down) {
    const std::lock_guard lock(mutex_);
    down_ = down;
}

bool Faults::down() const {
    const std::lock_guard lock(mutex_);
    return down_;
}

std::vector<FaultRate> Faults::rates() const {
    const std::lock_guard lock(mutex_);
    return rates_;
}

// At most one for a request: the percentages divide the hundred among them.
FaultList Faults::draw(std::string_view key, std::uint64_t nth) const {
    const std::lock_guard lock(mutex_);
    if (rates_.empty()) return {};
    SeededRng rng(seed_ ^ number_from(std::string(key) + "#" + std::to_string(nth)));
    auto drawn = static_cast<int>(rng.below(100));
    for (const FaultRate& rate : rates_) {
        if (drawn < rate.percent) return {rate.fault};
        drawn -= rate.percent;
    }
    return {};
}

void Faults::count(const FaultList& happened) {
    if (happened.empty()) return;
    const std::lock_guard lock(mutex_);
    for (const Fault& fault : happened) ++counts_[std::string(name_of(fault.kind))];
}

std::map<std::string, std::int64_t> Faults::counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
}

}  // namespace pawl::sandbox
