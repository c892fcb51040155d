#include "app/commands/admin_table.hpp"

namespace pawl::app {
namespace {

const std::vector<Column> intent_columns = {
    {"received", "received_at", Shown::time}, {"provider", "provider"},
    {"event", "event_id", Shown::id},         {"type", "type"},
    {"outcome", "outcome", Shown::state},     {"account", "account", Shown::id},
    {">amount", "amount", Shown::money},      {"note", "note"}};
const std::vector<Column> attention_columns = {{"since", "since", Shown::time},
                                               {"kind", "kind"},
                                               {"scope", "scope"},
                                               {"reason", "reason"},
                                               {"type", "type"},
                                               {">count", "count"},
                                               {"oldest", "example", Shown::id},
                                               {"remedy", "remedy"}};
const std::vector<Column> rejection_columns = {{"received", "received_at", Shown::time},
                                               {"provider", "provider"},
                                               {"diagnosis", "diagnosis"},
                                               {"remote", "remote"},
                                               {">bytes", "body_bytes"},
                                               {"delivery", "delivery_id"}};
const std::vector<Column> account_columns = {{"account", "account", Shown::id},
                                             {">balance", "amount", Shown::money},
                                             {">late", "late_count"}};
const std::vector<Column> transfer_columns = {
    {"posted", "posted_at", Shown::time}, {">id", "id"},
    {"key", "effect_key", Shown::id},     {"from", "debit_account", Shown::id},
    {"to", "credit_account", Shown::id},  {">amount", "amount", Shown::money},
    {"event", "event_id", Shown::id}};
const std::vector<Column> job_columns = {{"staged", "staged_at", Shown::time},
                                         {"job", "id", Shown::id},
                                         {"kind", "kind"},
                                         {"state", "state", Shown::state},
                                         {">attempts", "attempts"},
                                         {"next run", "run_at", Shown::time},
                                         {"last error", "last_error"}};
const std::vector<Column> run_columns = {{"created", "created_at", Shown::time},
                                         {">run", "run_id"},
                                         {"workflow", "workflow"},
                                         {"key", "key", Shown::id},
                                         {"step", "step"},
                                         {"status", "status", Shown::state},
                                         {"wakes", "wake_at", Shown::time},
                                         {"note", "note"}};
const std::vector<Column> audit_columns = {{"at", "at", Shown::time},
                                           {"principal", "principal"},
                                           {"action", "action"},
                                           {"subject", "subject"},
                                           {"reason", "reason"}};

const std::vector<Column> provider_columns = {{"provider", "provider"},
                                              {"configured", "configured"},
                                              {"enabled", "enabled"},
                                              {"paused", "paused"},
                                              {"since", "paused_at", Shown::time},
                                              {"by", "paused_by"},
                                              {"reason", "reason"},
                                              {">waiting", "waiting"}};

const std::vector<Verb> verbs = {
    {"attention", "list", "GET", "/admin/v1/attention", "--limit 20", attention_columns},
    {"intents", "list", "GET", "/admin/v1/intents", "--status quarantined", intent_columns},
    {"intents", "show", "GET", "/admin/v1/intents/{provider}/{event_id}", "demo evt_1"},
    {"intents", "retry", "POST", "/admin/v1/intents/{provider}/{event_id}/retry",
     "demo evt_1 --reason 'rule for refunds added'"},
    {"intents", "release", "POST", "/admin/v1/intents/{provider}/{event_id}/release",
     "demo evt_7 --reason 'evt_6 was never sent'"},
    {"intents", "post", "POST", "/admin/v1/intents/{provider}/{event_id}/post",
     "demo evt_9 --reason 'captured at the old system'"},
    {"intents", "assign", "POST", "/admin/v1/intents/{provider}/{event_id}/assign",
     "demo evt_9 --account user:42 --reason 'the provider left it out'"},
    {"intents", "dismiss", "POST", "/admin/v1/intents/{provider}/{event_id}/dismiss",
     "demo evt_9 --reason 'a test of the provider'"},
    {"rejections", "list", "GET", "/admin/v1/rejections", "--provider demo", rejection_columns},
    {"providers", "list", "GET", "/admin/v1/providers", "--limit 20", provider_columns},
    {"providers", "pause", "POST", "/admin/v1/providers/{provider}/pause",
     "demo --reason 'amounts look wrong'"},
    {"providers", "resume", "POST", "/admin/v1/providers/{provider}/resume",
     "demo --reason 'rule corrected'"},
    {"accounts", "list", "GET", "/admin/v1/accounts", "--limit 10", account_columns},
    {"accounts", "show", "GET", "/admin/v1/accounts/{account}", "user:42"},
    {"transfers", "list", "GET", "/admin/v1/accounts/{account}", "user:42", transfer_columns,
     "transfers", "The latest transfers of an account"},
    {"transfers",
     "post",
     "POST",
     "/admin/v1/transfers",
     "T-17 --debit-account promo --credit-account user:42 --amount 500 --currency USD "
     "--reason goodwill",
     {},
     {},
     "Post an entry between two accounts",
     {{"reference", Given::as_argument},
      {"debit_account"},
      {"credit_account"},
      {"amount"},
      {"currency"},
      {"reason"}}},
    {"transfers",
     "reverse",
     "POST",
     "/admin/v1/transfers",
     "1042 --reason 'posted by mistake'",
     {},
     {},
     "Take a transfer back",
     {{"reverses", Given::as_argument}, {"reason"}}},
    {"transfers",
     "correct",
     "POST",
     "/admin/v1/transfers",
     "1042 T-18 --account user:43 --reason 'captured for the wrong user'",
     {},
     {},
     "Reverse a transfer and post it with another account or amount",
     {{"corrects", Given::as_argument},
      {"reference", Given::as_argument},
      {"account", Given::if_known},
      {"amount", Given::if_known},
      {"reason"}}},
    {"workflows", "list", "GET", "/admin/v1/workflows", "--status needs_review", run_columns},
    {"workflows", "show", "GET", "/admin/v1/workflows/{id}", "7"},
    {"workflows", "resume", "POST", "/admin/v1/workflows/{id}/resume",
     "7 --reason 'the API key is valid again'"},
    {"workflows", "cancel", "POST", "/admin/v1/workflows/{id}/cancel",
     "7 --reason 'ordered by mistake'"},
    {"workflows", "new-attempt", "POST", "/admin/v1/workflows/{id}/new-attempt",
     "7 --reason 'the gateway has no charge of this key'"},
    {"workflows", "resolve", "POST", "/admin/v1/workflows/{id}/resolve",
     "7 --outcome succeeded --reference pi_3 --reason 'found in the dashboard'"},
    {"jobs", "list", "GET", "/admin/v1/jobs", "--state dead", job_columns},
    {"jobs", "show", "GET", "/admin/v1/jobs/{id}", "42"},
    {"jobs", "retry", "POST", "/admin/v1/jobs/{id}/retry", "42 --reason 'the shop is back'"},
    {"jobs", "discard", "POST", "/admin/v1/jobs/{id}/discard",
     "42 --reason 'the shop has booked it'"},
    {"audit", "list", "GET", "/admin/v1/audit", "--limit 10", audit_columns},
};

}  // namespace

std::span<const Verb> admin_verbs() {
    return verbs;
}

}  // namespace pawl::app
