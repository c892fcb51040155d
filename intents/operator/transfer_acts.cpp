#include "intents/operator/transfer_acts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "access/audit.hpp"
#include "base/json.hpp"
#include "base/keys.hpp"
#include "intents/accept/accept.hpp"
#include "payments/refunds.hpp"
#include "payments/sums.hpp"

namespace pawl::intents {
namespace {

using ledger::Posted;

constexpr std::string_view books = "operator";  // reserved: no provider's books are named so
constexpr std::size_t name_bytes_max = 255;     // limit of a reference or an account
constexpr std::size_t moves_max = 1000;         // transfers of one payment; real ones have a few

// Thrown to leave the transaction, so that nothing of it stays.
struct Refuse {
    TransferActRefused why;
};

[[noreturn]] void refuse(std::string code, std::string message) {
    throw Refuse{{std::move(code), std::move(message)}};
}

EffectKey entry_key(const std::string& reference, int n) {
    std::string key = std::string(books) + "/" + escape_part(reference);
    if (n > 1) key += "#" + std::to_string(n);
    return EffectKey(std::move(key));
}

EffectKey reversal_key(std::int64_t id) {
    return EffectKey("reversal/" + std::to_string(id));
}

bool is_name(const std::string& text) {
    const bool printable = std::none_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    });
    return !text.empty() && text.size() <= name_bytes_max && printable && json::is_utf8(text);
}

void check_reference(const std::string& reference) {
    if (is_name(reference) && !reference.starts_with("reversal/")) return;
    refuse("bad_reference",
           fmt::format("reference: invalid; write 1 to {} bytes of text without control "
                       "characters, not beginning with reversal/",
                       name_bytes_max));
}

void check_account(const AccountId& account) {
    if (is_name(account.str())) return;
    refuse("bad_account",
           fmt::format("account: invalid; write 1 to {} bytes of text without control "
                       "characters",
                       name_bytes_max));
}

// From one account to another; at most one of them is a clearing account.
ledger::Movement between(const AccountId& from, const AccountId& to, Money amount) {
    ledger::Movement movement;
    const bool debits = !ledger::is_clearing(from);
    movement.kind = debits ? ledger::Kind::debit : ledger::Kind::credit;
    movement.account = debits ? from : to;
    movement.against = debits ? to : from;
    movement.amount = amount;
    return movement;
}

// The reference under which an action is found, and the subject of its audit row.
std::string reference_of(const PostEntry& entry) {
    return entry.reference;
}
std::string reference_of(const ReverseTransfer& act) {
    return reversal_key(act.id).str();
}
std::string reference_of(const CorrectTransfer& act) {
    return act.reference;
}
std::string subject_of(const PostEntry& entry) {
    return "entry/" + entry.reference;
}
template <class Act>
std::string subject_of(const Act& act) {
    return "transfer/" + std::to_string(act.id);
}

// The entries that one action will post, and the effects that must not change meanwhile.
class Draft {
  public:
    Draft(std::string reference, std::string reason)
        : reference_(std::move(reference)), reason_(std::move(reason)) {}

    void post(const AccountId& debit, const AccountId& credit, Money amount) {
        add(between(debit, credit, amount), "", next_key(), {reference_, reason_});
    }
    void reverse(const Posted& one) {
        add(between(one.credit, one.debit, one.amount), one.payment_key, reversal_key(one.id),
            {reference_, reason_, one.id});
        held.insert(one.effect_key);
        if (!one.payment_key.empty()) held.insert(EffectKey(one.payment_key));
    }
    // Reverses it, and posts it with another account and amount.
    void replace(const Posted& one, const AccountId& old_account, const AccountId& account,
                 Money amount) {
        reverse(one);
        const bool debits = one.debit == old_account;
        add(between(debits ? account : one.debit, debits ? one.credit : account, amount),
            one.payment_key, next_key(), {reference_, reason_, std::nullopt, one.id});
    }

