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
    const db::Rows rows = db::Statement::run(session, sql::newest_segment);
    const std::int64_t newest = rows.only().number(0);
    if (rows.only().number(1) < segment_events_) return;
    const auto opened = db::Statement::run(session, sql::open_segment, db::Params().number(newest));
    if (opened.affected() == 0) return;
    log::info("a segment is open for new events", {{"segment", newest + 1}});
    PAWL_FAULT_POINT(segment_opened);
}

// The barrier is taken when the next segment is there for all to see. A transaction that has not
// seen it has a lower number (lock.sql).
std::optional<Sealing::Work> Sealing::find_work(db::Session& session) {
    const db::Rows rows = db::Statement::run(session, sql::segment_to_seal);
    if (rows.empty()) return std::nullopt;
    Work work;
    work.segment = rows[0].number(0);
    work.before = rows[0].str(1);
    work.connection = session.generation();
    while (filters_.known()->through < work.segment - 1 && filters_.load_next(session)) {
    }
    work.barrier = db::Statement::run(session, sql::transaction_number).only().str(0);
    return work;
}

// Where the filters of the older ones are not all there, as after a failover, it begins again.
bool Sealing::close(db::Session& session) {
    const auto ended =
        db::Statement::run(session, sql::older_have_ended, db::Params().text(work_->barrier));
    if (!ended.only().flag(0)) return false;
    work_->older = filters_.known();
    const bool all =
        work_->older->through == work_->segment - 1 && work_->older->token == work_->before;
    if (!all) work_.reset();
    return all;
}

// False: that was the last of it.
bool Sealing::read_some(db::Session& session) {
    const auto params = db::Params()
                            .number(work_->segment)
                            .text(work_->last.first.str())
                            .text(work_->last.second.str())
                            .number(keys_at_once);
    std::vector<IntentKey> keys;
    for (const db::Row row : db::Statement::run(session, sql::keys_of_segment, params)) {
        keys.emplace_back(ProviderName(row.str(0)), EventId(row.str(1)));
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
    db::Params params;
    params.column(std::move(providers)).column(std::move(ids)).column(std::move(segments));
    for (const db::Row row : db::Statement::run(session, sql::find_in_segments, params)) {
        doubles_.add();
        if (work_->doubles.size() == doubles_named_max) continue;
        work_->doubles.push_back(row.str(0) + "/" + row.str(1));
        log::error("an event stands in two segments", {{"event", work_->doubles.back()},
                                                       {"segment", row.number(2)},
                                                       {"and_segment", work_->segment}});
    }
}

void Sealing::seal(db::Session& session) {
    PAWL_FAULT_POINT(segment_before_seal);
    const KeyFilter filter(work_->segment, work_->hashes);
    const std::string bytes = filter.to_bytes();
    const auto params = db::Params()
                            .number(work_->segment)
                            .text(work_->before)
                            .text(token_of(work_->before, KeyFilter::checksum_of(bytes)))
                            .number(filter.keys())
                            .bytes(bytes)
                            .texts(work_->doubles);
    db::Transaction transaction(session);
    if (session.generation() != work_->connection) return;
    const bool sealed = transaction.run(sql::seal_segment, params).affected() == 1;
    transaction.commit();
    PAWL_FAULT_POINT(segment_sealed);
    if (!sealed) return;
    log::info("a segment is sealed", {{"segment", work_->segment}, {"events", filter.keys()}});
}

jobs::Chore sealing_chore(std::int64_t segment_events, SegmentFilters& filters, Metrics& metrics) {
    return {"seal segments", every,
            [sealing = std::make_shared<Sealing>(segment_events, filters, metrics)](
                db::Session& session, Time) { return sealing->step(session); }};
}

}  // namespace pawl::intents
