#include "intents/segments/sealing.hpp"

#include "base/fault.hpp"
#include "base/log.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

// Keys of one step, so that none is long.
constexpr std::int64_t keys_at_once = 10'000;
// More are counted, and not named one by one.
constexpr std::size_t doubles_named_max = 1000;
constexpr std::chrono::seconds every(5);

}  // namespace

Sealing::Sealing(std::int64_t segment_events, SegmentFilters& filters, Metrics& metrics)
    : segment_events_(segment_events),
      filters_(filters),
      doubles_(metrics
                   .counter("pawl_event_doubles_total",
                            "Events that were found in two segments when the later was sealed.")
                   .alone()) {}

bool Sealing::step(db::Session& session) {
    open_next_if_full(session);
    if (work_ && work_->connection != session.generation()) work_.reset();
    if (!work_) {
        work_ = find_work(session);
        return work_.has_value();
    }
    if (!work_->older && !close(session)) return false;
    if (read_some(session)) return true;
    seal(session);
    work_.reset();
    return true;
}

void Sealing::open_next_if_full(db::Session& session) const {
    const auto rows = db::Statement::run(session, sql::NewestSegment{});
    const std::int64_t newest = rows.only().segment();
    if (rows.only().events() < segment_events_) return;
    const auto opened = db::Statement::run(session, sql::OpenSegment{.segment = newest});
    if (opened.affected() == 0) return;
    log::info("a segment was opened", {{"segment", newest + 1}});
    PAWL_FAULT_POINT(segment_opened);
}

// The barrier is taken when the next segment is there for all to see. A transaction that has not
// seen it has a lower number (lock.sql).
std::optional<Sealing::Work> Sealing::find_work(db::Session& session) {
    const auto rows = db::Statement::run(session, sql::SegmentToSeal{});
    if (rows.empty()) return std::nullopt;
    Work work;
    work.segment = rows[0].segment();
    work.before = rows[0].token_before();
    work.connection = session.generation();
    while (filters_.known()->through < work.segment - 1 && filters_.load_next(session)) {
    }
    work.barrier = db::Statement::run(session, sql::TransactionNumber{}).only().number();
    return work;
}

// Where the filters of the older ones are not all there, as after a failover, it begins again.
bool Sealing::close(db::Session& session) {
    const sql::OlderHaveEnded question{.transaction_number = work_->barrier};
    if (!db::Statement::run(session, question).only().ended()) return false;
    work_->older = filters_.known();
    const bool all =
        work_->older->through == work_->segment - 1 && work_->older->token == work_->before;
    if (!all) work_.reset();
    return all;
}

// Returns false if it read the last keys.
bool Sealing::read_some(db::Session& session) {
    const sql::KeysOfSegment statement{.segment = work_->segment,
                                       .after_provider = work_->last.first.str(),
                                       .after_event_id = work_->last.second.str(),
                                       .keys_max = keys_at_once};
    std::vector<IntentKey> keys;
    for (const auto row : db::Statement::run(session, statement)) {
        keys.emplace_back(ProviderName(std::string(row.provider())),
                          EventId(std::string(row.event_id())));
    }
    prove(session, keys);
    for (const IntentKey& key : keys) work_->hashes.push_back(filter_hash(key));
    if (!keys.empty()) work_->last = keys.back();
    return static_cast<std::int64_t>(keys.size()) == keys_at_once;
}

void Sealing::prove(db::Session& session, const std::vector<IntentKey>& keys) {
    db::Texts providers, ids;
    db::Numbers segments;
    for (const IntentKey& key : keys) {
        const std::uint64_t hash = filter_hash(key);
        for (std::int64_t segment = 1; segment < work_->segment; ++segment) {
            if (!work_->older->may_be_in(segment, hash)) continue;
            providers.add(key.first.str());
            ids.add(key.second.str());
            segments.add(segment);
        }
    }
    if (segments.empty()) return;
    const sql::FindInSegments statement{.provider = std::move(providers),
                                        .event_id = std::move(ids),
                                        .segment = std::move(segments)};
    for (const auto row : db::Statement::run(session, statement)) {
        doubles_.add();
        if (work_->doubles.size() == doubles_named_max) continue;
        work_->doubles.push_back(std::string(row.provider()) + "/" + std::string(row.event_id()));
        log::error("an event was found in two segments", {{"event", work_->doubles.back()},
                                                          {"segment", row.segment()},
                                                          {"and_segment", work_->segment}});
    }
}

void Sealing::seal(db::Session& session) {
    PAWL_FAULT_POINT(segment_before_seal);
    const KeyFilter filter(work_->segment, work_->hashes);
    const std::string bytes = filter.to_bytes();
    const sql::SealSegment statement{
        .segment = work_->segment,
        .token_before = work_->before,
        .token = token_of(work_->before, KeyFilter::checksum_of(bytes)),
        .keys = filter.keys(),
        .filter = bytes,
        .doubles = db::Texts(work_->doubles)};
    db::Transaction transaction(session);
    if (session.generation() != work_->connection) return;
    const bool sealed = transaction.run(statement).affected() == 1;
    transaction.commit();
    PAWL_FAULT_POINT(segment_sealed);
    if (!sealed) return;
    log::info("a segment was sealed", {{"segment", work_->segment}, {"events", filter.keys()}});
}

jobs::Chore sealing_chore(std::int64_t segment_events, SegmentFilters& filters, Metrics& metrics) {
    return {"seal segments", every,
            [sealing = std::make_shared<Sealing>(segment_events, filters, metrics)](
                db::Session& session, Time) { return sealing->step(session); }};
}

}  // namespace pawl::intents
