// Payments captured before Pawl: their entries, the webhooks about them that arrive before, after
// and at the same time, and tampering with the entries.
#include <algorithm>
#include <thread>

#include "intents/operator/transfer_acts.hpp"
#include "intents/verify/verify.hpp"
#include "tests/integration/import_case.hpp"

namespace pawl::intents {
namespace {

class Imports : public ::testing::Test {
  protected:
    BatchImported import(const std::vector<ImportedPayment>& lines) {
        return import_batch(session, as_file(lines),
                            {new_import_id(), "ana", "cut-over", "captures.csv"},
                            SystemClock().now());
    }
    // Outcome and note of a webhook.
    std::string come(const testing::Said& said) {
        const auto result = testing::commit(session, {testing::deliver({testing::event(said)})});
        return std::string(ledger::to_text(result[0][0].outcome)) + " " + result[0][0].note;
    }
    testing::Said capture(const std::string& payment, std::int64_t amount = 100,
                          bool total = false) {
        return {.id = "evt_" + payment + std::to_string(++events_),
                .effect = "capture/" + payment,
                .amount = amount,
                .total = total,
                .at = 900};
    }
    std::string value(const std::string& sql) { return database.value(sql); }
    std::string balance(const std::string& account = "user:1") {
        return value("SELECT coalesce((SELECT amount FROM balances WHERE account = '" + account +
                     "'), 0)");
    }
    std::string keys() {
        return value("SELECT string_agg(effect_key, ' ' ORDER BY id) FROM transfers");
    }
    std::vector<std::string> broken() {
        std::vector<std::string> names;
        for (const Invariant& one : verify(session)) {
            if (!one.breaches.empty()) names.push_back(one.name);
        }
        return names;
    }
    testing::TestDatabase database;
    db::Session session = database.session();
    int events_ = 0;
};

TEST_F(Imports, EntriesOccupyTheRootInTheShapeOfTheBooks) {
    EXPECT_EQ(shown(import({imported_line("a"), imported_line("b", CaptureShape::ids, 30),
                            imported_line("c", CaptureShape::total, 100)})),
              "imported 3");
    EXPECT_EQ(keys(),
              "demo/capture/a demo/capture/b demo/refund_total/b@30 demo/capture/c@100 "
              "demo/refund_total/c@100");
    EXPECT_EQ(balance(), "170");
    EXPECT_EQ(value("SELECT count(*) FROM transfers WHERE payment_key <> key_stem(effect_key)"),
              "2");
    EXPECT_EQ(value("SELECT string_agg(DISTINCT extract(epoch FROM occurred_at)::bigint || ' ' || "
                    "source || ' ' || reason || ' ' || num_nonnulls(event_id, payment_id, "
                    "refund_id), ',') FROM transfers"),
              "1000 operator cut-over 0");
    EXPECT_TRUE(broken().empty());
}

TEST_F(Imports, ActIsInTheAuditLogAndNoSubscriberIsNotified) {
    import({imported_line("a", CaptureShape::one, 10)});
    EXPECT_EQ(value("SELECT principal || ' ' || action || ' ' || reason || ' ' || "
                    "(details->>'file') || ' ' || (details->>'payments') || ' ' || "
                    "(details->>'transfers') || ' ' || (subject = details->>'reference') "
                    "FROM audit_log"),
              "ana import.captures cut-over captures.csv 1 2 true");
    EXPECT_EQ(value("SELECT count(*) FROM transfers WHERE entry_id = "
                    "(SELECT details->>'reference' FROM audit_log)"),
              "2");
    EXPECT_EQ(value("SELECT count(*) FROM staged_jobs"), "0");
}

TEST_F(Imports, SecondImportMovesNothing) {
    const std::vector<ImportedPayment> lines = {imported_line("a"),
                                                imported_line("b", CaptureShape::total, 30)};
    EXPECT_EQ(shown(import(lines)), "imported 2");
    EXPECT_EQ(shown(import(lines)), "imported 0, imported line 2, imported line 3");
    EXPECT_EQ(balance(), "170");
    EXPECT_EQ(value("SELECT count(*) FROM audit_log"), "1");
    // Other content of a payment is not the same line.
    auto other = lines;
    other[0].captured.minor = 90;
    EXPECT_EQ(shown(import(other)), "imported 0, has_movements line 2, imported line 3");
}

// The first COMMIT is done and answered with a warning, as if its answer had been lost.
TEST_F(Imports, BatchWhoseCommitIsInDoubtIsFoundDone) {
    database.run(
        "CREATE SEQUENCE doubts; CREATE FUNCTION doubt() RETURNS trigger LANGUAGE plpgsql "
        "SECURITY DEFINER SET search_path = pawl, public, pg_temp AS $$ BEGIN "
        "IF nextval('doubts') = 1 THEN RAISE WARNING 'the answer is lost'; END IF; "
        "RETURN NULL; END $$; "
        "CREATE CONSTRAINT TRIGGER doubt AFTER INSERT ON audit_log DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION doubt()");
    EXPECT_EQ(shown(import({imported_line("a"), imported_line("b", CaptureShape::total, 30)})),
              "imported 2");
    EXPECT_EQ(value("SELECT last_value FROM doubts"), "1");
    EXPECT_EQ(value("SELECT count(*) FROM audit_log"), "1");
    EXPECT_EQ(balance(), "170");
}

TEST_F(Imports, PreviewSaysTheSameAndChangesNothing) {
    come(capture("a"));
    const auto lines = as_file({imported_line("a"), imported_line("b")});
    db::Session reader(database.options());
    EXPECT_EQ(shown(preview_batch(reader, lines)), "imported 1, has_movements line 2");
    EXPECT_EQ(shown(preview_batch(reader, lines)), "imported 1, has_movements line 2");
    EXPECT_EQ(value("SELECT count(*) FROM transfers"), "1");
    EXPECT_EQ(shown(import(lines)), "imported 1, has_movements line 2");
}

TEST_F(Imports, PaymentOfPawlsOwnIsLeftOut) {
    database.run(
        "INSERT INTO orders (order_id, amount, currency, account, gateway, created_at, updated_at) "
        "VALUES "
        "('o1', 100, 'USD', 'user:1', 'demo', now(), now()); "
        "INSERT INTO payments (payment_id, order_id, attempt, key, gateway, books, reference, "
        "payment_key, state, amount, currency, account, correlation_id, created_at, updated_at) "
        "VALUES "
        "('pay_1', 'o1', 1, 'pay:o1:1', 'demo', 'demo', 'a', 'demo/capture/a', 'created', 100, "
        "'USD', "
        "'user:1', 'c', now(), now())");
    EXPECT_EQ(shown(import({imported_line("a")})), "imported 0, own_payment line 2");
}

TEST_F(Imports, AccountThatItsProviderSetsIsRefusedAndTheOthersAreImported) {
    come({.id = "b1",
          .effect = "balance/1",
          .account = "mirror",
          .sequence = 1,
          .action = providers::Action::set_balance,
          .order = providers::OrderingPolicy::strict});
    ImportedPayment mirror = imported_line("m");
    mirror.account = AccountId("mirror");
    EXPECT_EQ(shown(import({imported_line("a"), mirror})),
              "imported 1, account_is_absolute line 3");
    EXPECT_EQ(balance("mirror"), "100");
}

TEST_F(Imports, BalanceThatWouldOverflowIsRefusedAndTheOthersAreImported) {
    ImportedPayment most = imported_line("most");
    most.captured.minor = INT64_MAX;
    EXPECT_EQ(shown(import({most, imported_line("a")})), "imported 1, balance_overflow line 3");
    EXPECT_EQ(balance(), std::to_string(INT64_MAX));
    EXPECT_EQ(value("SELECT details->>'payments' FROM audit_log"), "1");
}

TEST_F(Imports, CaptureThatIsDeliveredAgainMovesNothing) {
    import({imported_line("a"), imported_line("t", CaptureShape::total),
            imported_line("i", CaptureShape::ids)});
    EXPECT_TRUE(come(capture("a")).starts_with("duplicate_effect posted by import/"));
    EXPECT_TRUE(come(capture("t", 100, true)).starts_with("duplicate_effect posted by import/"));
    EXPECT_EQ(come(capture("t", 60, true)), "stale total_fell");
    EXPECT_EQ(come(capture("i:c1")), "quarantined effect_conflict");
    EXPECT_EQ(come(capture("a", 90)), "quarantined effect_conflict");
    testing::Said other = capture("a");
    other.account = "user:2";
    EXPECT_EQ(come(other), "quarantined effect_conflict");
    EXPECT_EQ(balance(), "300");
    // A later capture is credited.
    EXPECT_EQ(come(capture("t", 130, true)), "applied ");
    EXPECT_EQ(balance(), "330");
    EXPECT_TRUE(broken().empty());
}

TEST_F(Imports, ReturnMovesOnlyIfItIsNewerThanTheFile) {
    for (const CaptureShape shape : {CaptureShape::one, CaptureShape::total, CaptureShape::ids}) {
        const std::string p = "p" + std::to_string(static_cast<int>(shape));
        import({imported_line(p, shape, 20)});
        const std::string conflict = "quarantined effect_conflict";
        EXPECT_EQ(come(refund_of(p, p + "old", 20, imported_at - 1)), conflict);
        EXPECT_EQ(come(refund_of(p, p + "same", 20, imported_at)), conflict);
        EXPECT_EQ(come(refund_of(p, p + "none", 20, {})), conflict);
        EXPECT_EQ(come(refund_of(p, p + "new", 30, imported_at + 1)), "applied ");
    }
    EXPECT_EQ(balance(), "150");
    EXPECT_TRUE(broken().empty());
}

TEST_F(Imports, ReturnsCountAgainstTheCaptureTogetherWithThoseOfTheFile) {
    import({imported_line("a", CaptureShape::one, 40)});
    EXPECT_EQ(come(refund_of("a", "r1", 60, imported_at + 1)), "applied ");
    EXPECT_TRUE(broken().empty());
    EXPECT_EQ(come(refund_of("a", "r2", 1, imported_at + 2)), "applied ");
    EXPECT_EQ(broken(), std::vector<std::string>{"returned_within_captures"});
}

// Both receivers run, and webhooks about a payment arrive before the file is imported.
TEST_F(Imports, ParkedReturnsAreDecidedWithTheImport) {
    EXPECT_EQ(come(refund_of("a", "old", 20, imported_at)), "parked waiting for demo/capture/a");
    EXPECT_EQ(come(refund_of("a", "new", 30, imported_at + 1)),
              "parked waiting for demo/capture/a");
    EXPECT_EQ(shown(import({imported_line("a", CaptureShape::total, 20)})), "imported 1");
    EXPECT_EQ(value("SELECT string_agg(event_id || ' ' || outcome || ' ' || coalesce(note, ''), ', "
                    "' ORDER BY "
                    "event_id) FROM webhook_intents"),
              "evt_new applied , evt_old quarantined effect_conflict");
    EXPECT_EQ(balance(), "50");
    EXPECT_EQ(shown(import({imported_line("a", CaptureShape::total, 20)})),
              "imported 0, imported line 2");
    EXPECT_TRUE(broken().empty());
}

TEST_F(Imports, PaymentWhoseWebhookCameFirstIsSkipped) {
    EXPECT_EQ(come(capture("a")), "applied ");
    const BatchImported done = import({imported_line("a", CaptureShape::one, 20)});
    EXPECT_EQ(shown(done), "imported 0, has_movements line 2");
    EXPECT_EQ(done.left_out.at(0).why.detail,
              "has 1 movements already, 100 USD in all; the file has 100 captured and 20 returned");
    EXPECT_EQ(balance(), "100");
    EXPECT_EQ(value("SELECT count(*) FROM audit_log"), "0");
}

TEST_F(Imports, OperatorsActsOnImportedEntriesKeepTheBooks) {
    import({imported_line("a", CaptureShape::one, 20)});
    const auto id =
        std::stoll(value("SELECT id FROM transfers WHERE effect_key = "
                         "'demo/capture/a'"));
    const auto act = [&](const TransferAct& what) {
        return std::holds_alternative<TransferActDone>(
            apply_transfer_act(session, what, {"ana", "because"}, SystemClock().now()));
    };
    ASSERT_TRUE(act(CorrectTransfer{id, "T-1", AccountId("user:2")}));
    EXPECT_EQ(balance() + " " + balance("user:2"), "0 80");
    // A payment has one holder, and the file's time still counts.
    EXPECT_EQ(come(refund_of("a", "old", 20, imported_at)), "quarantined effect_conflict");
    EXPECT_EQ(come(refund_of("a", "new", 30, imported_at + 1)), "applied ");
    EXPECT_EQ(balance("user:2"), "50");
    EXPECT_EQ(shown(import({imported_line("a", CaptureShape::one, 20)})),
              "imported 0, imported line 2");
    EXPECT_TRUE(broken().empty());
}

struct Tampering {
    const char* name;
    const char* sql;
    const char* invariant;
};
class ImportsFind : public Imports, public ::testing::WithParamInterface<Tampering> {};

// No key is set, so that no chain covers the rows.
TEST_P(ImportsFind, TamperingWithAnEntry) {
    import({imported_line("a"), imported_line("b", CaptureShape::total, 30)});
    ASSERT_TRUE(broken().empty());
    database.run(GetParam().sql);
    const auto names = broken();
    EXPECT_NE(std::find(names.begin(), names.end(), GetParam().invariant), names.end());
}

INSTANTIATE_TEST_SUITE_P(
    Each, ImportsFind,
    ::testing::Values(
        Tampering{"Amount",
                  "UPDATE transfers SET amount = 101 WHERE effect_key = 'demo/capture/a'; UPDATE "
                  "balances SET amount = amount + 1",
                  "import_is_as_recorded"},
        Tampering{
            "Account",
            "UPDATE transfers SET credit_account = 'user:9' WHERE effect_key = "
            "'demo/capture/a'; UPDATE balances SET amount = amount - 100; INSERT INTO balances "
            "VALUES ('user:9', 'USD', 100)",
            "import_is_as_recorded"},
        Tampering{"Time",
                  "UPDATE transfers SET occurred_at = to_timestamp(0) WHERE effect_key = "
                  "'demo/capture/a'",
                  "import_is_as_recorded"},
        Tampering{"Deleted",
                  "DELETE FROM transfers WHERE effect_key = 'demo/capture/a'; UPDATE balances SET "
                  "amount = amount - 100",
                  "import_is_as_recorded"},
        Tampering{"OneMore",
                  "INSERT INTO transfers (effect_key, payment_key, debit_account, credit_account, "
                  "currency, amount, posted_at, occurred_at, entry_id, source, reason) SELECT "
                  "'demo/capture/z', 'demo/capture/z', debit_account, credit_account, currency, "
                  "amount, posted_at, occurred_at, entry_id, source, reason FROM transfers WHERE "
                  "effect_key = 'demo/capture/a'; UPDATE balances SET amount = amount + 100",
                  "import_is_as_recorded"},
        Tampering{
            "OfNoAct",
            "INSERT INTO transfers (effect_key, payment_key, debit_account, credit_account, "
            "currency, amount, posted_at, entry_id, source, reason) VALUES "
            "('demo/capture/z', 'demo/capture/z', 'demo:clearing', 'user:1', 'USD', 5, now(), "
            "'import/forged/2', 'operator', 'x'); UPDATE balances SET amount = amount + 5",
            "entry_has_its_act"},
        Tampering{"Root",
                  "UPDATE transfers SET payment_key = 'demo/capture/q' WHERE effect_key = "
                  "'demo/capture/a'",
                  "movement_has_its_payment"},
        Tampering{"Total", "UPDATE running_totals SET total = total - 1",
                  "running_total_is_sum_of_transfers"},
        Tampering{"Audit",
                  "UPDATE audit_log SET details = replace(details::text, '\"digest\":\"', "
                  "'\"digest\":\"0')::json",
                  "import_is_as_recorded"}),
    [](const auto& tested) { return std::string(tested.param.name); });

// Threads in place of steps: a batch of the file, and the webhooks of its payments.
TEST_F(Imports, WebhooksThatArriveDuringTheImportAreCreditedOnce) {
    constexpr int payments = 120;
    std::vector<ImportedPayment> lines;
    for (int i = 0; i < payments; ++i) {
        const auto shape = i % 2 == 0 ? CaptureShape::one : CaptureShape::total;
        lines.push_back(imported_line("p" + std::to_string(i), shape));
    }
    const auto webhooks = [&](int part) {
        db::Session own = database.session();
        for (int i = part; i < payments; i += 2) {
            const std::string p = "p" + std::to_string(i);
            testing::Said said{.id = "evt_" + p, .effect = "capture/" + p, .total = i % 2 != 0};
            said.at = 900;
            testing::commit(own, {testing::deliver({testing::event(said)})});
            testing::commit(
                own,
                {testing::deliver({testing::event(refund_of(p, "r" + p, 10, imported_at + 1))})});
        }
    };
    std::jthread even(webhooks, 0), odd(webhooks, 1);
    std::int64_t imported = 0;
    const auto all = as_file(lines);
    for (std::size_t i = 0; i < all.size(); i += 10) {
        imported += import_batch(session, std::span(all).subspan(i, 10),
                                 {new_import_id(), "ana", "cut-over", "f"}, SystemClock().now())
                        .imported;
    }
    even.join();
    odd.join();
    EXPECT_EQ(balance(), std::to_string(payments * 90));
    EXPECT_EQ(value("SELECT count(*) FROM webhook_intents WHERE outcome = 'applied' AND event_id "
                    "NOT LIKE 'evt_r%'"),
              std::to_string(payments - imported));
    EXPECT_EQ(value("SELECT count(*) FROM webhook_intents WHERE outcome = 'duplicate_effect'"),
              std::to_string(imported));
    EXPECT_TRUE(broken().empty());
}

}  // namespace
}  // namespace pawl::intents
