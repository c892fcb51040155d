#include "controllers/admin/transfers.hpp"

#include <algorithm>
#include <array>

#include "controllers/v1/body.hpp"
#include "intents/operator/transfer_acts.hpp"

namespace pawl::http {
namespace {

using intents::TransferAct;

constexpr const char* forms =
    "body: invalid; a transfer is {\"reverses\":ID}, or {\"corrects\":ID,\"reference\":...} with "
    "account or "
    "amount, or {\"reference\":...} with debit_account, credit_account, amount and currency; each "
    "with a "
    "reason";

// The document states the members; which of them go together is stated here.
Result<TransferAct> act_of(const Body& body) {
    const auto reverses = body.number("reverses"), corrects = body.number("corrects");
    const auto amount = body.number("amount");
    const auto reference = body.text("reference"), account = body.text("account");
    const auto debit = body.text("debit_account"), credit = body.text("credit_account");
    const auto code = body.text("currency");
    const bool names_sides = debit || credit || code;
    if (reverses) {
        if (corrects || reference || account || amount || names_sides) return invalid(forms);
        return TransferAct(intents::ReverseTransfer{*reverses});
    }
    if (!reference) return invalid(forms);
    if (corrects) {
        if (names_sides) return invalid(forms);
        intents::CorrectTransfer act{*corrects, *reference, std::nullopt, amount};
        if (account) act.account = AccountId(*account);
        return TransferAct(std::move(act));
    }
    if (!debit || !credit || !amount || !code || account) return invalid(forms);
    const auto currency = Currency::parse(*code);
    if (!currency) return currency.error();
    return TransferAct(intents::PostEntry{
        *reference, AccountId(*debit), AccountId(*credit), {*amount, *currency}});
}

int status_of(const std::string& code) {
    if (code == "unknown_transfer") return 404;
    constexpr std::array<std::string_view, 4> wrong = {"bad_reference", "bad_account", "bad_amount",
                                                       "nothing_to_correct"};
    return std::find(wrong.begin(), wrong.end(), code) != wrong.end() ? 400 : 409;
}

Reply to_reply(const intents::TransferActResult& result) {
    if (const auto* refused = std::get_if<intents::TransferActRefused>(&result)) {
        return problem(status_of(refused->code), refused->code, refused->message);
    }
    const auto& done = std::get<intents::TransferActDone>(result);
    json::Writer out;
    out.begin_object().member("reference", done.reference).member("duplicate", done.duplicate);
    out.key("transfers").begin_array();
    for (const ledger::Posted& one : done.transfers) write_posted(out, one);
    out.end_array().end_object();
    return json_200(out.take());
}

}  // namespace

void write_posted(json::Writer& out, const ledger::Posted& one) {
    out.begin_object().member("id", one.id).member("effect_key", one.effect_key.str());
    out.member("debit_account", one.debit.str()).member("credit_account", one.credit.str());
    out.member("currency", one.amount.currency.code()).member("amount", one.amount.minor);
    const bool of_payment = !one.payment_key.empty();
    out.member("payment_key", of_payment ? std::optional(one.payment_key) : std::nullopt);
    out.member("reverses", one.reverses).member("corrects", one.corrects).end_object();
}

SessionHandler post_transfer(const Clock& clock, std::function<void()> on_change) {
    return [&clock, on_change = std::move(on_change)](const Request& request,
                                                      db::Session& session) -> Reply {
        const auto act = act_of(Body(request.body));
        if (!act) return problem(400, "bad_body", act.error().message);
        const auto result = intents::apply_transfer_act(
            session, *act, {request.principal->name, reason_of(request)}, clock.now());
        on_change();
        return to_reply(result);
    };
}

}  // namespace pawl::http
