#include "intents/verify/journal_proof.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <thread>

#include "base/log.hpp"
#include "intents/sql.hpp"
#include "intents/verify/chain_began.hpp"
#include "intents/verify/chain_proof.hpp"

namespace pawl::intents {
namespace {

constexpr std::int64_t piece_rows = 20000;  // some tenths of a second, a few megabytes
// A transaction that has drawn a number and does not end holds up the proof for this long.
constexpr std::chrono::seconds settle_max{10};
constexpr std::chrono::milliseconds settle_poll{20};
// What is posted while the balances are read is walked, too, before it grows large.
constexpr std::chrono::seconds advance_every{5};

std::optional<std::string_view> maybe_view(const db::Row& row, int column) {
    return row.null(column) ? std::nullopt : std::optional(row.text(column));
}

std::string bytes_or_none(const db::Row& row, int column) {
    return row.null(column) ? "" : row.bytes(column);
}

ChainedRow transfer_of(const db::Row& row) {
    constexpr int fields = 3, occurred_at = 19, posted_at = 20;
    ChainedRow read{row.number(0), bytes_or_none(row, 1), bytes_or_none(row, 2), row.str(0), {}};
    for (int column = fields; column < occurred_at; ++column) {
        read.fields.text(maybe_view(row, column));
    }
    read.fields.time(row.maybe_time(occurred_at)).time(row.maybe_time(posted_at));
    read.fields.end_row();
    return read;
}

ChainedRow entry_of(const db::Row& row) {
    constexpr int fields = 4, end = 9;
    ChainedRow read{row.number(0),
                    bytes_or_none(row, 2),
                    bytes_or_none(row, 3),
                    row.str(0) + "@" + row.str(1),
                    {}};
    for (int column = fields; column < end; ++column) read.fields.text(maybe_view(row, column));
    read.fields.end_row();
    return read;
}

}  // namespace

struct JournalProof::Walk {
    const db::Query& rows;
    const db::Query& links;
    ChainedRow (*read)(const db::Row&);
    const char* name;
    ProvenTable& point;
    std::int64_t began;
    ChainProof proof;
    std::int64_t from;
    std::int64_t read_rows = 0;
    std::vector<Breach> breaches{};

