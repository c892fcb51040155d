#include "access/tokens.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "access/audit.hpp"
#include "access/sql.hpp"
#include "base/crypto.hpp"
#include "base/json.hpp"

namespace pawl::access {
namespace {

constexpr std::array<std::string_view, 3> role_names = {"api", "viewer", "operator"};
constexpr std::size_t token_bytes = 32;
constexpr std::size_t remembered_max = 1000;

std::string hash_of(std::string_view token) {
    return crypto::digest(crypto::Hash::sha256, token);
}

// The principal ends up in idempotency scopes and audit rows; the database checks the same.
Result<void> check_principal(std::string_view name) {
    constexpr std::string_view others = "_.:-";
    const auto letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    const bool good = !name.empty() && name.size() <= 64 && letter(name[0]) &&
                      std::all_of(name.begin(), name.end(), [&](char c) {
                          return letter(c) || others.find(c) != std::string_view::npos;
                      });
    if (good) return {};
    return invalid(
        fmt::format("principal \"{}\": invalid; write 1 to 64 letters, digits and _ . : -", name));
}

// Begins the details of an audit row.
json::Writer details_of(const std::string& act_id, std::int64_t token_id, std::string_view role) {
    json::Writer details;
    details.begin_object().member("act_id", act_id).member("token_id", token_id);
    details.member("role", role);
    return details;
}

std::optional<std::int64_t> seconds_of(const std::optional<Duration>& lifetime) {
    if (!lifetime) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::seconds>(*lifetime).count();
}

}  // namespace

std::string_view to_text(TokenRole role) {
    return role_names[static_cast<std::size_t>(role)];
}

Result<TokenRole> parse_role(std::string_view text) {
    for (std::size_t i = 0; i < role_names.size(); ++i) {
        if (role_names[i] == text) return static_cast<TokenRole>(i);
    }
    return invalid(fmt::format("role \"{}\": unknown; write api, viewer or operator", text));
}

std::string new_token(Rng& rng) {
    // The prefix lets secret scanners recognise a token that leaked.
    return "pawl_" + random_token(rng, token_bytes);
}

Result<std::string> create_token(db::Session& session, const NewToken& wanted,
                                 const TokenChange& by, Rng& rng) {
    if (auto named = check_principal(wanted.principal); !named) return named.error();
    std::string token = new_token(rng);
    const std::string act_id = new_act_id();
    const sql::InsertToken insertion{.principal = wanted.principal,
                                     .role = to_text(wanted.role),
                                     .token_sha256 = hash_of(token),
                                     .hint = token.substr(0, 8) + "...",
                                     .lifetime_seconds = seconds_of(wanted.lifetime)};
    db::in_transaction(session, [&](db::Transaction& transaction) {
        if (find_act(transaction, wanted.principal, act_id)) return;
        const auto created = transaction.run(insertion);
        json::Writer details = details_of(act_id, created.only().token_id(), to_text(wanted.role));
        details.member("lifetime_seconds", seconds_of(wanted.lifetime)).end_object();
        record(transaction,
               {by.principal, "token.create", wanted.principal, by.reason, details.take()});
    });
    return token;
}

StandingToken standing_token(const TokenIdentity& identity, std::string_view token) {
    return {identity, hash_of(token)};
}

Result<StandingToken> chosen_token(const TokenIdentity& identity, std::string_view token) {
    if (token.size() >= chosen_token_min) return standing_token(identity, token);
    return invalid(
        fmt::format("the {} token from the environment has {} characters; use at "
                    "least {}, for example from `openssl rand -hex 32`",
                    to_text(identity.role), token.size(), chosen_token_min));
}

std::vector<TokenRow> list_tokens(db::Session& session) {
    std::vector<TokenRow> all;
    for (const auto row : db::Statement::run(session, sql::ListTokens{})) {
        all.push_back({.id = row.token_id(),
                       .principal = std::string(row.principal()),
                       .role = std::string(row.role()),
                       .hint = std::string(row.hint()),
                       .created_at = std::string(row.created_at()),
                       .expires_at = std::optional<std::string>(row.expires_at()),
                       .revoked_at = std::optional<std::string>(row.revoked_at())});
    }
    return all;
}

bool revoke_token(db::Session& session, std::int64_t id, const TokenChange& by) {
    const std::string act_id = new_act_id();
    std::string owner;  // of the token, once it was revoked here
    db::in_transaction(session, [&](db::Transaction& transaction) {
        if (!owner.empty() && find_act(transaction, owner, act_id)) return;
        owner.clear();
        const auto revoked = transaction.run(sql::RevokeToken{.token_id = id});
        if (revoked.empty()) return;
        owner = revoked.only().principal();
        std::string details = details_of(act_id, id, revoked.only().role()).end_object().take();
        record(transaction, {by.principal, "token.revoke", owner, by.reason, std::move(details)});
    });
    return !owner.empty();
}

Result<std::optional<TokenIdentity>> TokenAuthenticator::identity_of(std::string_view token) {
    const std::string hash = hash_of(token);
    for (const StandingToken& standing : standing_) {
        if (crypto::equal(standing.sha256, hash)) return std::optional(standing.identity);
    }
    {
        const std::lock_guard lock(mutex_);
        const auto found = remembered_.find(hash);
        if (found != remembered_.end() && clock_.now() < found->second.until) {
            return std::optional(found->second.identity);
        }
    }
    try {
        const auto session = pool_.take();
        const auto rows = db::Statement::run(*session, sql::FindToken{.token_sha256 = hash});
        if (rows.empty()) return std::optional<TokenIdentity>();
        const auto role = parse_role(rows[0].role());
        if (!role) return role.error();
        const TokenIdentity identity{std::string(rows[0].principal()), *role};
        const std::lock_guard lock(mutex_);
        if (remembered_.size() >= remembered_max) remembered_.clear();
        remembered_[hash] = {identity, clock_.now() + remember_};
        return std::optional(identity);
    } catch (const db::Failure& failure) {
        return unreachable(failure.what());
    }
}

}  // namespace pawl::access
