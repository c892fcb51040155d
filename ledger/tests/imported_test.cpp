// Payments that an operator imported: what their webhooks still move.
#include <gtest/gtest.h>

#include "base/keys.hpp"
#include "ledger/decide.hpp"

namespace pawl::ledger {
namespace {

const Currency usd = Currency::parse("USD").value();
const Currency eur = Currency::parse("EUR").value();

Time at(int seconds) {
    return Time(std::chrono::seconds(seconds));
}

// 100 captured and 20 returned as of second 50, for user:1.
class Imported : public ::testing::Test {
  protected:
    void import(CaptureShape shape, std::int64_t returned = 20) {
        const bool total = shape == CaptureShape::total;
        Entry entry{"demo", {}, {}, ByOperator{"import/x/2", "cut-over"}};
        entry.movements = {{Kind::credit,
                            AccountId("user:1"),
                            {100, usd},
                            root,
                            total ? AmountIs::total : AmountIs::delta}};
        if (returned > 0) {
            entry.movements.push_back({Kind::debit,
                                       AccountId("user:1"),
                                       {returned, usd},
                                       EffectKey("demo/refund_total/p"),
                                       AmountIs::total});
        }
        entry.occurred_at = at(50);
        entry.payment_key = root;
        ASSERT_EQ(come(entry), "applied ");
    }
    // Outcome and note.
    std::string come(const Entry& entry, const OperatorOverride& overrides = {}) {
        const Applied applied = apply(decide(entry, book, overrides), Entry(entry), at(100), book);
        return std::string(to_text(applied.outcome)) + " " + applied.note;
    }
    Entry event(Kind kind, const std::string& key, std::int64_t amount,
                const std::optional<Time>& time, bool of_payment = true) {
        Entry entry{"demo",
                    {{kind, AccountId("user:1"), {amount, usd}, EffectKey(key)}},
                    {},
                    ByEvent{ProviderName("demo"), EventId("e" + std::to_string(++events_))}};
        entry.occurred_at = time;
        if (of_payment) entry.needs = {root};
        return entry;
    }
    Entry total(const std::string& key, Kind kind, std::int64_t amount, std::optional<Time> time) {
        Entry entry = event(kind, key, amount, time, kind == Kind::debit);
        entry.movements[0].amount_is = AmountIs::total;
        return entry;
    }
    std::int64_t balance(const Currency& currency = usd) {
        return book.balance({AccountId("user:1"), currency}).amount;
    }
    std::string last_key() { return book.new_transfers().back()->effect_key.str(); }

    const EffectKey root{"demo/capture/p"};
    Book book;

