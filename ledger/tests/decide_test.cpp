// decide() as a table: an event, what the books say, and what becomes of it.
#include "ledger/decide.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace pawl::ledger {
namespace {

using providers::Action;
using providers::Event;
using providers::Order;

const Reporter reporter{ProviderName("demo"), "demo"};
const Currency usd = Currency::parse("USD").value();
const Currency eur = Currency::parse("EUR").value();

// What varies. The event credits 100 to user:1 under demo/e, unless it says otherwise.
struct Case {
    const char* name;
    std::function<void(Event&)> event;
    std::function<void(Book&)> book;
    const char* expected;  // outcome, note, balance afterwards
    Leave leave = {};
};

Event credit() {
    Event event;
    event.event_id = EventId("e");
    event.action = Action::credit;
    event.account = "user:1";
    event.movement = providers::Movement{};
    event.movement->account = AccountId("user:1");
    event.movement->amount = {100, usd};
    event.movement->effect_key = EffectKey("demo/e");
    event.sequence_rule.scope = "account:user:1";
    return event;
}

void posted(Book& book, const char* key, std::int64_t amount, const Currency& currency) {
    book.load(Transfer{EffectKey(key),
                       clearing_account(reporter.books),
                       AccountId("user:1"),
                       {amount, currency},
                       reporter.provider,
                       EventId("other"),
                       {},
                       {}});
}

void balance(Book& book, std::int64_t amount, std::optional<Sequence> last = {},
             bool absolute = false) {
    book.load(BalanceKey{AccountId("user:1"), usd}, Balance{amount, last, 0, 1, absolute, false});
}

void stream(Book& book, std::int64_t last) {
    book.load(StreamKey{"demo", "account:user:1"}, Stream{Sequence{last}, {}, false});
}

std::function<void(Event&)> numbered(std::int64_t sequence, Order order) {
    return [sequence, order](Event& e) {
        e.sequence = Sequence{sequence};
        e.order = order;
    };
}

const auto as_is = [](auto&) {};

const Case cases[] = {
    {"a credit", as_is, as_is, "applied  100"},
    {"a debit below zero", [](Event& e) { e.action = Action::debit; }, as_is, "applied  -100"},
    {"nothing", [](Event& e) { e.movement->amount.minor = 0; }, as_is, "ignored zero_amount 0"},
    {"nothing, and another posted its key", [](Event& e) { e.movement->amount.minor = 0; },
     [](Book& b) { posted(b, "demo/e", 100, usd); }, "ignored zero_amount 0"},
    {"nothing, and its need is unmet",
     [](Event& e) {
         e.movement->amount.minor = 0;
         e.movement->needs = {EffectKey("demo/c")};
     },
     as_is, "ignored zero_amount 0"},
    {"nothing, without an account",
     [](Event& e) {
         e.movement->amount.minor = 0;
         e.movement->account = AccountId("");
     },
     as_is, "quarantined bad_account 0"},
    {"a balance of nothing",
     [](Event& e) {
         e.action = Action::set_balance;
         e.movement->amount.minor = 0;
     },
     as_is, "applied  0"},
    {"ignored", [](Event& e) { e.action = Action::ignore; }, as_is, "ignored  0"},
    {"no account", [](Event& e) { e.movement->account = AccountId(""); }, as_is,
     "quarantined bad_account 0"},
    {"clearing", [](Event& e) { e.movement->account = AccountId("demo:clearing"); }, as_is,
     "quarantined clearing_account 0"},
    {"no effect key", [](Event& e) { e.movement->effect_key = EffectKey(""); }, as_is,
     "quarantined effect_key_missing 0"},
    {"below zero", [](Event& e) { e.movement->amount.minor = -1; }, as_is,
     "quarantined bad_amount 0"},
    {"posted by another", as_is, [](Book& b) { posted(b, "demo/e", 100, usd); },
     "duplicate_effect posted by other 0"},
    {"posted with another amount", as_is, [](Book& b) { posted(b, "demo/e", 99, usd); },
     "quarantined effect_conflict 0"},
    {"posted in another currency", as_is, [](Book& b) { posted(b, "demo/e", 100, eur); },
     "quarantined effect_conflict 0"},
    {"posted the other way", [](Event& e) { e.action = Action::debit; },
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
    {"another key of its need's hash was posted",
     [](Event& e) { e.movement->needs = {EffectKey("demo/c")}; },
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
    {"needs what is not there", [](Event& e) { e.movement->needs = {EffectKey("demo/c")}; }, as_is,
     "parked waiting for demo/c 0"},
    {"needs what is there", [](Event& e) { e.movement->needs = {EffectKey("demo/c")}; },
     [](Book& b) { posted(b, "demo/c", 100, usd); }, "applied  100"},
    {"needs it in its own currency", [](Event& e) { e.movement->needs = {EffectKey("demo/c")}; },
     [](Book& b) { posted(b, "demo/c", 100, eur); }, "quarantined currency_mismatch 0"},
    {"needs it, and is let off", [](Event& e) { e.movement->needs = {EffectKey("demo/c")}; }, as_is,
     "applied  100", Leave{true, false}},
    {"late_ok, newer", numbered(5, Order::late_ok), [](Book& b) { balance(b, 1, Sequence{4}); },
     "applied  101"},
    {"late_ok, passed", numbered(3, Order::late_ok), [](Book& b) { balance(b, 1, Sequence{4}); },
     "applied_late  101"},
    {"late_ok, a tie", numbered(4, Order::late_ok), [](Book& b) { balance(b, 1, Sequence{4}); },
     "applied  101"},
    {"hold, the first", numbered(1, Order::hold), as_is, "applied  100"},
    {"hold, early", numbered(3, Order::hold), as_is, "parked waiting for 1 0"},
    {"hold, next", numbered(3, Order::hold), [](Book& b) { stream(b, 2); }, "applied  100"},
    {"hold, a gap", numbered(4, Order::hold), [](Book& b) { stream(b, 2); },
     "parked waiting for 3 0"},
    {"hold, released", numbered(4, Order::hold), [](Book& b) { stream(b, 2); }, "applied  100",
     Leave{false, true}},
    {"hold, passed", numbered(2, Order::hold), [](Book& b) { stream(b, 2); }, "applied_late  100"},
    {"hold, after the last number", numbered(2, Order::hold), [](Book& b) { stream(b, INT64_MAX); },
     "applied_late  100"},
    {"hold, the last number", numbered(INT64_MAX, Order::hold),
     [](Book& b) { stream(b, INT64_MAX - 1); }, "applied  100"},
    {"strict, newer", numbered(9, Order::strict), [](Book& b) { stream(b, 2); }, "applied  100"},
    {"strict, the same", numbered(2, Order::strict), [](Book& b) { stream(b, 2); }, "stale  0"},
    {"a balance is told", [](Event& e) { e.action = Action::set_balance; },
     [](Book& b) { balance(b, 30, {}, true); }, "applied  100"},
    {"a balance that takes increments is told", [](Event& e) { e.action = Action::set_balance; },
     [](Book& b) { balance(b, 30); }, "quarantined account_takes_increments 30"},
    {"a balance that is told takes no increments", as_is, [](Book& b) { balance(b, 30, {}, true); },
     "quarantined account_is_absolute 30"},
};

std::string decided(const Case& c) {
    Event event = credit();
    c.event(event);
    Book book;
    c.book(book);
    const Decision decision = decide(event, reporter, book, c.leave);
    const Applied applied = apply(decision, event, reporter, Time{}, book);
    return std::string(to_text(applied.outcome)) + " " + applied.note + " " +
           std::to_string(book.balance({AccountId("user:1"), usd}).amount);
}

TEST(Decide, what_becomes_of_an_event_follows_from_it_and_from_the_books) {
    for (const Case& c : cases) EXPECT_EQ(decided(c), c.expected) << c.name;
}

TEST(Decide, a_total_posts_what_is_new_in_it) {
    Book book;
    Event event = credit();
    event.object = "pay_1";
    event.movement->is_total = true;
    const auto come = [&](const char* key, std::int64_t total, std::int64_t sequence) {
        event.movement->effect_key = EffectKey(key);
        event.movement->amount.minor = total;
        event.sequence = Sequence{sequence};
        const Decision decision = decide(event, reporter, book);
        const Applied applied = apply(decision, event, reporter, Time{}, book);
        return std::string(to_text(applied.outcome)) + " " + applied.note + " " +
               std::to_string(applied.moved.value_or(-1));
    };
    EXPECT_EQ(come("demo/a", 60, 1), "applied  60");
    EXPECT_EQ(come("demo/b", 100, 3), "applied  40");
    EXPECT_EQ(come("demo/c", 80, 2), "stale  -1");
    EXPECT_EQ(come("demo/d", 80, 4), "quarantined total_fell -1");
    EXPECT_EQ(come("demo/a", 100, 5), "duplicate_effect posted by e 60");
    event.movement->account = AccountId("user:2");
    EXPECT_EQ(come("demo/a", 100, 6), "quarantined effect_conflict -1") << "another account";
    event.movement->account = AccountId("user:1");
    event.movement->amount.currency = eur;
    EXPECT_EQ(come("demo/a", 100, 7), "quarantined effect_conflict -1") << "another currency";
}

}  // namespace
}  // namespace pawl::ledger
