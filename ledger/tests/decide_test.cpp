// decide() as a table: an entry, what the books say, and what becomes of it.
#include "ledger/decide.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/keys.hpp"

namespace pawl::ledger {
namespace {

const Currency usd = Currency::parse("USD").value();
const Currency eur = Currency::parse("EUR").value();

// A variation. The entry credits 100 to user:1 under demo/e, unless it says otherwise.
struct Case {
    const char* name;
    std::function<void(Entry&)> entry;
    std::function<void(Book&)> book;
    const char* expected;  // outcome, note, balance afterwards
    OperatorOverride overrides = {};
};

Entry credit() {
    Entry entry;
    entry.books = "demo";
    entry.movements = {{Kind::credit, AccountId("user:1"), {100, usd}, EffectKey("demo/e")}};
    entry.ordering.scope = "account:user:1";
    entry.cause = ByEvent{ProviderName("demo"), EventId("e")};
    return entry;
}

void posted(Book& book, const char* key, std::int64_t amount, const Currency& currency) {
    book.load(Transfer{EffectKey(key),
                       clearing_account("demo"),
                       AccountId("user:1"),
                       {amount, currency},
                       ProviderName("demo"),
                       EventId("other"),
                       {},
                       {}});
}

void balance(Book& book, std::int64_t amount, std::optional<Sequence> last = {},
             bool absolute = false) {
    book.load(BalanceKey{AccountId("user:1"), usd}, Balance{amount, last, 0, 1, absolute, false});
}

void stream(Book& book, std::int64_t last) {
    book.load(SequenceKey{"demo", "account:user:1"}, SequenceState{Sequence{last}, {}, false});
}

std::function<void(Entry&)> numbered(std::int64_t sequence, OrderingPolicy order) {
    return [sequence, order](Entry& e) {
        e.ordering.number = Sequence{sequence};
        e.ordering.policy = order;
    };
}

const auto as_is = [](auto&) {};

const Case cases[] = {
    {"a credit", as_is, as_is, "applied  100"},
    {"a debit below zero", [](Entry& e) { e.movements[0].kind = Kind::debit; }, as_is,
     "applied  -100"},
    {"nothing", [](Entry& e) { e.movements[0].amount.minor = 0; }, as_is, "ignored zero_amount 0"},
    {"nothing, and another posted its key", [](Entry& e) { e.movements[0].amount.minor = 0; },
     [](Book& b) { posted(b, "demo/e", 100, usd); }, "ignored zero_amount 0"},
    {"nothing, and its need is unmet",
     [](Entry& e) {
         e.movements[0].amount.minor = 0;
         e.needs = {EffectKey("demo/c")};
     },
     as_is, "ignored zero_amount 0"},
    {"nothing, without an account",
     [](Entry& e) {
         e.movements[0].amount.minor = 0;
         e.movements[0].account = AccountId("");
     },
     as_is, "quarantined bad_account 0"},
    {"a balance of nothing",
     [](Entry& e) {
         e.movements[0].kind = Kind::set_balance;
         e.movements[0].amount.minor = 0;
     },
     as_is, "applied  0"},
    {"ignored", [](Entry& e) { e.movements.clear(); }, as_is, "ignored  0"},
    {"no account", [](Entry& e) { e.movements[0].account = AccountId(""); }, as_is,
     "quarantined bad_account 0"},
    {"clearing", [](Entry& e) { e.movements[0].account = AccountId("demo:clearing"); }, as_is,
     "quarantined clearing_account 0"},
    {"no effect key", [](Entry& e) { e.movements[0].effect_key = EffectKey(""); }, as_is,
     "quarantined effect_key_missing 0"},
    {"below zero", [](Entry& e) { e.movements[0].amount.minor = -1; }, as_is,
     "quarantined bad_amount 0"},
    {"posted by another", as_is, [](Book& b) { posted(b, "demo/e", 100, usd); },
     "duplicate_effect posted by other 0"},
    {"posted with another amount", as_is, [](Book& b) { posted(b, "demo/e", 99, usd); },
     "quarantined effect_conflict 0"},
    {"posted in another currency", as_is, [](Book& b) { posted(b, "demo/e", 100, eur); },
     "quarantined effect_conflict 0"},
    {"posted the other way", [](Entry& e) { e.movements[0].kind = Kind::debit; },
     [](Book& b) { posted(b, "demo/e", 100, usd); }, "quarantined effect_conflict 0"},
    {"another key of its hash was posted, with the same content", as_is,
     [](Book& b) {
         posted(b, "demo/f", 100, usd);
         b.load_hash(EffectKey("demo/e"), EffectKey("demo/e"));
         b.load_hash(EffectKey("demo/f"), EffectKey("demo/e"));
     },
     "quarantined effect_conflict 0"},
    {"a key of another hash was posted", as_is,
     [](Book& b) {
         posted(b, "demo/f", 100, usd);
         b.load_hash(EffectKey("demo/e"), EffectKey("demo/e"));
         b.load_hash(EffectKey("demo/f"), EffectKey("demo/f"));
     },
     "applied  100"},
    {"another key of its hash waits in the same batch", as_is,
     [](Book& b) {
         b.load_hash(EffectKey("demo/e"), EffectKey("demo/e"));
         b.load_hash(EffectKey("demo/f"), EffectKey("demo/e"));
     },
     "applied  100"},
    {"another key of its need's hash was posted", [](Entry& e) { e.needs = {EffectKey("demo/c")}; },
     [](Book& b) {
         posted(b, "demo/d", 100, usd);
         b.load_hash(EffectKey("demo/c"), EffectKey("demo/c"));
         b.load_hash(EffectKey("demo/d"), EffectKey("demo/c"));
     },
     "parked waiting for demo/c 0"},
    {"more than fits", as_is, [](Book& b) { balance(b, INT64_MAX - 99); },
     "quarantined balance_overflow 9223372036854775708"},
    {"just fits", as_is, [](Book& b) { balance(b, INT64_MAX - 100); },
     "applied  9223372036854775807"},
    {"needs what is not there", [](Entry& e) { e.needs = {EffectKey("demo/c")}; }, as_is,
     "parked waiting for demo/c 0"},
    {"needs what is there", [](Entry& e) { e.needs = {EffectKey("demo/c")}; },
     [](Book& b) { posted(b, "demo/c", 100, usd); }, "applied  100"},
    {"needs it in its own currency", [](Entry& e) { e.needs = {EffectKey("demo/c")}; },
     [](Book& b) { posted(b, "demo/c", 100, eur); }, "quarantined currency_mismatch 0"},
    {"needs it, and is let off", [](Entry& e) { e.needs = {EffectKey("demo/c")}; }, as_is,
     "applied  100", OperatorOverride{true, false}},
    {"late_ok, newer", numbered(5, OrderingPolicy::late_ok),
     [](Book& b) { balance(b, 1, Sequence{4}); }, "applied  101"},
    {"late_ok, passed", numbered(3, OrderingPolicy::late_ok),
     [](Book& b) { balance(b, 1, Sequence{4}); }, "applied_late  101"},
    {"late_ok, a tie", numbered(4, OrderingPolicy::late_ok),
     [](Book& b) { balance(b, 1, Sequence{4}); }, "applied  101"},
    {"hold, the first", numbered(1, OrderingPolicy::hold), as_is, "applied  100"},
    {"hold, early", numbered(3, OrderingPolicy::hold), as_is, "parked waiting for 1 0"},
    {"hold, next", numbered(3, OrderingPolicy::hold), [](Book& b) { stream(b, 2); },
     "applied  100"},
    {"hold, a gap", numbered(4, OrderingPolicy::hold), [](Book& b) { stream(b, 2); },
     "parked waiting for 3 0"},
    {"hold, released", numbered(4, OrderingPolicy::hold), [](Book& b) { stream(b, 2); },
     "applied  100", OperatorOverride{false, true}},
    {"hold, passed", numbered(2, OrderingPolicy::hold), [](Book& b) { stream(b, 2); },
     "applied_late  100"},
    {"hold, after the last number", numbered(2, OrderingPolicy::hold),
     [](Book& b) { stream(b, INT64_MAX); }, "applied_late  100"},
    {"hold, the last number", numbered(INT64_MAX, OrderingPolicy::hold),
     [](Book& b) { stream(b, INT64_MAX - 1); }, "applied  100"},
    {"strict, newer", numbered(9, OrderingPolicy::strict), [](Book& b) { stream(b, 2); },
     "applied  100"},
    {"strict, the same", numbered(2, OrderingPolicy::strict), [](Book& b) { stream(b, 2); },
     "stale  0"},
    {"a balance is set", [](Entry& e) { e.movements[0].kind = Kind::set_balance; },
     [](Book& b) { balance(b, 30, {}, true); }, "applied  100"},
    {"a balance that takes increments is set",
     [](Entry& e) { e.movements[0].kind = Kind::set_balance; }, [](Book& b) { balance(b, 30); },
     "quarantined account_takes_increments 30"},
    {"a balance that was set takes no increments", as_is, [](Book& b) { balance(b, 30, {}, true); },
     "quarantined account_is_absolute 30"},
};

std::string decided(const Case& c) {
    Entry entry = credit();
    c.entry(entry);
    Book book;
    c.book(book);
    const Decision decision = decide(entry, book, c.overrides);
    const Applied applied = apply(decision, std::move(entry), Time{}, book);
    return std::string(to_text(applied.outcome)) + " " + applied.note + " " +
           std::to_string(book.balance({AccountId("user:1"), usd}).amount);
}

TEST(Decide, DecisionFollowsFromTheEntryAndTheBooks) {
    for (const Case& c : cases) EXPECT_EQ(decided(c), c.expected) << c.name;
}

class Deciding : public ::testing::Test {
  protected:
    // "applied  60": outcome, note, what the first movement moved.
    std::string come(Entry one, const OperatorOverride& overrides = {}) {
        const Decision decision = decide(one, book, overrides);
        const Applied applied = apply(decision, std::move(one), Time{}, book);
        return std::string(to_text(applied.outcome)) + " " + applied.note + " " +
               std::to_string(applied.moved.value_or(-1));
    }
    // "demo/e 100, ...": what was posted since the last time, below zero: from the account.
    std::string posted_since() {
        std::string text;
        const auto& all = book.new_transfers();
        for (; seen < all.size(); ++seen) {
            const Transfer& one = *all[seen];
            text += (text.empty() ? "" : ", ") + one.effect_key.str() + " " +
                    (one.is_debit() ? "-" : "") + std::to_string(one.amount.minor);
        }
        return text;
    }
    std::int64_t balance_of(const char* account) {
        return book.balance({AccountId(account), usd}).amount;
    }

