#include "intents/import/import_captures.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "access/audit.hpp"
#include "base/fault.hpp"
#include "base/json.hpp"
#include "intents/accept/accept.hpp"
#include "intents/sql.hpp"
#include "ledger/entry.hpp"

namespace pawl::intents {
namespace {

using Lines = std::vector<const ImportedPayment*>;

// A transaction is tried again a few times, each round. Webhooks of a batch's payments may come
// between more often than that, and an operator would have to import the file again.
constexpr int rounds_max = 10;

Currency currency_of(std::string_view code) {
    const auto currency = Currency::parse(code);
    if (!currency) throw db::Failure(db::FailureKind::permanent, "", currency.error().message);
    return *currency;
}

RootTransfer transfer_of(const sql::SurveyRoots::Row& row) {
    return {.id = *row.id(),
            .key = EffectKey(std::string(*row.effect_key())),
            .debit = AccountId(std::string(*row.debit_account())),
            .credit = AccountId(std::string(*row.credit_account())),
            .amount = {*row.amount(), currency_of(*row.currency())},
            .entry_id = std::string(row.entry_id().value_or("")),
            .occurred_at = row.occurred_at()};
}

// By root.
std::map<std::string, RootState> survey(db::Transaction& transaction, const Lines& lines) {
    db::Texts roots, totals, accounts, currencies;
    for (const ImportedPayment* one : lines) {
        roots.add(one->root().str());
        totals.add(one->refund_total().str());
        accounts.add(one->account.str());
        currencies.add(one->captured.currency.code());
    }
    std::map<std::string, RootState> states;
    for (const auto row : transaction.run(sql::SurveyRoots{.payment_key = std::move(roots),
                          .refund_total = std::move(totals),
                          .account = std::move(accounts),
                          .balance_currency = std::move(currencies)})) {
        RootState& state = states[std::string(row.payment_key())];
        state.payment_id = std::string(row.payment_id().value_or(""));
        state.refund_total_known = row.refund_total_known();
        state.account_is_absolute = row.account_is_absolute();
        if (row.id()) state.transfers.push_back(transfer_of(row));
    }
    for (auto& [root, state] : states) {
        std::sort(state.transfers.begin(), state.transfers.end(),
                  [](const RootTransfer& a, const RootTransfer& b) { return a.id < b.id; });
    }
    return states;
}

// The capture at its root, and what was returned of it: posted together or not at all. The returned
// amount is a running total, so that a provider that reports one continues it.
ledger::Entry entry_of(const ImportedPayment& one, const ledger::ByOperator& cause) {
    using ledger::AmountIs;
    ledger::Entry entry{one.books, {}, {}, cause};
    entry.movements.push_back(
        {ledger::Kind::credit, one.account, one.captured, one.root(),
         one.captures == CaptureShape::total ? AmountIs::total : AmountIs::delta});
    if (one.returned > 0) {
        entry.movements.push_back({ledger::Kind::debit, one.account,
                                   Money{one.returned, one.captured.currency}, one.refund_total(),
                                   AmountIs::total});
    }
    entry.occurred_at = one.time;
    entry.payment_key = one.root();
    entry.announced = false;
    return entry;
}

// Thrown to leave the transaction: it is entered again without these lines.
struct Refused {
    std::map<std::int64_t, Judgement> lines;
};

class Import {
  public:
    Import(std::span<const ImportedPayment> lines, const ImportRun& run, Time now)
        : run_(run),
          now_(now),
          reference_(fmt::format("{}/{}", run.id, lines.front().line)),
          first_line_(lines.front().line),
          last_line_(lines.back().line) {
        for (const ImportedPayment& one : lines) lines_.push_back(&one);
    }

    BatchImported commit(db::Session& session) {
        for (int round = 1;; ++round) {
            try {
                BatchImported done;
                db::in_transaction(
                    session, [&](db::Transaction& transaction) { done = attempt(transaction); });
                return done;
            } catch (const Refused& refused) {
                refused_.insert(refused.lines.begin(), refused.lines.end());
                round = 0;
            } catch (const db::Failure& failure) {
                const bool collided = failure.kind == db::FailureKind::retry ||
                                      failure.kind == db::FailureKind::unique;
                if (!collided || round == rounds_max) throw;
            }
        }
    }

