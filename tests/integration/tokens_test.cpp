// Principals of tokens: read from the database, and cached for a few seconds.
#include "access/tokens.hpp"

#include "access/sign_ins.hpp"

#include <gtest/gtest.h>

#include "tests/support/database.hpp"

namespace pawl::access {
namespace {

class Tokens : public ::testing::Test {
  protected:
    std::string create(std::optional<Duration> lifetime = std::nullopt) {
        return create_token(owner, {"ana", TokenRole::operating, lifetime}, by, rng).value();
    }
    // Looks the token up after its cache entry has expired.
    std::string identity_of(const std::string& token) {
        clock.advance(std::chrono::seconds(6));
        const auto holder = authenticator.identity_of(token).value();
        return holder ? holder->name : "none";
    }

    const TokenChange by{"terminal:olga", "a new shop"};
    testing::TestDatabase database;
    db::Session owner = database.owner();
    db::Pool pool{database.options(), 1};
    SecureRng rng;
    ManualClock clock{SystemClock().now()};
    TokenAuthenticator authenticator{pool, {}, clock};
};

TEST_F(Tokens, RevokedOneOpensNothing) {
    const std::string kept = create();
    const std::string revoked = create();
    EXPECT_EQ(identity_of(revoked), "ana");
    EXPECT_TRUE(revoke_token(owner, list_tokens(owner).back().id, by));
    EXPECT_EQ(identity_of(revoked), "none");
    EXPECT_EQ(identity_of(kept), "ana");
}

TEST_F(Tokens, ExpiredOneOpensNothing) {
    const std::string token = create(std::chrono::hours(1));
    EXPECT_EQ(identity_of(token), "ana");
    database.run("UPDATE api_tokens SET expires_at = clock_timestamp() - interval '1 second'");
    EXPECT_EQ(identity_of(token), "none");
}

TEST_F(Tokens, CreationAndRevocationLeaveAnAuditRowEach) {
    create();
    const std::int64_t id = list_tokens(owner).back().id;
    EXPECT_TRUE(revoke_token(owner, id, {"terminal:olga", "lost"}));
    EXPECT_FALSE(revoke_token(owner, id, {"terminal:olga", "lost"}));
    EXPECT_FALSE(revoke_token(owner, id + 1, {"terminal:olga", "lost"}));
    EXPECT_EQ(database.value("SELECT string_agg(concat_ws(' ', principal, action, subject, reason, "
                             "details->>'role', details->>'token_id' = '" +
                             std::to_string(id) + "'), '; ' ORDER BY audit_id) FROM audit_log"),
              "terminal:olga token.create ana a new shop operator t; "
              "terminal:olga token.revoke ana lost operator t");
}

class SignIns : public ::testing::Test {
  protected:
    void reject(int times) {
        for (int i = 0; i < times; ++i) {
            sign_ins.note({"token unknown", "", "GET /admin/v1/intents", "10.0.0.9:4711"});
        }
    }
    std::string rows() const { return database.value("SELECT count(*) FROM audit_log"); }

    testing::TestDatabase database;
    db::Pool pool{database.options(), 1};
    ManualClock clock{SystemClock().now()};
    RejectedSignIns sign_ins{pool, clock};
};

TEST_F(SignIns, ARejectedOneLeavesAnAuditRowWithItsAddress) {
    reject(1);
    EXPECT_EQ(database.value("SELECT concat_ws(' ', principal, action, subject, reason, "
                             "details->>'remote') FROM audit_log"),
              "unknown sign_in.reject GET /admin/v1/intents token unknown 10.0.0.9:4711");
}

TEST_F(SignIns, AFloodOfThemIsTenRowsAMinuteAndTheNextRowCountsTheOthers) {
    reject(25);
    EXPECT_EQ(rows(), "10");
    clock.advance(std::chrono::seconds(61));
    reject(1);
    EXPECT_EQ(rows(), "11");
    EXPECT_EQ(
        database.value("SELECT details->>'left_out' FROM audit_log ORDER BY audit_id DESC LIMIT 1"),
        "15");
}

}  // namespace
}  // namespace pawl::access