    // The transfers of a payment as they will stand with its entries.
    std::vector<Posted> applied_to(std::vector<Posted> transfers) const {
        for (const ledger::Entry& entry : entries) {
            const ledger::Movement& movement = entry.movements.front();
            const auto& cause = std::get<ledger::ByOperator>(entry.cause);
            const bool debits = movement.kind == ledger::Kind::debit;
            Posted made;
            made.id = transfers.back().id + 1;
            made.effect_key = movement.effect_key;
            made.debit = debits ? movement.account : movement.against;
            made.credit = debits ? movement.against : movement.account;
            made.amount = movement.amount;
            made.reverses = cause.reverses;
            made.corrects = cause.corrects;
            for (Posted& one : transfers) {
                if (one.id == cause.reverses) one.reversed_by = made.id;
            }
            transfers.push_back(std::move(made));
        }
        return transfers;
    }

    std::vector<ledger::Entry> entries;
    std::set<EffectKey> held;
    const std::string& reference() const { return reference_; }

  private:
    EffectKey next_key() { return entry_key(reference_, ++posted_); }
    void add(ledger::Movement movement, const std::string& payment_key, EffectKey key,
             ledger::ByOperator cause) {
        movement.effect_key = std::move(key);
        ledger::Entry entry{std::string(books), {std::move(movement)}, {}, std::move(cause)};
        entry.payment_key = EffectKey(payment_key);
        entries.push_back(std::move(entry));
    }

    const std::string reference_, reason_;
    int posted_ = 0;
};

struct RootSums {
    std::int64_t captured = 0, returned = 0;
};

// The sums of a payment in one currency, without fees, as payments and `verify` count them. A
// reversal or a correction counts as the movement that it reverses or corrects.
RootSums sums_of(const std::vector<Posted>& transfers, const std::string& root,
                 const Currency& currency) {
    std::map<std::int64_t, bool> captures;  // an origin comes before what names it
    RootSums sums;
    for (const Posted& one : transfers) {
        const auto& origin = one.reverses ? one.reverses : one.corrects;
        const bool capture = origin ? captures[*origin] : stem_of(one.effect_key).str() == root;
        captures[one.id] = capture;
        const bool fee =
            one.debit.str().starts_with("fees:") || one.credit.str().starts_with("fees:");
        if (fee || one.amount.currency != currency) continue;
        const std::int64_t moved =
            ledger::is_clearing(one.debit) ? one.amount.minor : -one.amount.minor;
        capture ? sums.captured += moved : sums.returned -= moved;
    }
    return sums;
}

// Posts all of it, or throws.
void post(db::Transaction& transaction, const Draft& draft, const std::string& act_id, Time now) {
    const auto applied =
        post_entries(transaction, draft.entries, draft.held, CorrelationId(act_id), now);
    for (const ledger::Applied& one : applied) {
        if (one.outcome == ledger::Outcome::applied) continue;
        // Its key was taken after the look for it: another operator was first, which the next look
        // finds.
        if (one.outcome == ledger::Outcome::duplicate_effect || one.note == "effect_conflict") {
            throw db::Failure(db::FailureKind::retry, "", "another act was first");
        }
        refuse(one.note,
               one.note == "balance_overflow"
                   ? "amount: too large, the balance would exceed 64 bits; post less"
                   : fmt::format("entry: refused by the ledger ({}); `pawl accounts show` "
                                 "shows what was posted to each account",
                                 one.note));
    }
}

struct Perform {
    db::Transaction& transaction;
    const ActedBy& by;
    const std::string& act_id;
    const Time now;

    TransferActDone operator()(const PostEntry& entry) const {
        check_reference(entry.reference);
        check_account(entry.debit);
        check_account(entry.credit);
        if (entry.amount.minor <= 0)
            refuse("bad_amount",
                   "amount: not above zero; write minor units, like 500 for 5.00 USD");
        const bool one_clears =
            ledger::is_clearing(entry.debit) && ledger::is_clearing(entry.credit);
        if (entry.debit == entry.credit || one_clears) {
            refuse(
                "bad_account",
                "debit_account and credit_account: equal, or both clearing accounts; name two that "
                "differ, at most one of them a clearing account");
        }
        if (auto done = done_before(entry)) return *done;
        Draft draft(entry.reference, by.reason);
        draft.post(entry.debit, entry.credit, entry.amount);
        return post_and_record(draft, "transfer.post", subject_of(entry));
    }