    Walk(const db::Query& rows_query, const db::Query& links_query,
         ChainedRow (*reader)(const db::Row&), chain::Table table, const chain::Keys& keys,
         ProvenTable& from_point, std::int64_t began_at)
        : rows(rows_query),
          links(links_query),
          read(reader),
          name(chain::to_text(table).data()),
          point(from_point),
          began(began_at),
          proof(table, keys, from_point.chains, began_at),
          from(from_point.through) {}
};

JournalProof::JournalProof(db::Session& session, Depth depth, const Progress& progress)
    : session_(session), chain_(*session.options().chain), depth_(depth), progress_(progress) {}
JournalProof::~JournalProof() = default;

// Every row up to the numbers returned is there to be read: the transactions that may have drawn
// one of them, and were not over, have ended.
JournalProof::Bound JournalProof::settle() {
    const db::Rows rows = db::Statement::run(session_, sql::verify_newest);
    const db::Row newest = rows.only();
    const Bound bound{newest.number(0), newest.number(1), newest.time(2)};
    std::vector<std::string> writers;
    for (const db::Row row : db::Statement::run(session_, sql::verify_writers)) {
        writers.push_back(row.str(0));
    }
    const db::Params writing = db::Params().texts(writers);
    const auto until = std::chrono::steady_clock::now() + settle_max;
    while (!db::Statement::run(session_, sql::verify_ended, writing).only().flag(0)) {
        if (std::chrono::steady_clock::now() > until) {
            throw db::Failure(db::FailureKind::permanent, "55000",
                              "verify: a transaction has written movements or audit entries and "
                              "not ended for 10 s; end it (pg_stat_activity), and verify again");
        }
        std::this_thread::sleep_for(settle_poll);
    }
    return bound;
}

void JournalProof::walk(Walk& walk, std::int64_t to) {
    while (walk.point.through < to) {
        const db::Rows rows = db::Statement::run(
            session_, walk.rows,
            db::Params().number(walk.point.through).number(to).number(piece_rows));
        for (const db::Row row : rows) {
            if (&walk == transfers_.get()) {
                point_.sums.move(row.text(5), row.text(6), row.text(7), row.number(8));
            }
            walk.proof.add(walk.read(row));
        }
        walk.read_rows += rows.size();
        walk.point.through = rows.size() < piece_rows ? to : rows[rows.size() - 1].number(0);
        const std::int64_t from = std::max<std::int64_t>(walk.from, 0);
        if (progress_) progress_(walk.name, walk.point.through - from, to - from);
    }
    close_open(walk);
}

// Commits whose rows were numbered on both sides of the bound.
void JournalProof::close_open(Walk& walk) {
    std::int64_t at = walk.point.through;
    while (walk.proof.has_open()) {
        constexpr auto no_end = std::numeric_limits<std::int64_t>::max();
        const db::Rows rows = db::Statement::run(
            session_, walk.rows, db::Params().number(at).number(no_end).number(piece_rows));
        for (const db::Row row : rows) {
            ChainedRow read = walk.read(row);
            at = read.number;
            if (walk.proof.is_open(read.mark)) walk.proof.add(std::move(read));
        }
        if (rows.size() < piece_rows) return;
    }
}

// The last link of each chain that an earlier proof has seen must still be there.
void JournalProof::check_known(Walk& walk, const std::vector<chain::Head>& known) {
    std::vector<std::int64_t> numbers;
    for (const chain::Head& one : known) numbers.push_back(one.row);
    if (numbers.empty()) return;
    std::map<std::int64_t, std::string> hashes;
    for (const db::Row row :
         db::Statement::run(session_, walk.links, db::Params().numbers(numbers))) {
        const auto link = chain::Link::parse(bytes_or_none(row, 1));
        if (link) hashes[row.number(0)] = link->hash;
    }
    for (const chain::Head& one : known) {
        if (hashes[one.row] == one.hash) continue;
        walk.breaches.push_back(
            {"chain " + chain::name_of(one.chain),
             fmt::format(
                 "lacks its link {} at row {} of {}, which an earlier proof has seen: rows were "
                 "cut from its end",
                 one.seq, one.row, walk.name)});
    }
}

void JournalProof::check_unchained(Walk& walk, std::int64_t expected) {
    if (depth_ != Depth::deep || walk.proof.unchained() == expected) return;
    walk.breaches.push_back(
        {fmt::format("{} up to {}", walk.name, walk.began),
         fmt::format("{} were in no chain when chains began, and {} are: rows were cut or inserted",
                     expected, walk.proof.unchained())});
}

void JournalProof::advance() {
    const Bound bound = settle();
    walk(*transfers_, bound.transfers);
    walk(*audit_, bound.audit);
    point_.at = bound.at;
    advanced_ = std::chrono::steady_clock::now();
}

void JournalProof::run() {
    // Before the rows: every link that a head names was committed before the head was written.
    const auto heads = db::read_heads(chain_.folder(), chain_.keys());
    const auto began = read_began(chain_.folder(), chain_.keys());
    if (depth_ != Depth::deep) {
        if (auto proven = read_proven(chain_.folder(), chain_.keys())) {
            point_ = std::move(*proven);
            proven_at_ = point_.at;
        }
    }
    const auto known_transfers = point_.transfers.chains;
    const auto known_audit = point_.audit.chains;
    transfers_ = std::make_unique<Walk>(sql::verify_transfers, sql::verify_transfer_links,
                                        transfer_of, chain::Table::transfers, chain_.keys(),
                                        point_.transfers, began.transfers);
    audit_ =
        std::make_unique<Walk>(sql::verify_audit, sql::verify_audit_links, entry_of,
                               chain::Table::audit_log, chain_.keys(), point_.audit, began.audit);
    advance();
    prove_balances();
    check_known(*transfers_, known_transfers);
    check_known(*audit_, known_audit);
    check_unchained(*transfers_, began.unchained_transfers);
    check_unchained(*audit_, began.unchained_audit);
    for (Walk* walk : {transfers_.get(), audit_.get()}) {
        for (Breach& breach : walk->proof.finish(heads))
            walk->breaches.push_back(std::move(breach));
        walk->point.chains = walk->proof.known();
    }
}

// Piece by piece, as they were at the last transfer that was walked.
void JournalProof::prove_balances() {
    point_.sums.begin_asking();
    std::string account, currency;
    std::int64_t done = 0;
    for (bool more = true; more;) {
        if (std::chrono::steady_clock::now() - advanced_ > advance_every) advance();
        const db::Rows rows = db::Statement::run(session_, sql::verify_balances_at,
                                                 db::Params()
                                                     .text(account)
                                                     .text(currency)
                                                     .number(piece_rows)
                                                     .number(point_.transfers.through));
        for (const db::Row row : rows) {
            account = row.str(0);
            currency = row.str(1);
            const std::int64_t sum = point_.sums.sum_of(account, currency);
            if (row.number(2) == sum || balances_.size() >= breaches_max) continue;
            balances_.push_back({account + " " + currency,
                                 fmt::format("the balance is {}, its transfers sum up to {}",
                                             row.number(3), sum + row.number(3) - row.number(2))});
        }
        done += rows.size();
        more = rows.size() == piece_rows;
        if (progress_) progress_("balances", done, 0);
    }
    if (point_.sums.all_asked()) return;
    // An account without a balance is known by its hash only: the whole journal names it.
    for (const db::Row row : db::Statement::run(session_, sql::verify_balances,
                                                db::Params().number(std::int64_t{breaches_max}))) {
        balances_.push_back({row.str(0), row.str(1)});
    }
}

std::vector<Invariant> JournalProof::invariants() const {
    return {{"balance_is_sum_of_transfers", "every stored balance is the sum of its transfers",
             balances_, false},
            {"transfers_chain_is_unbroken",
             "every transfer stands in an unbroken chain, as it was written", transfers_->breaches,
             false},
            {"audit_chain_is_unbroken",
             "every audit entry stands in an unbroken chain, as it was written", audit_->breaches,
             false}};
}

std::vector<Range> JournalProof::ranges() const {
    std::vector<Range> all;
    for (const Walk* walk : {transfers_.get(), audit_.get()}) {
        all.push_back({walk->name, std::max<std::int64_t>(walk->from, 0), walk->point.through,
                       walk->read_rows, proven_at_});
    }
    return all;
}

Since JournalProof::since() const {
    // An event is stamped by its server's clock, and committed some time after.
    constexpr std::chrono::hours overlap{1};
    if (!proven_at_) return {};
    return {transfers_->from, *proven_at_ - overlap};
}

void JournalProof::keep() {
    const auto kept = write_proven(chain_.folder(), chain_.keys(), point_);
    if (!kept) log::warn("the proven point could not be kept", {{"error", kept.error().message}});
}

}  // namespace pawl::intents
