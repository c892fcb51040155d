#include "intents/verify/proven.hpp"

#include "db/embedded/files.hpp"

namespace pawl::intents {
namespace {

constexpr std::string_view magic = "PPR1";
constexpr std::size_t mac_bytes = 32;
constexpr std::size_t chain_bytes = 8 + 8 + 32 + 32 + 8;

std::string path_in(const std::string& folder) {
    return folder + "/proven";
}

void put_number(std::string& out, std::int64_t number) {
    chain::put_u64(out, static_cast<std::uint64_t>(number));
}

void put_table(std::string& out, const ProvenTable& table) {
    put_number(out, table.through);
    chain::put_u64(out, table.chains.size());
    for (const chain::Head& one : table.chains) {
        out += one.chain;
        chain::put_u64(out, one.seq);
        out += one.hash;
        out += one.placed;
        put_number(out, one.row);
    }
}

std::string_view cut(std::string_view& bytes, std::size_t count) {
    const std::string_view taken = bytes.substr(0, count);
    bytes.remove_prefix(taken.size());
    return taken;
}

std::int64_t cut_number(std::string_view& bytes) {
    return static_cast<std::int64_t>(chain::get_u64(cut(bytes, 8)));
}

// The key has signed it: it is as long as it says.
ProvenTable cut_table(std::string_view& bytes) {
    ProvenTable table;
    table.through = cut_number(bytes);
    for (auto left = chain::get_u64(cut(bytes, 8)); left > 0 && bytes.size() >= chain_bytes;
         --left) {
        chain::Head& one = table.chains.emplace_back();
        one.chain = cut(bytes, 8);
        one.seq = chain::get_u64(cut(bytes, 8));
        one.hash = cut(bytes, 32);
        one.placed = cut(bytes, 32);
        one.row = cut_number(bytes);
    }
    return table;
}

}  // namespace

std::optional<Proven> read_proven(const std::string& folder, const chain::Keys& keys) {
    const std::string file = db::cluster::read_file(path_in(folder));
    if (!file.starts_with(magic) || file.size() < magic.size() + 4 + 8 + mac_bytes) {
        return std::nullopt;
    }
    std::string_view rest = file;
    const std::string_view mac = rest.substr(rest.size() - mac_bytes);
    rest.remove_suffix(mac_bytes);
    const crypto::HmacKey* key = keys.find(rest.substr(magic.size(), 4));
    if (key == nullptr || !crypto::equal(key->sign(rest), mac)) return std::nullopt;
    cut(rest, magic.size() + 4);
    Proven proven;
    proven.at = Time(Duration(cut_number(rest)));
    proven.transfers = cut_table(rest);
    proven.audit = cut_table(rest);
    proven.sums = AccountSums::from_bytes(rest);
    return proven;
}

Result<void> write_proven(const std::string& folder, const chain::Keys& keys, Proven& proven) {
    std::string out(magic);
    out += keys.current();
    put_number(out, proven.at.time_since_epoch().count());
    put_table(out, proven.transfers);
    put_table(out, proven.audit);
    out += proven.sums.bytes();
    out += keys.writing().sign(out);
    return db::cluster::replace_file(path_in(folder), out);
}

}  // namespace pawl::intents