    Book book;
    std::size_t seen = 0;
};

Entry total_of(std::int64_t total, std::optional<std::int64_t> sequence = {},
               const char* key = "demo/capture/p") {
    Entry entry = credit();
    entry.movements[0].effect_key = EffectKey(key);
    entry.movements[0].amount_is = AmountIs::total;
    entry.movements[0].amount.minor = total;
    if (sequence) entry.ordering.number = Sequence{*sequence};
    return entry;
}

TEST_F(Deciding, TotalPostsTheDifference) {
    EXPECT_EQ(come(total_of(0)), "ignored zero_amount -1") << "a first total of zero";
    EXPECT_EQ(come(total_of(60, 1)), "applied  60");
    EXPECT_EQ(come(total_of(100, 3)), "applied  40");
    EXPECT_EQ(posted_since(), "demo/capture/p@60 60, demo/capture/p@100 40");
    EXPECT_EQ(come(total_of(100, 9)), "duplicate_effect posted by e 40");
    EXPECT_EQ(come(total_of(80, 2)), "stale  -1");
    EXPECT_EQ(come(total_of(80)), "stale total_fell -1") << "without a sequence";
    EXPECT_EQ(come(total_of(80, 4)), "stale  -1") << "100 was reported again, with number 9";
    EXPECT_EQ(come(total_of(80, 10)), "quarantined total_fell -1");
    EXPECT_EQ(come(total_of(0, 10)), "quarantined total_fell -1");
    EXPECT_EQ(balance_of("user:1"), 100);
}

TEST_F(Deciding, TotalOfAnotherAccountCurrencyOrDirectionIsAConflict) {
    come(total_of(60, 1));
    Entry other = total_of(100, 2);
    other.movements[0].account = AccountId("user:2");
    EXPECT_EQ(come(other), "quarantined effect_conflict -1");
    other.movements[0].amount.minor = 60;
    EXPECT_EQ(come(other), "quarantined effect_conflict -1") << "an equal total, too";
    Entry foreign = total_of(100, 2);
    foreign.movements[0].amount.currency = eur;
    EXPECT_EQ(come(foreign), "quarantined effect_conflict -1");
    Entry back = total_of(100, 2);
    back.movements[0].kind = Kind::debit;
    EXPECT_EQ(come(back), "quarantined effect_conflict -1");
}

TEST_F(Deciding, TotalThatAnOperatorLetFallMayRiseAgain) {
    come(total_of(60, 1));
    come(total_of(100, 2));
    EXPECT_EQ(come(total_of(60, 3)), "quarantined total_fell -1");
    OperatorOverride overrides;
    overrides.check = total_fell;
    EXPECT_EQ(come(total_of(60, 3), overrides), "applied  40");
    EXPECT_EQ(come(total_of(100, 4)), "applied  40");
    EXPECT_EQ(posted_since(),
              "demo/capture/p@60 60, demo/capture/p@100 40, demo/capture/p@60#2 -40, "
              "demo/capture/p@100#2 40");
    EXPECT_EQ(come(total_of(100, 5)), "duplicate_effect posted by e 40");
}

Entry capture(const char* key, std::int64_t amount = 100) {
    Entry entry = credit();
    entry.movements[0].effect_key = EffectKey(key);
    entry.movements[0].amount.minor = amount;
    return entry;
}

TEST_F(Deciding, RootHoldsCapturesOfOneShape) {
    EXPECT_EQ(come(capture("demo/capture/p:c1")), "applied  100");
    EXPECT_EQ(come(capture("demo/capture/p:c2")), "applied  100");
    EXPECT_EQ(come(capture("demo/capture/p")), "quarantined effect_conflict -1");
    EXPECT_EQ(come(total_of(300)), "quarantined effect_conflict -1");
    OperatorOverride overrides;
    overrides.check = "effect_conflict";
    EXPECT_EQ(come(capture("demo/capture/p"), overrides), "applied  100");
    EXPECT_EQ(come(capture("demo/capture/p:c3")), "applied  100") << "an operator's # has no shape";
    EXPECT_EQ(come(capture("demo/capture/q")), "applied  100");
    EXPECT_EQ(come(capture("demo/capture/q:c1")), "quarantined effect_conflict -1");
    EXPECT_EQ(posted_since(),
              "demo/capture/p:c1 100, demo/capture/p:c2 100, demo/capture/p#2 100, "
              "demo/capture/p:c3 100, demo/capture/q 100");
}

// A debit that needs the payment, from the account that holds it.
Entry refund(const char* key, const char* need, std::int64_t amount = 30) {
    Entry entry = capture(key, amount);
    entry.movements[0].kind = Kind::debit;
    entry.movements[0].account = AccountId("");
    entry.needs = {EffectKey(need)};
    return entry;
}

TEST_F(Deciding, NeedIsMetByTheRootOrAnyKeyBelowIt) {
    for (const char* key : {"demo/capture/a", "demo/capture/b:c", "demo/capture/d#2"}) {
        EXPECT_EQ(come(capture(key)), "applied  100");
    }
    EXPECT_EQ(come(total_of(100, {}, "demo/capture/t")), "applied  100");
    int n = 0;
    for (const char* need : {"demo/capture/a", "demo/capture/b", "demo/capture/b:c",
                             "demo/capture/d", "demo/capture/t"}) {
        const std::string key = "demo/refund/r" + std::to_string(n++);
        EXPECT_EQ(come(refund(key.c_str(), need)), "applied  30") << need;
        EXPECT_EQ(book.new_transfers().back()->payment_key, stem_of(EffectKey(need))) << need;
    }
    EXPECT_EQ(come(refund("demo/refund/x", "demo/capture/bb")),
              "parked waiting for demo/capture/bb -1");
    EXPECT_EQ(come(refund("demo/refund/x", "demo/capture/b:cc")),
              "parked waiting for demo/capture/b:cc -1");
}

TEST_F(Deciding, CaptureIsTheRootOfItsPaymentOrBelowIt) {
    come(capture("demo/capture/p:c1"));
    EXPECT_EQ(book.new_transfers().back()->payment_key.str(), "demo/capture/p");
    come(refund("demo/refund/r", "demo/capture/p"));
    Entry bounce = capture("demo/refund_failed/r", 30);
    bounce.needs = {EffectKey("demo/refund/r")};
    bounce.movements[0].account = AccountId("");
    EXPECT_EQ(come(bounce), "applied  30");
    EXPECT_EQ(book.new_transfers().back()->payment_key.str(), "demo/capture/p");
    EXPECT_EQ(book.new_transfers().back()->returns.str(), "demo/refund/r");
    EXPECT_EQ(balance_of("user:1"), 100);
    come(credit());
    EXPECT_EQ(book.new_transfers().back()->payment_key.str(), "") << "no capture, and no need";
}

TEST_F(Deciding, AccountOfANeedIsTheOneThatAnOperatorMovedItTo) {
    Transfer posted{EffectKey("demo/capture/p"),
                    clearing_account("demo"),
                    AccountId("user:1"),
                    {100, usd},
                    ProviderName("demo"),
                    EventId("c"),
                    {},
                    {}};
    posted.id = 7;
    book.load(std::move(posted));
    book.load_corrected(7, AccountId("user:9"));
    EXPECT_EQ(come(refund("demo/refund/r", "demo/capture/p")), "applied  30");
    EXPECT_EQ(balance_of("user:9"), -30);
    EXPECT_EQ(balance_of("user:1"), 0);
}

TEST_F(Deciding, ReversedNeedIsMetByAnotherInForce) {
    posted(book, "demo/capture/p:1", 60, usd);
    Transfer reversed = *book.find(EffectKey("demo/capture/p:1"));
    reversed.taken_back = true;
    book.load(reversed);
    Entry refund = credit();
    refund.movements[0].kind = Kind::debit;
    refund.movements[0].amount.minor = 10;
    refund.needs = {EffectKey("demo/capture/p")};
    EXPECT_EQ(come(refund), "quarantined need_reversed -1");
    EXPECT_EQ(come(refund, {.skip_needs = true}), "applied  10") << "an operator posts it";
    posted(book, "demo/capture/p:2", 40, usd);
    refund.movements[0].effect_key = EffectKey("demo/refund/2");
    EXPECT_EQ(come(refund), "applied  10") << "another capture stands";
}

TEST_F(Deciding, SeveralMovementsArePostedTogetherOrNotAtAll) {
    come(capture("demo/capture/p"));
    Entry dispute = refund("demo/dispute/d:1", "demo/capture/p", 80);
    dispute.movements.push_back(
        {Kind::debit, AccountId("fees:demo"), {15, usd}, EffectKey("demo/fee/1")});
    EXPECT_EQ(come(dispute), "applied  80");
    EXPECT_EQ(balance_of("user:1"), 20);
    EXPECT_EQ(balance_of("fees:demo"), -15);
    EXPECT_EQ(come(dispute), "duplicate_effect posted by e 80");
    dispute.movements[0].effect_key = EffectKey("demo/dispute/d:2");
    EXPECT_EQ(come(dispute), "applied  80") << "one of two is new";
    dispute.movements[0].effect_key = EffectKey("demo/dispute/d:3");
    dispute.movements[1].amount.minor = 16;
    EXPECT_EQ(come(dispute), "quarantined effect_conflict -1");
    EXPECT_EQ(balance_of("user:1"), -60) << "nothing of it was posted";
    dispute.movements[1] = dispute.movements[0];
    EXPECT_EQ(come(dispute), "quarantined effect_conflict -1") << "one key twice in one event";
    dispute.movements.pop_back();
    dispute.movements[0].amount.currency = eur;
    EXPECT_EQ(come(dispute), "quarantined currency_mismatch -1");
    dispute.movements[0].amount = {0, usd};
    EXPECT_EQ(come(dispute), "ignored zero_amount -1");
}

TEST_F(Deciding, FeeMayHaveAnotherCurrency) {
    come(capture("demo/capture/p"));
    Entry dispute = refund("demo/dispute/d:1", "demo/capture/p", 80);
    dispute.movements.push_back(
        {Kind::debit, AccountId("fees:demo"), {15, eur}, EffectKey("demo/fee/1")});
    EXPECT_EQ(come(dispute), "applied  80");
    EXPECT_EQ(book.balance({AccountId("fees:demo"), eur}).amount, -15);
}

TEST_F(Deciding, SeveralMovementsOfOneAccountAddUp) {
    come(capture("demo/capture/p"));
    Entry refunds = refund("demo/refund/1", "demo/capture/p", 30);
    refunds.movements.push_back(refund("demo/refund/2", "", 20).movements[0]);
    EXPECT_EQ(come(refunds), "applied  30");
    EXPECT_EQ(balance_of("user:1"), 50);
    EXPECT_EQ(posted_since(), "demo/capture/p 100, demo/refund/1 -30, demo/refund/2 -20");
}

// A refund succeeds, bounces, succeeds again and bounces again: S at 1, F at 2, S at 3, F at 4.
Entry reported(char what, int at) {
    Entry entry = what == 'S' ? refund("demo/refund/r", "demo/capture/p")
                              : refund("demo/refund_failed/r", "demo/refund/r");
    if (what == 'F') {
        entry.movements[0].kind = Kind::credit;
        entry.unmet = Unmet::ignore;
    }
    if (at > 0) entry.occurred_at = Time(std::chrono::seconds(at));
    return entry;
}

using Reports = std::vector<std::pair<char, int>>;

// Every event that had nothing to return is evaluated again with what it needs, as intents do.
std::string end_of(const Reports& order) {
    Book book;
    const auto come = [&book](const Entry& entry) {
        const Decision decision = decide(entry, book);
        return apply(decision, Entry(entry), Time{}, book);
    };
    come(capture("demo/capture/p"));
    std::vector<Entry> waiting;
    for (const auto& [what, at] : order) {
        const Entry entry = reported(what, at);
        const Applied applied = come(entry);
        if (applied.waits_for_effect) waiting.push_back(entry);
        for (bool more = what == 'S'; more;) {
            const auto again = std::find_if(waiting.begin(), waiting.end(), [&](const Entry& one) {
                return come(one).outcome != Outcome::ignored;
            });
            more = again != waiting.end();
            if (more) waiting.erase(again);
        }
    }
    std::set<std::string> keys;
    for (const Transfer* one : book.new_transfers()) keys.insert(one->effect_key.str());
    std::string text = std::to_string(book.balance({AccountId("user:1"), usd}).amount);
    for (const std::string& key : keys) text += " " + key.substr(5);
    return text;
}

TEST(Returns, EndTheSameInEveryOrder) {
    const std::vector<std::pair<Reports, std::string>> sets = {
        {{{'F', 2}}, "100 capture/p"},
        {{{'S', 1}, {'F', 2}}, "100 capture/p refund/r refund_failed/r"},
        {{{'F', 1}, {'S', 2}}, "70 capture/p refund/r"},
        {{{'S', 1}, {'S', 2}, {'F', 3}, {'F', 4}}, "100 capture/p refund/r refund_failed/r"},
        {{{'S', 1}, {'F', 2}, {'S', 3}}, "70 capture/p refund/r refund/r#2 refund_failed/r"},
        {{{'S', 1}, {'F', 2}, {'S', 3}, {'F', 4}},
         "100 capture/p refund/r refund/r#2 refund_failed/r refund_failed/r#2"},
        {{{'F', 0}, {'S', 0}}, "100 capture/p refund/r refund_failed/r"},
        {{{'S', 1}, {'S', 2}, {'F', 3}, {'F', 4}, {'S', 5}, {'S', 6}},
         "70 capture/p refund/r refund/r#2 refund_failed/r"},
        {{{'F', 1}, {'S', 2}, {'F', 3}, {'S', 4}, {'F', 5}, {'S', 6}},
         "70 capture/p refund/r refund/r#2 refund/r#3 refund_failed/r refund_failed/r#2"},
        {{{'S', 2}, {'F', 2}}, "100 capture/p refund/r refund_failed/r"},
    };
    for (const auto& [reports, end] : sets) {
        Reports order = reports;
        std::sort(order.begin(), order.end());
        do {
            std::string shown;
            for (const auto& [what, at] : order) shown += what + std::to_string(at) + " ";
            EXPECT_EQ(end_of(order), end) << shown;
        } while (std::next_permutation(order.begin(), order.end()));
    }
}

TEST_F(Deciding, RefundAfterItsReturnWithoutTimesIsQuarantined) {
    come(capture("demo/capture/p"));
    EXPECT_EQ(come(reported('F', 0)), "ignored nothing_to_return -1");
    EXPECT_EQ(come(reported('S', 0)), "applied  30");
    EXPECT_EQ(come(reported('S', 0)), "duplicate_effect posted by e 30");
    EXPECT_EQ(come(reported('F', 0)), "applied  30");
    EXPECT_EQ(come(reported('F', 0)), "duplicate_effect posted by e 30");
    EXPECT_EQ(come(reported('S', 0)), "quarantined effect_returned -1");
    OperatorOverride overrides;
    overrides.check = "effect_returned";
    EXPECT_EQ(come(reported('S', 0), overrides), "applied  30");
    EXPECT_EQ(balance_of("user:1"), 70);
}

TEST(Decide, TransferNamesOnlyTheCauseOfItsEntry) {
    const struct {
        Cause cause;
        const char* columns;  // provider, event, payment, refund, operator's entry
    } table[] = {{ByEvent{ProviderName("demo"), EventId("e")}, "demo e   "},
                 {ByPayment{"pay_1"}, "  pay_1  "},
                 {ByRefund{"ref_1"}, "   ref_1 "},
                 {ByOperator{"T-1", "because"}, "    T-1"}};
    for (const auto& row : table) {
        Book book;
        Entry entry = credit();
        entry.cause = row.cause;
        const Decision decision = decide(entry, book);
        apply(decision, std::move(entry), Time{}, book);
        const Transfer& one = *book.new_transfers().at(0);
        EXPECT_EQ(one.provider.str() + " " + one.event_id.str() + " " + one.payment_id + " " +
                      one.refund_id + " " + (one.by_operator ? one.by_operator->entry_id : ""),
                  row.columns);
    }
}

TEST(Decide, BothAccountsMoveUnlessOneIsAClearingAccount) {
    const struct {
        Kind kind;
        const char* against;
        const char* moved;  // balances of the account and of the other
    } table[] = {{Kind::debit, "user:2", "-100 100"},
                 {Kind::credit, "user:2", "100 -100"},
                 {Kind::debit, "other:clearing", "-100 0"}};
    for (const auto& row : table) {
        Book book;
        Entry entry = credit();
        entry.movements[0].kind = row.kind;
        entry.movements[0].against = AccountId(row.against);
        const AccountId account = entry.movements[0].account;
        apply(decide(entry, book), Entry(entry), Time{}, book);
        const Currency currency = entry.movements[0].amount.currency;
        EXPECT_EQ(std::to_string(book.balance({account, currency}).amount) + " " +
                      std::to_string(book.balance({AccountId(row.against), currency}).amount),
                  row.moved);
        EXPECT_TRUE(std::holds_alternative<AlreadyPosted>(decide(entry, book)));
    }
}

TEST(Decide, EntryIsRefusedIfItsOtherAccountCannotTakeIt) {
    Book book;
    Entry entry = credit();
    entry.movements[0].kind = Kind::debit;
    entry.movements[0].against = entry.movements[0].account;
    EXPECT_EQ(std::get<Quarantine>(decide(entry, book)).reason, "bad_account");
    entry.movements[0].against = AccountId("mirror");
    Balance& other = book.balance({AccountId("mirror"), entry.movements[0].amount.currency});
    other.absolute = true;
    EXPECT_EQ(std::get<Quarantine>(decide(entry, book)).reason, "account_is_absolute");
    other.absolute = false;
    other.amount = INT64_MAX;
    EXPECT_EQ(std::get<Quarantine>(decide(entry, book)).reason, "balance_overflow");
}

}  // namespace
}  // namespace pawl::ledger