  private:
    BatchImported attempt(db::Transaction& transaction) {
        BatchImported done;
        const Lines open = sort_out(survey(transaction, lines_), done);
        if (open.empty()) return done;
        std::vector<ledger::Entry> entries;
        for (const ImportedPayment* one : open) {
            entries.push_back(entry_of(*one, {reference_, run_.reason}));
        }
        const auto applied =
            post_entries(transaction, entries, {}, CorrelationId(reference_), now_);
        check(transaction, open, applied);
        record(transaction, static_cast<std::int64_t>(open.size()));
        done.imported += static_cast<std::int64_t>(open.size());
        PAWL_FAULT_POINT(import_before_commit);
        return done;
    }

    // Leaves the lines that may be posted. Lines of this very act were posted by an attempt whose
    // COMMIT succeeded although its response was lost.
    Lines sort_out(const std::map<std::string, RootState>& states, BatchImported& done) const {
        Lines open;
        for (const ImportedPayment* one : lines_) {
            const std::string root = one->root().str();
            const RootState& state = states.at(root);
            if (is_posted_by(reference_, *one, state)) {
                ++done.imported;
                continue;
            }
            Judgement judgement = judge_line(*one, state);
            const auto refused = refused_.find(one->line);
            if (judgement.standing == Standing::open && refused != refused_.end()) {
                judgement = refused->second;
            }
            if (judgement.standing == Standing::open) {
                open.push_back(one);
            } else {
                done.left_out.push_back({one->line, root, std::move(judgement)});
            }
        }
        return open;
    }

    // The survey was read before the locks were taken. Under them, each root must have the entries
    // of this act and none before: else a webhook came between, and the next survey finds it.
    void check(db::Transaction& transaction, const Lines& posted,
               const std::vector<ledger::Applied>& applied) const {
        const auto states = survey(transaction, posted);
        Refused refused;
        for (std::size_t i = 0; i < posted.size(); ++i) {
            const ImportedPayment& one = *posted[i];
            const RootState& state = states.at(one.root().str());
            if (is_posted_by(reference_, one, state)) continue;
            if (!state.transfers.empty()) {
                throw db::Failure(db::FailureKind::retry, "", "a payment has moved meanwhile");
            }
            const std::string& note = applied[i].note;
            refused.lines[one.line] = {
                Standing::refused, note,
                fmt::format("{}: the ledger does not take it; correct or remove the line", note)};
        }
        if (!refused.lines.empty()) throw refused;
    }

    void record(db::Transaction& transaction, std::int64_t payments) const {
        const auto rows = transaction.run(sql::DigestOfEntry{.entry_id = reference_});
        const auto posted = rows.only();
        json::Writer details;
        details.begin_object().member("reference", reference_).member("file", run_.file);
        details.member("first_line", first_line_).member("last_line", last_line_);
        details.member("payments", payments).member("transfers", posted.transfers());
        details.member("last_transfer", posted.last_transfer());
        details.member("digest", posted.digest()).end_object();
        access::record(transaction, {run_.principal, "import.captures", reference_, run_.reason,
                                     details.take()});
    }

    Lines lines_;
    const ImportRun& run_;
    const Time now_;
    const std::string reference_;  // of this act: the entry_id of its transfers
    const std::int64_t first_line_, last_line_;
    std::map<std::int64_t, Judgement> refused_;  // by line
};

}  // namespace

std::string new_import_id() {
    return "import/" + access::new_act_id();
}

BatchImported preview_batch(db::Session& session, std::span<const ImportedPayment> lines) {
    Lines all;
    for (const ImportedPayment& one : lines) all.push_back(&one);
    BatchImported preview;
    db::Transaction transaction(session);
    const auto states = survey(transaction, all);
    for (const ImportedPayment* one : all) {
        const std::string root = one->root().str();
        Judgement judgement = judge_line(*one, states.at(root));
        if (judgement.standing == Standing::open) {
            ++preview.imported;
        } else {
            preview.left_out.push_back({one->line, root, std::move(judgement)});
        }
    }
    return preview;
}

BatchImported import_batch(db::Session& session, std::span<const ImportedPayment> lines,
                           const ImportRun& run, Time now) {
    return Import(lines, run, now).commit(session);
}

}  // namespace pawl::intents
