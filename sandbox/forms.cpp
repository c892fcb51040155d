#include "sandbox/forms.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <optional>

#include "base/money.hpp"
#include "sandbox/book_parts.hpp"

namespace pawl::sandbox {
namespace {

constexpr std::int64_t amount_max = 999'999'999'999;  // twelve digits, Stripe's largest
constexpr std::size_t metadata_value_bytes_max = 500;

std::optional<Done> unknown_in(const Fields& form, std::initializer_list<std::string_view> known) {
    for (const auto& [name, value] : form) {
        const std::string_view stem = std::string_view(name).substr(0, name.find('['));
        if (std::find(known.begin(), known.end(), stem) != known.end()) continue;
        return refusal(400, "parameter_unknown", "Received unknown parameter: " + name);
    }
    return std::nullopt;
}

std::optional<std::int64_t> parse_amount(const std::string& text) {
    std::int64_t amount = 0;
    const char* end = text.data() + text.size();
    const auto [stop, failed] = std::from_chars(text.data(), end, amount);
    if (failed != std::errc() || stop != end || amount < 1 || amount > amount_max) return {};
    return amount;
}

Done bad_amount(const std::string& text) {
    return refusal(400, "parameter_invalid_integer", "Invalid integer: " + text);
}

std::optional<Done> read_metadata(const Fields& form, Metadata& into) {
    constexpr std::string_view prefix = "metadata[";
    for (const auto& [name, value] : form) {
        if (!name.starts_with(prefix) || !name.ends_with(']')) continue;
        if (value.size() > metadata_value_bytes_max) {
            return refusal(400, "", "Metadata values can have up to 500 characters.");
        }
        if (value.empty()) continue;  // unset, at Stripe
        into[name.substr(prefix.size(), name.size() - prefix.size() - 1)] = value;
    }
    return std::nullopt;
}

std::string counted_by(const Metadata& metadata, const std::string& key) {
    const auto own = metadata.find("key");
    return own == metadata.end() ? key : own->second;
}

std::variant<Action, Done> read_intent(const Fields& form, const std::string& key) {
    if (auto wrong = unknown_in(form, {"amount", "currency", "confirm", "payment_method",
                                       "metadata", "automatic_payment_methods", "description",
                                       "capture_method", "payment_method_options", "expand"})) {
        return *wrong;
    }
    NewIntent wanted;
    const std::string amount = value_of(form, "amount").value_or("");
    const auto parsed = parse_amount(amount);
    if (!parsed) return bad_amount(amount);
    wanted.amount = *parsed;
    wanted.currency = value_of(form, "currency").value_or("");
    const bool lower = std::all_of(wanted.currency.begin(), wanted.currency.end(),
                                   [](char c) { return c >= 'a' && c <= 'z'; });
    if (!lower || !Currency::parse(wanted.currency)) {
        return refusal(400, "", "Invalid currency: " + wanted.currency);
    }
    wanted.confirm = value_of(form, "confirm") == "true";
    wanted.manual = value_of(form, "capture_method") == "manual";
    wanted.multicapture =
        value_of(form, "payment_method_options[card][request_multicapture]") == "if_available";
    wanted.expanded = value_of(form, "expand[]") == "latest_charge";
    wanted.payment_method = value_of(form, "payment_method").value_or("pm_card_visa");
    if (auto wrong = read_metadata(form, wanted.metadata)) return *wrong;
    wanted.key = counted_by(wanted.metadata, key);
    return Action(std::move(wanted));
}

std::variant<Action, Done> read_refund(const Fields& form, const std::string& key) {
    if (auto wrong = unknown_in(form, {"payment_intent", "amount", "metadata", "reason"})) {
        return *wrong;
    }
    NewRefund wanted;
    wanted.payment_intent = value_of(form, "payment_intent").value_or("");
    if (const auto amount = value_of(form, "amount")) {
        const auto parsed = parse_amount(*amount);
        if (!parsed) return bad_amount(*amount);
        wanted.amount = *parsed;
    }
    if (auto wrong = read_metadata(form, wanted.metadata)) return *wrong;
    wanted.key = counted_by(wanted.metadata, key);
    return Action(std::move(wanted));
}

std::variant<Action, Done> read_capture(const std::string& id, const Fields& form,
                                        const std::string& key) {
    if (auto wrong = unknown_in(form, {"amount_to_capture", "final_capture", "metadata"})) {
        return *wrong;
    }
    NewCapture wanted;
    wanted.payment_intent = id;
    if (const auto amount = value_of(form, "amount_to_capture")) {
        const auto parsed = parse_amount(*amount);
        if (!parsed) return bad_amount(*amount);
        wanted.amount = *parsed;
    }
    wanted.final = value_of(form, "final_capture").value_or("true") == "true";
    if (auto wrong = read_metadata(form, wanted.metadata)) return *wrong;
    const auto own = wanted.metadata.find("capture");
    wanted.key = own == wanted.metadata.end() ? key : own->second;
    return Action(std::move(wanted));
}

}  // namespace

std::variant<Action, Done> read_action(const std::string& path, const Fields& form,
                                       const std::string& key) {
    constexpr std::string_view intents = "/v1/payment_intents";
    if (path == intents) return read_intent(form, key);
    if (path == "/v1/refunds") return read_refund(form, key);
    if (path.starts_with(std::string(intents) + "/")) {
        const std::string rest = path.substr(intents.size() + 1);
        const auto slash = rest.find('/');
        const std::string verb = slash == std::string::npos ? "" : rest.substr(slash + 1);
        const std::string id = rest.substr(0, slash);
        if (verb == "capture") return read_capture(id, form, key);
        if (verb == "cancel") {
            if (auto wrong = unknown_in(form, {"cancellation_reason"})) return *wrong;
            return Action(Cancel{id});
        }
        if (verb == "confirm") {
            if (auto wrong = unknown_in(form, {"payment_method", "return_url"})) return *wrong;
            return Action(Confirm{id});
        }
    }
    return refusal(404, "", "Unrecognized request URL (POST: " + path + ").");
}

}  // namespace pawl::sandbox
