#include "base/hash_chain.hpp"

#include <array>
#include <cassert>
#include <charconv>

#include "base/encoding.hpp"

namespace pawl::chain {
namespace {

constexpr char version = 1;
constexpr std::size_t key_id_bytes = 4;
constexpr std::size_t chain_bytes = 8;
constexpr std::size_t mark_bytes = 8;
constexpr std::size_t hash_bytes = 32;
constexpr std::size_t head_bytes = 1 + key_id_bytes + chain_bytes + 8 + 4;
constexpr std::size_t predecessor_bytes = chain_bytes + 8 + hash_bytes + hash_bytes;
// Shorter ones are words that can be guessed.
constexpr std::size_t secret_min = 32;
constexpr std::uint32_t null_length = 0xffffffff;

std::string head_of(const Link& link) {
    std::string out(1, version);
    out += link.key + link.chain;
    put_u64(out, link.seq);
    put_u32(out, link.rows);
    if (!link.predecessor) return out;
    out += link.predecessor->chain;
    put_u64(out, link.predecessor->seq);
    return out + link.predecessor->hash + link.predecessor->placed;
}

std::string hash_of(const crypto::HmacKey& key, Table table, const Link& link, const Head& before,
                    const Rows& rows) {
    const std::string head = head_of(link);
    std::string sizes(1, static_cast<char>(table));
    put_u32(sizes, static_cast<std::uint32_t>(head.size()));
    const std::array<std::string_view, 6> parts{"pawl chain 1", sizes,         head,
                                                before.hash,    before.placed, rows.bytes()};
    return key.sign(parts);
}

}  // namespace

std::string_view to_text(Table table) {
    return table == Table::transfers ? "transfers" : "audit_log";
}

Rows& Rows::text(std::optional<std::string_view> value) {
    put_u32(bytes_, value ? static_cast<std::uint32_t>(value->size()) : null_length);
    if (value) bytes_ += *value;
    return *this;
}

Rows& Rows::number(std::optional<std::int64_t> value) {
    if (!value) return text(std::nullopt);
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), *value).ptr;
    return text(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

Rows& Rows::time(std::optional<Time> value) {
    return number(value ? std::optional<std::int64_t>(value->time_since_epoch().count())
                        : std::nullopt);
}

void Rows::append(const Rows& others) {
    bytes_ += others.bytes_;
    count_ += others.count_;
}

Result<Keys> Keys::from(const std::vector<std::string>& secrets) {
    if (secrets.empty()) return invalid("chain key: missing; set one");
    Keys keys;
    for (const std::string& secret : secrets) {
        if (secret.size() < secret_min) {
            return invalid(
                "chain key: shorter than 32 characters; use for example `openssl rand -hex 32`");
        }
        crypto::HmacKey key(crypto::Hash::sha256, secret);
        const std::string id = key.sign("pawl chain key id").substr(0, key_id_bytes);
        if (keys.current_.empty()) keys.current_ = id;
        keys.keys_.emplace(id, std::move(key));
    }
    return keys;
}

const crypto::HmacKey* Keys::find(std::string_view id) const {
    const auto found = keys_.find(id);
    return found == keys_.end() ? nullptr : &found->second;
}

std::string Link::bytes() const {
    return head_of(*this) + hash;
}

std::optional<Link> Link::parse(std::string_view bytes) {
    const bool first = bytes.size() == head_bytes + predecessor_bytes + hash_bytes;
    if ((!first && bytes.size() != head_bytes + hash_bytes) || bytes[0] != version) {
        return std::nullopt;
    }
    const auto take = [&bytes](std::size_t count) {
        const auto taken = bytes.substr(0, count);
        bytes.remove_prefix(count);
        return std::string(taken);
    };
    Link link;
    take(1);
    link.key = take(key_id_bytes);
    link.chain = take(chain_bytes);
    link.seq = get_u64(take(8));
    link.rows = get_u32(take(4));
    if (first) {
        Head head;
        head.chain = take(chain_bytes);
        head.seq = get_u64(take(8));
        head.hash = take(hash_bytes);
        head.placed = take(hash_bytes);
        link.predecessor = std::move(head);
    }
    link.hash = bytes;
    return link;
}

std::string row_mark(const Head& before) {
    return before.seq == 0 ? before.chain : before.hash.substr(0, mark_bytes);
}

std::string placement(std::string_view numbers) {
    return crypto::digest(crypto::Hash::sha256, numbers);
}

Link next_link(const Keys& keys, Table table, const Head& before, const Rows& rows) {
    assert(before.seq > 0);
    Link link{keys.current(), before.chain, before.seq + 1, rows.count(), std::nullopt, ""};
    link.hash = hash_of(keys.writing(), table, link, before, rows);
    return link;
}

Link first_link(const Keys& keys, Table table, const std::string& chain,
                const std::optional<Head>& predecessor, const Rows& rows) {
    Link link{keys.current(), chain, 1, rows.count(), predecessor, ""};
    link.hash = hash_of(keys.writing(), table, link, {}, rows);
    return link;
}

bool fits(const Keys& keys, Table table, const Link& link, const Head& before, const Rows& rows) {
    const crypto::HmacKey* key = keys.find(link.key);
    assert(key != nullptr);
    return crypto::equal(hash_of(*key, table, link, before, rows), link.hash);
}

std::string name_of(std::string_view chain) {
    return to_hex(chain);
}

void put_u32(std::string& out, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
}

void put_u64(std::string& out, std::uint64_t number) {
    for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(number >> shift);
}

std::uint32_t get_u32(std::string_view bytes) {
    return static_cast<std::uint32_t>(get_u64(std::string(4, '\0') + std::string(bytes)));
}

std::uint64_t get_u64(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes.substr(0, 8)) {
        number = number << 8 | static_cast<unsigned char>(byte);
    }
    return number;
}

}  // namespace pawl::chain
