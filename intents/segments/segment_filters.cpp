#include "intents/segments/segment_filters.hpp"

#include "base/crypto.hpp"
#include "base/log.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// A segment that has been sealed meanwhile is asked by its index: nothing is urgent.
constexpr std::chrono::seconds look_every(5);
constexpr std::size_t token_letters = 32;

std::shared_ptr<const KeyFilter> read_filter(const KnownSegments& known, const std::string& token,
                                             const std::string& bytes) {
    const std::int64_t segment = known.through + 1;
    auto filter = KeyFilter::from_bytes(bytes, segment);
    std::string why;
    if (!filter) why = filter.error().message;
    if (filter && token_of(known.token, KeyFilter::checksum_of(bytes)) != token) {
        why = "the filter is not the one that the segment was sealed with";
    }
    if (why.empty()) return std::make_shared<const KeyFilter>(std::move(*filter));
    log::error("a filter was unusable; lookups use the index of the segment",
               {{"segment", segment}, {"error", why}});
    return nullptr;
}

}  // namespace

std::string token_of(const std::string& before, const std::string& checksum) {
    return crypto::sha256_hex(before + checksum).substr(0, token_letters);
}

std::shared_ptr<const KnownSegments> SegmentFilters::known() const {
    const std::lock_guard lock(mutex_);
    return known_;
}

bool SegmentFilters::load_next(db::Session& session) {
    const auto before = known();
    const auto rows = db::Statement::run(
        session, sql::NextFilter{.through = before->through, .token = before->token});
    const auto row = rows.only();
    auto next = std::make_shared<KnownSegments>();
    if (row.own_known()) {
        if (!row.token()) return false;
        *next = *before;
        next->token = *row.token();
        next->filters.push_back(read_filter(*before, next->token, row.filter().value()));
        ++next->through;
    }  // else they are of another database, or of commits that it has lost: begin again
    const std::lock_guard lock(mutex_);
    if (known_ == before) known_ = std::move(next);
    return true;
}

void SegmentFilters::keep_up(db::Session& session, std::chrono::steady_clock::time_point now) {
    {
        const std::lock_guard lock(mutex_);
        if (now < due_) return;
        due_ = now + look_every;  // other threads skip the load meanwhile
    }
    if (!load_next(session)) return;
    const std::lock_guard lock(mutex_);
    due_ = now;
}

}  // namespace pawl::intents
