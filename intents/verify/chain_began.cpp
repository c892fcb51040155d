#include "intents/verify/chain_began.hpp"

#include <array>
#include <filesystem>

#include "db/embedded/files.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

constexpr std::string_view magic = "PCB1";
constexpr std::size_t body_bytes = 4 + 4 + 4 * 8;

std::string path_in(const std::string& folder) {
    return folder + "/began";
}

}  // namespace

ChainBegan read_began(const std::string& folder, const chain::Keys& keys) {
    const std::string file = db::cluster::read_file(path_in(folder));
    if (file.size() != body_bytes + 32 || !file.starts_with(magic)) return {};
    const std::string_view body = std::string_view(file).substr(0, body_bytes);
    const crypto::HmacKey* key = keys.find(body.substr(4, 4));
    if (key == nullptr || !crypto::equal(key->sign(body), file.substr(body_bytes))) return {};
    const auto number = [&body](std::size_t place) {
        return static_cast<std::int64_t>(chain::get_u64(body.substr(8 + place * 8)));
    };
    return {number(0), number(1), number(2), number(3)};
}

Result<void> note_began(const std::string& folder, const chain::Keys& keys, db::Session& session) {
    std::error_code ignored;
    if (std::filesystem::exists(path_in(folder), ignored)) return {};
    const db::Rows rows = db::Statement::run(session, sql::verify_began);
    const db::Row counted = rows.only();
    std::string out(magic);
    out += keys.current();
    for (int column = 0; column < 4; ++column) {
        chain::put_u64(out, static_cast<std::uint64_t>(counted.number(column)));
    }
    out += keys.writing().sign(out);
    return db::cluster::replace_file(path_in(folder), out);
}

}  // namespace pawl::intents
