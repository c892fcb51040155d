#include "intents/verify/journal_proof.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
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
// Rows that are posted during the read of the balances are walked, too, before they grow large.
constexpr std::chrono::seconds advance_every{5};

// In the order of ledger/chained.cpp.
ChainedRow chained_of(const sql::VerifyTransfers::Row& row) {
    ChainedRow read{row.id(),
                    row.chain_prev().value_or(""),
                    row.chain_hash().value_or(""),
                    std::to_string(row.id()),
                    {}};
    read.fields.text(row.effect_key()).text(row.payment_key());
    read.fields.text(row.debit_account()).text(row.credit_account()).text(row.currency());
    read.fields.number(row.amount());
    read.fields.text(row.provider()).text(row.event_id());
    read.fields.text(row.payment_id()).text(row.refund_id()).text(row.entry_id());
    read.fields.number(row.reverses()).number(row.corrects());
    read.fields.text(row.source()).text(row.reason());
    read.fields.number(row.sequence()).time(row.occurred_at()).time(row.posted_at());
    read.fields.end_row();
    return read;
}

// In the order of access/audit.cpp.
ChainedRow chained_of(const sql::VerifyAudit::Row& row) {
    ChainedRow read{row.audit_id(),
                    row.chain_prev().value_or(""),
                    row.chain_hash().value_or(""),
                    std::to_string(row.audit_id()) + "@" + std::to_string(row.microseconds()),
                    {}};
    read.fields.text(row.principal()).text(row.action()).text(row.subject()).text(row.reason());
    read.fields.text(row.details());
    read.fields.end_row();
    return read;
}

void add_to(AccountSums& sums, const sql::VerifyTransfers::Row& row) {
    sums.move(row.debit_account(), row.credit_account(), row.currency(), row.amount());
}

void add_to(AccountSums&, const sql::VerifyAudit::Row&) {}  // moves nothing

// Access to one chained table. Only transfers have sums, if requested.
struct Reader {
    using Take = std::function<void(ChainedRow)>;
    // Rows above `after` and up to `through`, at most piece_rows; returns how many there were.
    int (*piece)(db::Session& session, std::int64_t after, std::int64_t through, AccountSums* sums,
                 const Take& take);
    std::map<std::int64_t, std::string> (*hashes)(db::Session& session, db::Numbers rows);
};

template <class Statement>
int read_piece(db::Session& session, std::int64_t after, std::int64_t through, AccountSums* sums,
               const Reader::Take& take) {
    const auto rows = db::Statement::run(
        session, Statement{.after_id = after, .through_id = through, .limit_rows = piece_rows});
    for (const auto row : rows) {
        if (sums != nullptr) add_to(*sums, row);
        take(chained_of(row));
    }
    return rows.size();
}

template <class Statement>
std::map<std::int64_t, std::string> read_hashes(db::Session& session, db::Numbers numbers) {
    std::map<std::int64_t, std::string> hashes;
    for (const auto row : db::Statement::run(session, Statement{std::move(numbers)})) {
        const auto link = chain::Link::parse(row.chain_hash().value_or(""));
        if (link) hashes[row.id()] = link->hash;
    }
    return hashes;
}

constexpr Reader transfers_reader{read_piece<sql::VerifyTransfers>,
                                  read_hashes<sql::VerifyTransferLinks>};
constexpr Reader audit_reader{read_piece<sql::VerifyAudit>, read_hashes<sql::VerifyAuditLinks>};

}  // namespace

struct JournalProof::Walk {
    const Reader& reader;
    const char* name;
    ProvenTable& point;
    std::int64_t began;
    ChainProof proof;
    std::int64_t from;
    std::int64_t read_rows = 0;
    std::vector<Breach> breaches{};

