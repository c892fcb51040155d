#include "app/recovering.hpp"

#include <fmt/core.h>

#include "access/recovery.hpp"
#include "app/database.hpp"
#include "base/log.hpp"
#include "intents/verify/loss_watch.hpp"

namespace pawl::app {

Result<void> refuse_lost_commits(db::Session& session) {
    const auto lost = intents::uncovered_losses(session);
    if (!lost.empty()) {
        return invalid(fmt::format(
            "database: commits are missing that this data directory has on record: {}; if a "
            "restore or a failover has lost them, run `pawl recover`; else name the current "
            "database (docs/recovery.md)",
            intents::described(lost)));
    }
    const auto last = access::last_recovery(session);
    if (last && last->is_on()) {
        log::warn("recovery is on: the gateway is asked before each call is sent",
                  {{"since", to_rfc3339(last->began_at)},
                   {"reason", last->reason},
                   {"remedy", "pawl recover --end --reason TEXT (docs/recovery.md)"}});
    }
    return {};
}

Result<void> check_may_post(const Settings& settings, db::Session& session) {
    if (auto bound = check_mode(settings, session); !bound) return bound;
    return refuse_lost_commits(session);
}

Check check_recovery(db::Session& session) {
    if (const auto lost = intents::uncovered_losses(session); !lost.empty()) {
        return {"recovery", Health::bad,
                "commits are missing that this machine has on record: " + intents::described(lost),
                "if a restore or a failover has lost them: pawl recover (docs/recovery.md)"};
    }
    const auto last = access::last_recovery(session);
    if (!last || !last->is_on()) return {"recovery", Health::good, "off", ""};
    return {"recovery", Health::doubtful,
            fmt::format("on since {} ({}): the gateway is asked before each call is sent",
                        to_rfc3339(last->began_at), last->reason),
            "when the lost period is dealt with: pawl recover --end --reason TEXT"};
}

}  // namespace pawl::app
