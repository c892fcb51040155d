// API and admin tokens. A token is 32 random bytes, shown once and stored as its SHA-256; it
// belongs to a principal that outlives its rotation. Functions run on the caller's session; a
// TokenAuthenticator is safe from every thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "access/identity.hpp"
#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/rng.hpp"
#include "db/pool.hpp"
#include "db/session.hpp"

namespace pawl::access {

std::string_view to_text(TokenRole role);  // api | viewer | operator
Result<TokenRole> parse_role(std::string_view text);

struct NewToken {
    std::string principal;
    TokenRole role = TokenRole::viewer;
    std::optional<Duration> lifetime;  // nothing: until revoked
};

struct TokenRow {
    std::int64_t id = 0;
    std::string principal;
    std::string role;
    std::string hint;
    std::string created_at;
    std::optional<std::string> expires_at;
    std::optional<std::string> revoked_at;
};

// For the audit row, which each change of tokens writes in its transaction.
struct TokenChange {
    std::string principal;  // of the operator
    std::string reason;
};

// The token itself; this is the only time that it is shown.
Result<std::string> create_token(db::Session& session, const NewToken& wanted,
                                 const TokenChange& by, Rng& rng);

// A token that is valid for as long as this process lives, and is stored nowhere: one from the
// environment or of `serve --dev`.
struct StandingToken {
    TokenIdentity identity;
    std::string sha256;
};
StandingToken standing_token(const TokenIdentity& identity, std::string_view token);
// A token whose text the operator chose (PAWL_ADMIN_TOKEN); refused where it can be guessed.
inline constexpr std::size_t chosen_token_min = 24;
Result<StandingToken> chosen_token(const TokenIdentity& identity, std::string_view token);
std::string new_token(Rng& rng);

std::vector<TokenRow> list_tokens(db::Session& session);
// Returns false if no such token is live.
bool revoke_token(db::Session& session, std::int64_t id, const TokenChange& by);

// Authenticates tokens: first the standing ones, then those of the database. A valid token is
// cached for `remember`, so a revoked token is refused everywhere within that time.
class TokenAuthenticator {
  public:
    TokenAuthenticator(db::Pool& pool, std::vector<StandingToken> standing, const Clock& clock,
                       Duration remember = std::chrono::seconds(5))
        : pool_(pool), standing_(std::move(standing)), clock_(clock), remember_(remember) {}

    // Returns nullopt if the token is invalid, and an error if the database could not be asked.
    Result<std::optional<TokenIdentity>> identity_of(std::string_view token);

  private:
    struct Remembered {
        TokenIdentity identity;
        Time until;
    };
    db::Pool& pool_;
    const std::vector<StandingToken> standing_;
    const Clock& clock_;
    const Duration remember_;
    std::mutex mutex_;
    std::map<std::string, Remembered> remembered_;  // by hash, never by token
};

}  // namespace pawl::access
