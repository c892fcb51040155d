#include "controllers/admin/table.hpp"

#include "controllers/admin/accounts.hpp"
#include "controllers/admin/acts.hpp"
#include "controllers/admin/attention.hpp"
#include "controllers/admin/intents.hpp"
#include "controllers/admin/jobs.hpp"
#include "controllers/admin/providers.hpp"
#include "controllers/admin/transfers.hpp"
#include "controllers/admin/verify.hpp"
#include "controllers/admin/workflows.hpp"

namespace pawl::http {
namespace {

ProviderNames names_of(const std::vector<providers::Provider>& providers) {
    ProviderNames names;
    for (const providers::Provider& one : providers) names.emplace(one.name());
    return names;
}

}  // namespace

void add_admin(Routes& routes, const AdminDeps& deps, const AdminParts& parts) {
    const auto view = [&](const char* path, SessionHandler handler) {
        const Operation& operation = shipped_operation("GET", path);
        routes.add(
            {"GET", path, ServedOn::admin, require_viewer(deps, operation, std::move(handler))});
    };
    const auto change = [&](const char* path, SessionHandler handler) {
        const Operation& operation = shipped_operation("POST", path);
        routes.add(
            {"POST", path, ServedOn::admin, require_operator(deps, operation, std::move(handler))});
    };
    const auto on_intent = [&](intents::Act act) {
        return act_on_intent(act, parts.providers, parts.clock, parts.on_change);
    };
    const auto on_run = [&](workflows::RunAct act) {
        return act_on_workflow(act, parts.clock, parts.on_change);
    };
    const auto on_job = [&](jobs::Act act) {
        return act_on_job(act, parts.clock, parts.on_change);
    };
    view("/admin/v1/attention", get_attention(parts.configured, parts.clock));
    view("/admin/v1/intents", get_intents);
    // Before the event itself, whose id may have slashes.
    change("/admin/v1/intents/{provider}/{event_id*}/retry", on_intent(intents::Act::retry));
    change("/admin/v1/intents/{provider}/{event_id*}/release", on_intent(intents::Act::release));
    change("/admin/v1/intents/{provider}/{event_id*}/post", on_intent(intents::Act::post));
    change("/admin/v1/intents/{provider}/{event_id*}/assign", on_intent(intents::Act::assign));
    change("/admin/v1/intents/{provider}/{event_id*}/dismiss", on_intent(intents::Act::dismiss));
    view("/admin/v1/intents/{provider}/{event_id*}", get_intent);
    view("/admin/v1/rejections", get_rejections);
    view("/admin/v1/accounts", get_accounts);
    view("/admin/v1/accounts/{account*}", get_account);
    change("/admin/v1/transfers", post_transfer(parts.clock, parts.on_change));
    view("/admin/v1/audit", get_audit);
    view("/admin/v1/providers", get_providers(parts.provider_names, names_of(parts.providers)));
    change("/admin/v1/providers/{provider}/pause", pause_provider(parts.provider_names));
    change("/admin/v1/providers/{provider}/resume", resume_provider(parts.provider_names));
    view("/admin/v1/workflows", get_workflows);
    view("/admin/v1/workflows/{id}", get_workflow);
    change("/admin/v1/workflows/{id}/resume", on_run(workflows::RunAct::resume));
    change("/admin/v1/workflows/{id}/cancel", on_run(workflows::RunAct::cancel));
    change("/admin/v1/workflows/{id}/new-attempt", on_run(workflows::RunAct::new_attempt));
    change("/admin/v1/workflows/{id}/resolve", on_run(workflows::RunAct::resolve));
    view("/admin/v1/jobs", get_jobs);
    view("/admin/v1/jobs/{id}", get_job);
    change("/admin/v1/jobs/{id}/retry", on_job(jobs::Act::retry));
    change("/admin/v1/jobs/{id}/discard", on_job(jobs::Act::discard));
    const char* const verify = "/admin/v1/verify";
    routes.add({"POST", verify, ServedOn::admin,
                run_verify(deps, shipped_operation("POST", verify), parts.session, parts.verify)});
}

}  // namespace pawl::http
