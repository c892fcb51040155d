// The keyed hash chain over append-only rows: builds and verifies links. A writer appends the rows
// of one commit as one link; its hash is an HMAC over the link before it and over every field of
// every row, each with its length in front. The database numbers the rows after the link was
// computed: the numbers are part of the next link. Pure; values without thread rules.
// docs/adr/0011-hash-chain.md has the reasons.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/crypto.hpp"
#include "base/result.hpp"

namespace pawl::chain {

enum class Table : std::uint8_t { transfers = 1, audit_log = 2 };
std::string_view to_text(Table table);

// Rows in the one form that is hashed. Numbers and times (microseconds since 1970) in decimal.
class Rows {
  public:
    Rows& text(std::optional<std::string_view> value);
    Rows& number(std::optional<std::int64_t> value);
    Rows& time(std::optional<Time> value);
    void end_row() { ++count_; }
    std::uint32_t count() const { return count_; }
    const std::string& bytes() const { return bytes_; }
    void append(const Rows& others);

  private:
    std::string bytes_;
    std::uint32_t count_ = 0;
};

// The first key writes; each of them verifies, so that a key can be replaced. Never logged.
class Keys {
  public:
    static Result<Keys> from(const std::vector<std::string>& secrets);
    const std::string& current() const { return current_; }  // its id
    // nullptr if no key has this id.
    const crypto::HmacKey* find(std::string_view id) const;
    const crypto::HmacKey& writing() const { return keys_.at(current_); }

  private:
    std::map<std::string, crypto::HmacKey, std::less<>> keys_;
    std::string current_;
};

// The head of a chain: its last link, from which the next one is computed.
struct Head {
    std::string chain{};    // 8 random bytes
    std::uint64_t seq = 0;  // number of the last link; 0: none yet
    std::string hash{};     // hash of the last link, 32 bytes
    std::string placed{};   // SHA-256 of the numbers that the database gave its rows
    std::int64_t row = 0;   // the highest of those numbers
    bool operator==(const Head&) const = default;
};

// The value of column chain_hash in the last row of a commit.
struct Link {
    std::string key;  // id of the key, 4 bytes
    std::string chain;
    std::uint64_t seq = 1;
    std::uint32_t rows = 0;
    std::optional<Head> predecessor;  // in a first link: the head of the chain that it continues
    std::string hash;

    std::string bytes() const;
    static std::optional<Link> parse(std::string_view bytes);
};

// The value of column chain_prev in every row of the link after `before`: long enough for the rows
// of different commits to differ.
std::string row_mark(const Head& before);

std::string placement(std::string_view numbers);  // Head::placed of rows numbered like this

// The next link of a chain with the head `before`.
Link next_link(const Keys& keys, Table table, const Head& before, const Rows& rows);
// The first link of a chain that continues `predecessor`, where there is one.
Link first_link(const Keys& keys, Table table, const std::string& chain,
                const std::optional<Head>& predecessor, const Rows& rows);
// Returns whether the link belongs to these rows, after `before`; a first link has no predecessor.
// Its key must be known.
bool fits(const Keys& keys, Table table, const Link& link, const Head& before, const Rows& rows);

// Formats the chain's name for an operator.
std::string name_of(std::string_view chain);

void put_u32(std::string& out, std::uint32_t number);  // big endian
void put_u64(std::string& out, std::uint64_t number);
std::uint32_t get_u32(std::string_view bytes);
std::uint64_t get_u64(std::string_view bytes);

}  // namespace pawl::chain