    TransferActDone operator()(const ReverseTransfer& act) const {
        const Posted one = standing(act.id);
        check_is_whole(one);
        const auto before = under(one);
        Draft draft(reference_of(act), by.reason);
        draft.reverse(one);
        check_returns(one, before, draft);
        TransferActDone done = post_and_record(draft, "transfer.reverse", subject_of(act));
        check_unmoved(one, before.size() + draft.entries.size());
        return done;
    }

    TransferActDone operator()(const CorrectTransfer& act) const {
        check_reference(act.reference);
        if (act.account) check_account(*act.account);
        if (act.amount && *act.amount <= 0)
            refuse("bad_amount",
                   "amount: not above zero; write minor units, like 500 for 5.00 USD");
        if (auto done = done_before(act)) return *done;
        const Posted one = standing(act.id);
        if (one.reverses) {
            refuse("is_reversal",
                   fmt::format("transfer {}: a reversal cannot be corrected; reverse it", one.id));
        }
        const AccountId old_account = account_of(one);
        const AccountId account = act.account.value_or(old_account);
        const Money amount{act.amount.value_or(one.amount.minor), one.amount.currency};
        if (account == old_account && amount == one.amount) {
            refuse("nothing_to_correct",
                   "account and amount: as the transfer has them; name another account or amount");
        }
        if (ledger::is_clearing(account) || account == other_of(one, old_account)) {
            refuse("bad_account",
                   "account: a clearing account, or the transfer's other account; name another");
        }
        const auto before = under(one);
        const auto force = ledger::in_force(before);
        Draft draft(act.reference, by.reason);
        draft.replace(one, old_account, account, amount);
        for (const Posted& other : force) {
            const bool moves = account != old_account && other.id != one.id &&
                               (other.debit == old_account || other.credit == old_account);
            if (moves) draft.replace(other, old_account, account, other.amount);
        }
        check_returns(one, before, draft);
        TransferActDone done = post_and_record(draft, "transfer.correct", subject_of(act));
        check_unmoved(one, before.size() + draft.entries.size());
        return done;
    }

  private:
    Posted standing(std::int64_t id) const {
        const auto found = ledger::find_transfer(transaction, id);
        if (!found)
            refuse(
                "unknown_transfer",
                fmt::format(
                    "transfer {}: not found; `pawl transfers list ACCOUNT` shows the numbers", id));
        if (found->reversed_by) {
            refuse("already_reversed",
                   fmt::format("transfer {}: reversed already, by transfer {}; nothing was changed",
                               id, *found->reversed_by));
        }
        return *found;
    }

    // The reversals of a correction stand with what it posted in their place: one of them taken
    // back alone would leave the money there twice.
    static void check_is_whole(const Posted& one) {
        if (!one.reverses || one.entry_id == reversal_key(*one.reverses).str()) return;
        refuse("part_of_correction",
               fmt::format("transfer {} is part of the correction {}; correct what that posted",
                           one.id, one.entry_id));
    }

    // The account that is not the clearing account.
    static AccountId account_of(const Posted& one) {
        if (ledger::is_clearing(one.debit)) return one.credit;
        if (ledger::is_clearing(one.credit)) return one.debit;
        refuse("two_accounts",
               fmt::format("transfer {} has two accounts and no clearing account; reverse it, and "
                           "post another",
                           one.id));
    }
    static const AccountId& other_of(const Posted& one, const AccountId& account) {
        return one.debit == account ? one.credit : one.debit;
    }

    std::vector<Posted> under(const Posted& one) const {
        if (one.payment_key.empty()) return {one};
        auto all = ledger::transfers_under(transaction, one.payment_key);
        if (all.size() > moves_max) {
            refuse("too_many_transfers",
                   fmt::format("{} has more than {} transfers", one.payment_key, moves_max));
        }
        return all;
    }

    // The returns of a payment, and refunds that are under way, need their capture; a bounce
    // needs its refund. A payment that has more returned than captured by its provider's word must
    // not get worse.
    void check_returns(const Posted& one, const std::vector<Posted>& before,
                       const Draft& draft) const {
        if (one.payment_key.empty()) return;
        const Currency currency = one.amount.currency;
        const RootSums was = sums_of(before, one.payment_key, currency);
        const RootSums is = sums_of(draft.applied_to(before), one.payment_key, currency);
        const std::int64_t open = refunds_under_way(one.payment_key, currency);
        const std::int64_t short_by = open + is.returned - is.captured;
        if (short_by > 0 && short_by > open + was.returned - was.captured) {
            refuse("below_returned",
                   fmt::format("transfer {}: {} {} less than was returned of its payment, or is "
                               "being refunded; reverse that first, or use `pawl transfers "
                               "correct` with a larger amount",
                               one.id, to_decimal_text({short_by, currency}), currency.code()));
        }
        if (is.returned < 0 && is.returned < was.returned) {
            refuse("below_returned",
                   fmt::format("transfer {}: {} {} of it came back since; reverse that first",
                               one.id, to_decimal_text({-is.returned, currency}), currency.code()));
        }
    }