    Walk(const Reader& of_table, chain::Table table, const chain::Keys& keys,
         ProvenTable& from_point, std::int64_t began_at)
        : reader(of_table),
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
    const auto rows = db::Statement::run(session_, sql::VerifyNewest{});
    const auto newest = rows.only();
    const Bound bound{newest.transfer_id(), newest.audit_id(), newest.at()};
    db::Texts writers;
    for (const auto row : db::Statement::run(session_, sql::VerifyWriters{})) {
        writers.add(row.virtualtransaction());
    }
    const sql::VerifyEnded writing{.virtualtransaction = std::move(writers)};
    const auto until = std::chrono::steady_clock::now() + settle_max;
    while (!db::Statement::run(session_, writing).only().ended()) {
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
        std::int64_t last = to;
        const int rows =
            walk.reader.piece(session_, walk.point.through, to, &point_.sums, [&](ChainedRow row) {
                last = row.number;
                walk.proof.add(std::move(row));
            });
        walk.read_rows += rows;
        walk.point.through = rows < piece_rows ? to : last;
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
        const int rows = walk.reader.piece(session_, at, no_end, nullptr, [&](ChainedRow row) {
            at = row.number;
            if (walk.proof.is_open(row.mark)) walk.proof.add(std::move(row));
        });
        if (rows < piece_rows) return;
    }
}

// The last link of each chain that an earlier proof has seen must still be there.
void JournalProof::check_known(Walk& walk, const std::vector<chain::Head>& known) {
    db::Numbers numbers;
    for (const chain::Head& one : known) numbers.add(one.row);
    if (numbers.empty()) return;
    auto hashes = walk.reader.hashes(session_, std::move(numbers));
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
    heads_found_ = !heads.empty();
    const auto began = read_began(chain_.folder(), chain_.keys());
    if (depth_ != Depth::deep) {
        if (auto proven = read_proven(chain_.folder(), chain_.keys())) {
            point_ = std::move(*proven);
            proven_at_ = point_.at;
        }
    }
    const auto known_transfers = point_.transfers.chains;
    const auto known_audit = point_.audit.chains;
    transfers_ = std::make_unique<Walk>(transfers_reader, chain::Table::transfers, chain_.keys(),
                                        point_.transfers, began.transfers);
    audit_ = std::make_unique<Walk>(audit_reader, chain::Table::audit_log, chain_.keys(),
                                    point_.audit, began.audit);
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
        const auto rows = db::Statement::run(
            session_, sql::VerifyBalancesAt{.after_account = account,
                                            .after_currency = currency,
                                            .limit_rows = piece_rows,
                                            .through_id = point_.transfers.through});
        for (const auto row : rows) {
            account = row.account();
            currency = row.currency();
            const std::int64_t sum = point_.sums.sum_of(account, currency);
            if (row.amount_at() == sum || balances_.size() >= breaches_max) continue;
            balances_.push_back({account + " " + currency,
                                 fmt::format("the balance is {}, its transfers sum up to {}",
                                             row.amount(), sum + row.amount() - row.amount_at())});
        }
        done += rows.size();
        more = rows.size() == piece_rows;
        if (progress_) progress_("balances", done, 0);
    }
    if (point_.sums.all_asked()) return;
    // An account without a balance is known by its hash only: the whole journal names it.
    const sql::VerifyBalances check{.limit_rows = breaches_max};
    for (const auto row : db::Statement::run(session_, check)) {
        balances_.push_back({std::string(row.subject()), std::string(row.what())});
    }
}

// Without a head, rows that were cut from the end of a table go unnoticed.
std::vector<Breach> JournalProof::missing_heads() const {
    const bool chained = !transfers_->point.chains.empty() || !audit_->point.chains.empty();
    if (heads_found_ || !chained) return {};
    return {
        {chain_.folder(),
         "holds no head: rows cut from the end of the journal would not be noticed; verify with "
         "the PAWL_DATA_DIR of the server"}};
}

std::vector<Invariant> JournalProof::invariants() const {
    return {{"balance_is_sum_of_transfers", "every stored balance is the sum of its transfers",
             balances_, false},
            {"transfers_chain_is_unbroken",
             "every transfer stands in an unbroken chain, as it was written", transfers_->breaches,
             false},
            {"audit_chain_is_unbroken",
             "every audit entry stands in an unbroken chain, as it was written", audit_->breaches,
             false},
            {"chain_heads_are_found", "the heads of the chains are there, outside the database",
             missing_heads(), true}};
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

void JournalProof::store_point() {
    const auto kept = write_proven(chain_.folder(), chain_.keys(), point_);
    if (!kept) log::warn("the proven point could not be kept", {{"error", kept.error().message}});
}

}  // namespace pawl::intents
