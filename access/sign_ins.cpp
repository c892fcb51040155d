#include "access/sign_ins.hpp"

#include <chrono>
#include <utility>

#include "access/audit.hpp"
#include "base/json.hpp"
#include "base/log.hpp"

namespace pawl::access {

std::int64_t RejectedSignIns::admit() {
    const std::lock_guard lock(mutex_);
    const Time now = clock_.now();
    if (now - minute_began_ >= std::chrono::minutes(1)) {
        minute_began_ = now;
        rows_ = 0;
    }
    if (rows_ == rows_a_minute) {
        ++left_out_;
        return -1;
    }
    ++rows_;
    return std::exchange(left_out_, 0);
}

void RejectedSignIns::note(const RejectedSignIn& rejected) {
    const std::int64_t left_out = admit();
    if (left_out < 0) return;
    log::warn("admin sign-in rejected", {{"reason", rejected.reason},
                                         {"principal", rejected.principal},
                                         {"request", rejected.request},
                                         {"remote", rejected.remote},
                                         {"left_out", left_out}});
    json::Writer details;
    details.begin_object().member("remote", rejected.remote).member("left_out", left_out);
    details.member("act_id", new_act_id()).end_object();
    const AuditEntry entry{rejected.principal.empty() ? "unknown" : rejected.principal,
                           "sign_in.reject", rejected.request, rejected.reason, details.take()};
    try {
        const auto session = pool_.take();
        db::in_transaction(*session,
                           [&entry](db::Transaction& transaction) { record(transaction, entry); });
    } catch (const db::Failure& failure) {
        log::warn("rejected sign-in not recorded", {{"error", failure.what()}});
    }
}

}  // namespace pawl::access