    // Locks the payment: no refund of it begins until the commit.
    std::int64_t refunds_under_way(const std::string& root, const Currency& currency) const {
        const auto payment = payments::find_payment_by_root(transaction, root, payments::Lock::row);
        if (!payment || payment->amount.currency != currency) return 0;
        const auto sums =
            payments::sum_up(*payment, payments::read_movements(transaction, *payment));
        return payments::under_way(*payment, sums, payments::refunds_of(transaction, payment->id));
    }

    // The payment's effects were locked by posting: what was posted under it until then was seen,
    // or all of it is tried again.
    void check_unmoved(const Posted& one, std::size_t transfers) const {
        if (one.payment_key.empty() || under(one).size() == transfers) return;
        throw db::Failure(db::FailureKind::retry, "", "the payment has moved meanwhile");
    }

    // An act of this reference and content is done; one of other content has taken its reference.
    TransferActDone the_same(const std::string& reference, std::vector<Posted> transfers,
                             bool same) const {
        if (same) return {reference, std::move(transfers), true};
        refuse(
            "reference_conflict",
            fmt::format("reference {}: conflict, another entry has it; choose another, or repeat "
                        "that entry exactly",
                        reference));
    }
    std::optional<TransferActDone> done_before(const PostEntry& entry) const {
        auto transfers = ledger::transfers_of_entry(transaction, entry.reference);
        if (transfers.empty()) return std::nullopt;
        const Posted& one = transfers.front();
        const bool same = transfers.size() == 1 && one.debit == entry.debit &&
                          one.credit == entry.credit && one.amount == entry.amount;
        return the_same(entry.reference, std::move(transfers), same);
    }
    std::optional<TransferActDone> done_before(const CorrectTransfer& act) const {
        auto transfers = ledger::transfers_of_entry(transaction, act.reference);
        if (transfers.empty()) return std::nullopt;
        const auto anew = std::find_if(transfers.begin(), transfers.end(),
                                       [&](const Posted& one) { return one.corrects == act.id; });
        const bool same =
            anew != transfers.end() &&
            (!act.account || anew->debit == *act.account || anew->credit == *act.account) &&
            (!act.amount || anew->amount.minor == *act.amount);
        return the_same(act.reference, std::move(transfers), same);
    }

    TransferActDone post_and_record(const Draft& draft, const char* action,
                                    const std::string& subject) const {
        post(transaction, draft, act_id, now);
        TransferActDone done{draft.reference(),
                             ledger::transfers_of_entry(transaction, draft.reference())};
        json::Writer details;
        details.begin_object().member("reference", done.reference).key("transfers").begin_array();
        for (const Posted& one : done.transfers) details.string(one.effect_key.str());
        details.end_array().member("act_id", act_id).end_object();
        access::record(transaction, {by.principal, action, subject, by.reason, details.take()});
        return done;
    }
};

}  // namespace

TransferActResult apply_transfer_act(db::Session& session, const TransferAct& act,
                                     const ActedBy& by, Time now) {
    TransferActResult result;
    const std::string act_id = access::new_act_id();
    try {
        db::in_transaction(session, [&](db::Transaction& transaction) {
            result = std::visit(
                [&](const auto& one) -> TransferActDone {
                    // The response to its COMMIT was lost, and the commit succeeded.
                    if (access::find_act(transaction, subject_of(one), act_id)) {
                        const std::string reference = reference_of(one);
                        return {reference, ledger::transfers_of_entry(transaction, reference)};
                    }
                    return Perform{transaction, by, act_id, now}(one);
                },
                act);
        });
    } catch (const Refuse& refused) {
        result = refused.why;
    }
    return result;
}

}  // namespace pawl::intents
