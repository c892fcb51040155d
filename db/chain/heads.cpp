#include "db/chain/heads.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/encoding.hpp"
#include "db/embedded/files.hpp"

namespace pawl::db {
namespace {

constexpr std::string_view magic = "PCH1";
constexpr std::size_t record_bytes = 256;  // two fit a sector: none is half written by a power cut
constexpr std::size_t database_at = 104;
constexpr std::size_t database_bytes = 16;
constexpr std::size_t mac_at = record_bytes - 32;
constexpr int files_max = 4096;

std::string record_of(const StoredHead& stored, const chain::Keys& keys) {
    std::string out(magic);
    out += keys.current();
    out += static_cast<char>(stored.table);
    out.append(7, '\0');
    out += stored.head.chain;
    chain::put_u64(out, stored.head.seq);
    chain::put_u64(out, static_cast<std::uint64_t>(stored.head.row));
    out += stored.head.hash;
    out += stored.head.placed;
    out += stored.database;
    out.resize(database_at + database_bytes, '\0');
    chain::put_u64(out, static_cast<std::uint64_t>(stored.written_at.time_since_epoch().count()));
    out.resize(mac_at, '\0');
    return out + keys.writing().sign(out);
}

std::optional<StoredHead> parse(std::string_view record, const chain::Keys& keys) {
    if (!record.starts_with(magic)) return std::nullopt;
    const crypto::HmacKey* key = keys.find(record.substr(4, 4));
    if (key == nullptr) return std::nullopt;
    if (!crypto::equal(key->sign(record.substr(0, mac_at)), record.substr(mac_at))) {
        return std::nullopt;
    }
    StoredHead stored;
    stored.table = static_cast<chain::Table>(record[8]);
    stored.head.chain = record.substr(16, 8);
    stored.head.seq = chain::get_u64(record.substr(24, 8));
    stored.head.row = static_cast<std::int64_t>(chain::get_u64(record.substr(32, 8)));
    stored.head.hash = record.substr(40, 32);
    stored.head.placed = record.substr(72, 32);
    stored.database = record.substr(database_at, database_bytes);
    const std::string_view written_at = record.substr(database_at + database_bytes, 8);
    stored.written_at = Time(Time::duration(static_cast<std::int64_t>(chain::get_u64(written_at))));
    return stored;
}

// A slot of zeros is one that was never written: a power cut may leave a file longer than its
// content.
std::vector<HeadSlot> parse_all(std::string_view content, const chain::Keys& keys) {
    std::vector<HeadSlot> slots;
    for (std::size_t at = 0; at < content.size(); at += record_bytes) {
        const std::string_view record = content.substr(at, record_bytes);
        HeadSlot& slot = slots.emplace_back();
        slot.used = record.find_first_not_of('\0') != std::string_view::npos;
        if (!slot.used || record.size() != record_bytes) continue;
        slot.stored = parse(record, keys);
        if (!record.starts_with(magic)) continue;
        const std::string_view key = record.substr(4, 4);
        if (keys.find(key) == nullptr) slot.unknown_key = to_hex(key);
    }
    return slots;
}

std::string path_of(const std::string& folder, int number) {
    return folder + "/heads." + std::to_string(number);
}

}  // namespace

Result<HeadFile> HeadFile::lock(const std::string& folder, const chain::Keys& keys) {
    for (int number = 1; number <= files_max; ++number) {
        const std::string path = path_of(folder, number);
        auto fd = cluster::open_no_link(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (!fd) return fd.error();
        cluster::give_to_owner_of(folder, fd->get());
        if (::flock(fd->get(), LOCK_EX | LOCK_NB) == 0) {
            return HeadFile(std::move(*fd), parse_all(cluster::read_file(path), keys));
        }
        if (errno != EWOULDBLOCK) return cluster::cannot("lock", path, errno);
    }
    return unreachable("chain heads: " + folder + " has no free file; end processes that hang");
}

bool HeadFile::write(std::size_t slot, const StoredHead& head, const chain::Keys& keys) const {
    const std::string record = record_of(head, keys);
    const auto at = static_cast<off_t>(slot * record_bytes);
    return ::pwrite(fd_.get(), record.data(), record.size(), at) ==
           static_cast<ssize_t>(record.size());
}

void HeadFile::sync() const {
    ::fdatasync(fd_.get());
}

std::vector<FoundHead> read_heads(const std::string& folder, const chain::Keys& keys) {
    std::vector<FoundHead> found;
    for (int number = 1; number <= files_max; ++number) {
        const std::string path = path_of(folder, number);
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored)) break;
        int index = 0;
        for (HeadSlot& slot : parse_all(cluster::read_file(path), keys)) {
            const std::string place =
                "heads." + std::to_string(number) + ", slot " + std::to_string(index++);
            if (!slot.used) continue;
            found.push_back({place, std::move(slot.stored), std::move(slot.unknown_key)});
        }
    }
    return found;
}

}  // namespace pawl::db
