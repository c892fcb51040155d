#include "controllers/ledger_json.hpp"

namespace pawl::http {

void write(json::Writer& out, const ledger::BalanceRow& row) {
    out.begin_object().member("account", row.account).member("currency", row.currency);
    out.member("amount", row.amount).member("last_event_sequence", row.last_event_sequence);
    out.member("late_count", row.late_count).member("version", row.version).end_object();
}

void write(json::Writer& out, const ledger::TransferRow& row) {
    out.begin_object().member("id", row.id).member("effect_key", row.effect_key);
    out.member("debit_account", row.debit_account).member("credit_account", row.credit_account);
    out.member("currency", row.currency).member("amount", row.amount);
    out.member("provider", row.provider).member("event_id", row.event_id);
    out.member("sequence", row.sequence).member("posted_at", row.posted_at).end_object();
}

}  // namespace pawl::http
