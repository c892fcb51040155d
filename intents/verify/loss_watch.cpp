#include "intents/verify/loss_watch.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "base/log.hpp"

namespace pawl::intents {
namespace {

std::vector<LostCommit> uncovered_among(db::Session& session,
                                        const std::vector<db::FoundHead>& heads) {
    const auto last = access::last_recovery(session);
    const auto covered_to = last ? std::optional(last->covers_to) : std::nullopt;
    return find_lost_commits(session, heads, covered_to);
}

void begin_if_any(db::Session& session, const std::vector<LostCommit>& lost) {
    if (lost.empty()) return;
    log::error("commits are missing that this server has recorded; recovery begins",
               {{"missing", described(lost)}, {"remedy", "docs/recovery.md"}});
    access::begin_recovery(
        session, recovery_from(lost, "server", "commits that it has recorded are missing"));
}

}  // namespace

std::vector<LostCommit> uncovered_losses(db::Session& session) {
    return uncovered_among(session, recorded_heads(session));
}

std::string described(const std::vector<LostCommit>& lost) {
    if (lost.empty()) return "";
    const std::string first = to_text(lost.front());
    if (lost.size() == 1) return first;
    return fmt::format("{}, and {} more", first, lost.size() - 1);
}

access::NewRecovery recovery_from(const std::vector<LostCommit>& lost, std::string principal,
                                  std::string reason) {
    access::NewRecovery begun{std::move(principal), std::move(reason), described(lost), {}};
    for (const LostCommit& one : lost) {
        const Time at = one.head.written_at;
        begun.lost_from = std::min(begun.lost_from.value_or(at), at);
        begun.lost_to = std::max(begun.lost_to, std::optional(at));
    }
    return begun;
}

void recover_if_lost(db::Session& session) {
    begin_if_any(session, uncovered_losses(session));
}

// A step that fails is repeated with the same heads.
jobs::Chore loss_chore() {
    const auto earlier = std::make_shared<std::vector<db::FoundHead>>();
    return {"compare heads", std::chrono::seconds(10), [earlier](db::Session& session, Time) {
                begin_if_any(session, uncovered_among(session, *earlier));
                *earlier = recorded_heads(session);
                return false;
            }};
}

}  // namespace pawl::intents
