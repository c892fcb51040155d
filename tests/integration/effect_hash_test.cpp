// The journal finds an effect key by 15 bytes of its SHA-256, and one key of each hash is posted.
// Two keys of one hash are made here with a hash that is worth nothing: that of a key's last
// letter.
#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "intents/accept/accept.hpp"
#include "intents/verify/verify.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl {
namespace {

using ledger::Outcome;
using testing::commit;
using testing::deliver;
using testing::event;

class EffectHash : public ::testing::Test {
  protected:
    EffectHash() {
        database.run(
            "DROP INDEX transfers_effect_key; "
            "CREATE OR REPLACE FUNCTION pawl.key_hash(key text) RETURNS bytea LANGUAGE sql "
            "IMMUTABLE STRICT PARALLEL SAFE "
            "RETURN decode(lpad(to_hex(ascii(right(key, 1))), 30, '0'), 'hex'); "
            "CREATE UNIQUE INDEX transfers_effect_key ON transfers (key_hash(effect_key))");
    }
    intents::EventResult one(const providers::Event& event) {
        return commit(session, {deliver({event})})[0][0];
    }
    std::string note_of(const std::string& id) {
        return database.value("SELECT note FROM webhook_intents WHERE event_id = '" + id + "'");
    }
    std::string journal() {
        return database.value("SELECT string_agg(effect_key, ' ' ORDER BY id) FROM transfers");
    }
    testing::TestDatabase database;
    db::Session session = database.session();
};

TEST_F(EffectHash, AnotherKeyOfOneHashIsAConflictAndNoDuplicate) {
    EXPECT_EQ(one(event({"e1", "capture/a1"})).outcome, Outcome::applied);
    EXPECT_EQ(one(event({"e2", "capture/b1"})).outcome, Outcome::quarantined);
    EXPECT_EQ(note_of("e2"), "effect_conflict");
    EXPECT_EQ(one(event({"e3", "capture/a1"})).outcome, Outcome::duplicate_effect);
    EXPECT_EQ(one(event({"e4", "capture/b2"})).outcome, Outcome::applied);
    EXPECT_EQ(journal(), "demo/capture/a1 demo/capture/b2");
}

TEST_F(EffectHash, TwoNewKeysOfOneHashInOneDeliveryEndAfterOneRetry) {
    const auto answers =
        commit(session, {deliver({event({"e1", "capture/a1"}), event({"e2", "capture/b1"}),
                                  event({"e3", "capture/c1"}), event({"e4", "capture/d2"})})});
    EXPECT_EQ(answers[0][0].outcome, Outcome::applied);
    EXPECT_EQ(answers[0][1].outcome, Outcome::quarantined);
    EXPECT_EQ(answers[0][2].outcome, Outcome::quarantined);
    EXPECT_EQ(answers[0][3].outcome, Outcome::applied);
    EXPECT_EQ(journal(), "demo/capture/a1 demo/capture/d2");
    EXPECT_EQ(database.value("SELECT sum(amount) FROM balances"), "200");
}

TEST_F(EffectHash, ANeedIsNotMetByAnotherKeyOfItsHash) {
    one(event({"e1", "capture/a1"}));
    EXPECT_EQ(one(event({.id = "r1", .effect = "refund/2", .needs = {"capture/b1"}})).outcome,
              Outcome::parked);
    EXPECT_EQ(one(event({.id = "r2", .effect = "refund/3", .needs = {"capture/a1"}})).outcome,
              Outcome::applied);
}

TEST_F(EffectHash, VerifyNamesAHashThatIsNotTheKeysOwn) {
    one(event({"e1", "capture/a1"}));
    for (const intents::Invariant& invariant : intents::verify(session)) {
        EXPECT_EQ(invariant.breaches.size(), invariant.name == "effect_posted_once" ? 1U : 0U)
            << invariant.name;
    }
}

TEST(KeyHash, IsTheBeginningOfTheSha256OfTheKeysBytes) {
    const testing::TestDatabase database;
    for (const std::string key : {"", "demo/capture/pay_1", "\\", "\\x00", "\\\\", "\\101",
                                  "a\\b\\", "Zürich/\xe2\x82\xac", "line\nbreak", "%2F'quoted'"}) {
        EXPECT_EQ(database.value("SELECT encode(key_hash($key$" + key + "$key$), 'hex')"),
                  crypto::sha256_hex(key).substr(0, 30))
            << key;
    }
}

}  // namespace
}  // namespace pawl
