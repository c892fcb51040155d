// Principals of tokens: read from the database, and cached for a few seconds.
#include "access/tokens.hpp"

#include <gtest/gtest.h>

#include "tests/support/database.hpp"

namespace pawl::access {
namespace {

class Tokens : public ::testing::Test {
  protected:
    std::string create(std::optional<Duration> lifetime = std::nullopt) {
        return create_token(owner, {"ana", TokenRole::operating, lifetime}, rng).value();
    }
    // Looks the token up after its cache entry has expired.
    std::string identity_of(const std::string& token) {
        clock.advance(std::chrono::seconds(6));
        const auto holder = authenticator.identity_of(token).value();
        return holder ? holder->name : "none";
    }

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
    EXPECT_TRUE(revoke_token(owner, list_tokens(owner).back().id));
    EXPECT_EQ(identity_of(revoked), "none");
    EXPECT_EQ(identity_of(kept), "ana");
}

TEST_F(Tokens, ExpiredOneOpensNothing) {
    const std::string token = create(std::chrono::hours(1));
    EXPECT_EQ(identity_of(token), "ana");
    database.run("UPDATE api_tokens SET expires_at = clock_timestamp() - interval '1 second'");
    EXPECT_EQ(identity_of(token), "none");
}

}  // namespace
}  // namespace pawl::access
