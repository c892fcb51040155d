// decide() as a table: an entry, what the books say, and what becomes of it.
#include "ledger/decide.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace pawl::ledger {
namespace {

const Currency usd = Currency::parse("USD").value();
const Currency eur = Currency::parse("EUR").value();

// What varies. The entry credits 100 to user:1 under demo/e, unless it says otherwise.
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
    entry.movement = {Kind::credit, AccountId("user:1"), {100, usd}, EffectKey("demo/e")};
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
    {"a debit below zero", [](Entry& e) { e.movement.kind = Kind::debit; }, as_is, "applied  -100"},
    {"nothing", [](Entry& e) { e.movement.amount.minor = 0; }, as_is, "ignored zero_amount 0"},
    {"nothing, and another posted its key", [](Entry& e) { e.movement.amount.minor = 0; },
     [](Book& b) { posted(b, "demo/e", 100, usd); }, "ignored zero_amount 0"},
    {"nothing, and its need is unmet",
     [](Entry& e) {
         e.movement.amount.minor = 0;
         e.movement.needs = {EffectKey("demo/c")};
     },
     as_is, "ignored zero_amount 0"},
    {"nothing, without an account",
     [](Entry& e) {
         e.movement.amount.minor = 0;
         e.movement.account = AccountId("");
     },
     as_is, "quarantined bad_account 0"},
    {"a balance of nothing",
     [](Entry& e) {
         e.movement.kind = Kind::set_balance;
         e.movement.amount.minor = 0;
     },
     as_is, "applied  0"},
    {"ignored", [](Entry& e) { e.movement.kind = Kind::none; }, as_is, "ignored  0"},
    {"no account", [](Entry& e) { e.movement.account = AccountId(""); }, as_is,
     "quarantined bad_account 0"},
    {"clearing", [](Entry& e) { e.movement.account = AccountId("demo:clearing"); }, as_is,
     "quarantined clearing_account 0"},
    {"no effect key", [](Entry& e) { e.movement.effect_key = EffectKey(""); }, as_is,
     "quarantined effect_key_missing 0"},
    {"below zero", [](Entry& e) { e.movement.amount.minor = -1; }, as_is,
     "quarantined bad_amount 0"},
    {"posted by another", as_is, [](Book& b) { posted(b, "demo/e", 100, usd); },
     "duplicate_effect posted by other 0"},
    {"posted with another amount", as_is, [](Book& b) { posted(b, "demo/e", 99, usd); },
     "quarantined effect_conflict 0"},
    {"posted in another currency", as_is, [](Book& b) { posted(b, "demo/e", 100, eur); },
     "quarantined effect_conflict 0"},
    {"posted the other way", [](Entry& e) { e.movement.kind = Kind::debit; },
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
     [](Entry& e) { e.movement.needs = {EffectKey("demo/c")}; },
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
    {"needs what is not there", [](Entry& e) { e.movement.needs = {EffectKey("demo/c")}; }, as_is,
     "parked waiting for demo/c 0"},
    {"needs what is there", [](Entry& e) { e.movement.needs = {EffectKey("demo/c")}; },
     [](Book& b) { posted(b, "demo/c", 100, usd); }, "applied  100"},
    {"needs it in its own currency", [](Entry& e) { e.movement.needs = {EffectKey("demo/c")}; },
     [](Book& b) { posted(b, "demo/c", 100, eur); }, "quarantined currency_mismatch 0"},
    {"needs it, and is let off", [](Entry& e) { e.movement.needs = {EffectKey("demo/c")}; }, as_is,
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
    {"a balance is told", [](Entry& e) { e.movement.kind = Kind::set_balance; },
     [](Book& b) { balance(b, 30, {}, true); }, "applied  100"},
    {"a balance that takes increments is told",
     [](Entry& e) { e.movement.kind = Kind::set_balance; }, [](Book& b) { balance(b, 30); },
     "quarantined account_takes_increments 30"},
    {"a balance that is told takes no increments", as_is, [](Book& b) { balance(b, 30, {}, true); },
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

TEST(Decide, what_becomes_of_an_entry_follows_from_it_and_from_the_books) {
    for (const Case& c : cases) EXPECT_EQ(decided(c), c.expected) << c.name;
}

TEST(Decide, a_total_posts_what_is_new_in_it) {
    Book book;
    Entry entry = credit();
    entry.movement.total_of = "pay_1";
    const auto come = [&](const char* key, std::int64_t total, std::int64_t sequence) {
        entry.movement.effect_key = EffectKey(key);
        entry.movement.amount.minor = total;
        entry.ordering.number = Sequence{sequence};
        const Decision decision = decide(entry, book);
        const Applied applied = apply(decision, Entry(entry), Time{}, book);
        return std::string(to_text(applied.outcome)) + " " + applied.note + " " +
               std::to_string(applied.moved.value_or(-1));
    };
    EXPECT_EQ(come("demo/a", 60, 1), "applied  60");
    EXPECT_EQ(come("demo/b", 100, 3), "applied  40");
    EXPECT_EQ(come("demo/c", 80, 2), "stale  -1");
    EXPECT_EQ(come("demo/d", 80, 4), "quarantined total_fell -1");
    EXPECT_EQ(come("demo/a", 100, 5), "duplicate_effect posted by e 60");
    entry.movement.account = AccountId("user:2");
    EXPECT_EQ(come("demo/a", 100, 6), "quarantined effect_conflict -1") << "another account";
    entry.movement.account = AccountId("user:1");
    entry.movement.amount.currency = eur;
    EXPECT_EQ(come("demo/a", 100, 7), "quarantined effect_conflict -1") << "another currency";
}

TEST(Decide, a_transfer_names_the_cause_of_its_entry_and_no_other) {
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

TEST(Decide, both_accounts_of_an_entry_move_unless_one_is_a_clearing_account) {
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
        entry.movement.kind = row.kind;
        entry.movement.against = AccountId(row.against);
        const AccountId account = entry.movement.account;
        apply(decide(entry, book), Entry(entry), Time{}, book);
        const Currency currency = entry.movement.amount.currency;
        EXPECT_EQ(std::to_string(book.balance({account, currency}).amount) + " " +
                      std::to_string(book.balance({AccountId(row.against), currency}).amount),
                  row.moved);
        EXPECT_TRUE(std::holds_alternative<AlreadyPosted>(decide(entry, book)));
    }
}

TEST(Decide, an_entry_is_refused_where_its_other_account_cannot_take_it) {
    Book book;
    Entry entry = credit();
    entry.movement.kind = Kind::debit;
    entry.movement.against = entry.movement.account;
    EXPECT_EQ(std::get<Quarantine>(decide(entry, book)).reason, "bad_account");
    entry.movement.against = AccountId("mirror");
    Balance& other = book.balance({AccountId("mirror"), entry.movement.amount.currency});
    other.absolute = true;
    EXPECT_EQ(std::get<Quarantine>(decide(entry, book)).reason, "account_is_absolute");
    other.absolute = false;
    other.amount = INT64_MAX;
    EXPECT_EQ(std::get<Quarantine>(decide(entry, book)).reason, "balance_overflow");
}

}  // namespace
}  // namespace pawl::ledger
