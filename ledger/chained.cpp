#include "ledger/chained.hpp"

namespace pawl::ledger {
namespace {

std::optional<std::string_view> known(std::string_view text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<std::int64_t> number_of(const std::optional<Sequence>& sequence) {
    return sequence ? std::optional(sequence->value) : std::nullopt;
}

}  // namespace

chain::Rows chained(const std::vector<const Transfer*>& transfers, Time posted_at) {
    chain::Rows rows;
    for (const Transfer* one : transfers) {
        const ByOperator* act = one->by_operator ? &*one->by_operator : nullptr;
        rows.text(one->effect_key.str()).text(known(one->payment_key.str()));
        rows.text(one->debit.str()).text(one->credit.str()).text(one->amount.currency.code());
        rows.number(one->amount.minor);
        rows.text(known(one->provider.str())).text(known(one->event_id.str()));
        rows.text(known(one->payment_id))
            .text(known(one->refund_id))
            .text(act != nullptr ? known(act->entry_id) : std::nullopt);
        rows.number(act != nullptr ? act->reverses : std::nullopt);
        rows.number(act != nullptr ? act->corrects : std::nullopt);
        rows.text(act != nullptr ? known(operator_source) : std::nullopt);
        rows.text(act != nullptr ? known(act->reason) : std::nullopt);
        rows.number(number_of(one->sequence)).time(one->occurred_at).time(posted_at);
        rows.end_row();
    }
    return rows;
}

}  // namespace pawl::ledger