  private:
    int events_ = 0;
};

TEST_F(Imported, EntriesOccupyTheRootInTheShapeOfItsBooks) {
    import(CaptureShape::one);
    ASSERT_EQ(book.new_transfers().size(), 2U);
    EXPECT_EQ(book.new_transfers()[0]->effect_key, root);
    EXPECT_TRUE(book.new_transfers()[0]->is_imported());
    EXPECT_FALSE(book.new_transfers()[1]->is_imported());
    EXPECT_EQ(book.new_transfers()[1]->effect_key.str(), "demo/refund_total/p@20");
    EXPECT_EQ(book.new_transfers()[1]->payment_key, root);
    EXPECT_EQ(book.imported_under(root), book.new_transfers()[0]);
    EXPECT_EQ(book.imported_under(EffectKey("demo/capture/q")), nullptr);
    EXPECT_EQ(balance(), 80);
}

TEST_F(Imported, RedeliveredCaptureMovesNothingInAnyShape) {
    import(CaptureShape::one);
    EXPECT_EQ(come(event(Kind::credit, "demo/capture/p", 100, at(10), false)),
              "duplicate_effect posted by import/x/2");
    EXPECT_EQ(come(event(Kind::credit, "demo/capture/p", 90, at(10), false)),
              "quarantined effect_conflict");
    EXPECT_EQ(come(event(Kind::credit, "demo/capture/p:c1", 100, at(10), false)),
              "quarantined effect_conflict");
    EXPECT_EQ(balance(), 80);
}

TEST_F(Imported, RunningTotalContinuesFromTheImport) {
    import(CaptureShape::total);
    const std::string key = root.str();
    EXPECT_EQ(come(total(key, Kind::credit, 100, at(10))), "duplicate_effect posted by import/x/2");
    EXPECT_EQ(come(total(key, Kind::credit, 60, at(5))), "stale total_fell");
    EXPECT_EQ(come(total(key, Kind::credit, 130, at(60))), "applied ");
    EXPECT_EQ(last_key(), "demo/capture/p@130");
    EXPECT_EQ(balance(), 110);
    // The returns that the file states are a running total, too.
    EXPECT_EQ(come(total("demo/refund_total/p", Kind::debit, 50, at(60))), "applied ");
    EXPECT_EQ(balance(), 80);
}

TEST_F(Imported, ReturnMovesOnlyIfItIsNewerThanTheImport) {
    const struct {
        const char* name;
        std::optional<Time> time;
        const char* says;
    } cases[] = {{"older", at(49), "quarantined effect_conflict"},
                 {"of the same time", at(50), "quarantined effect_conflict"},
                 {"without a time", {}, "quarantined effect_conflict"},
                 {"newer", at(51), "applied "}};
    for (const CaptureShape shape : {CaptureShape::one, CaptureShape::total}) {
        for (const char* key : {"demo/refund/r", "demo/dispute/d:1", "demo/return/p:e"}) {
            for (const auto& one : cases) {
                book = Book();
                import(shape);
                EXPECT_EQ(come(event(Kind::debit, key, 30, one.time)), one.says)
                    << one.name << " " << key;
                EXPECT_EQ(balance(), one.says == std::string("applied ") ? 50 : 80) << one.name;
            }
        }
    }
}

// A dispute of before, which the file counts as returned, is won afterwards.
TEST_F(Imported, ReinstatedMoneyIsCreditedOnlyIfItIsNewer) {
    import(CaptureShape::total);
    EXPECT_EQ(come(event(Kind::credit, "demo/dispute/d:2", 20, at(50))),
              "quarantined effect_conflict");
    EXPECT_EQ(come(event(Kind::credit, "demo/dispute/d:2", 20, at(60))), "applied ");
    EXPECT_EQ(balance(), 100);
}

TEST_F(Imported, ReportFromBeforeOfAPostedRefundIsAConflict) {
    import(CaptureShape::one);
    EXPECT_EQ(come(event(Kind::debit, "demo/refund/r", 30, at(60))), "applied ");
    EXPECT_EQ(come(event(Kind::debit, "demo/refund/r", 30, at(40))), "quarantined effect_conflict");
    EXPECT_EQ(come(event(Kind::debit, "demo/refund/r", 30, at(70))),
              "duplicate_effect posted by e1");
    EXPECT_EQ(balance(), 50);
}

TEST_F(Imported, RunningTotalOfReturnsFromBeforeIsAConflict) {
    import(CaptureShape::one);
    for (const std::int64_t amount : {10, 20, 40}) {
        EXPECT_EQ(come(total("demo/refund_total/p", Kind::debit, amount, at(50))),
                  "quarantined effect_conflict");
    }
    EXPECT_EQ(balance(), 80);
}

TEST_F(Imported, EventOfSeveralMovementsIsHeldAsAWhole) {
    import(CaptureShape::total);
    Entry dispute = event(Kind::debit, "demo/dispute/d:1", 30, at(50));
    dispute.movements.insert(
        dispute.movements.begin(),
        {Kind::debit, AccountId("fees:demo"), {5, eur}, EffectKey("demo/fee/d:1")});
    EXPECT_EQ(come(dispute), "quarantined effect_conflict");
    EXPECT_EQ(book.balance({AccountId("fees:demo"), eur}).amount, 0);
}

TEST_F(Imported, OperatorPostsAHeldReturnUnderANewKey) {
    import(CaptureShape::one);
    OperatorOverride overrides;
    overrides.check = "effect_conflict";
    EXPECT_EQ(come(event(Kind::debit, "demo/refund/r", 30, at(40)), overrides), "applied ");
    EXPECT_EQ(last_key(), "demo/refund/r#2");
    EXPECT_EQ(book.new_transfers().back()->payment_key, root);
    EXPECT_EQ(balance(), 50);
}

TEST_F(Imported, ReturnsByPawlAndByOperatorsNeedNoTime) {
    import(CaptureShape::one);
    Entry refund = event(Kind::debit, "demo/refund/own", 10, {});
    refund.cause = ByRefund{"ref_1"};
    EXPECT_EQ(come(refund), "applied ");
    Entry act = event(Kind::debit, "operator/T-1", 10, {}, false);
    act.cause = ByOperator{"T-1", "because"};
    act.payment_key = root;
    EXPECT_EQ(come(act), "applied ");
    EXPECT_EQ(balance(), 60);
}

// Captured by Pawl itself: no time stops a refund.
TEST_F(Imported, PaymentsThatWereNotImportedAreNotConcerned) {
    EXPECT_EQ(come(event(Kind::credit, "demo/capture/p", 100, at(50), false)), "applied ");
    EXPECT_EQ(come(event(Kind::debit, "demo/refund/r", 30, {})), "applied ");
    EXPECT_EQ(come(event(Kind::debit, "demo/refund/s", 30, at(10))), "applied ");
    EXPECT_EQ(balance(), 40);
}

}  // namespace
}  // namespace pawl::ledger
