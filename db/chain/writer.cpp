#include "db/chain/writer.hpp"

#include <pthread.h>

#include "base/crypto.hpp"
#include "base/encoding.hpp"
#include "base/log.hpp"
#include "db/failure.hpp"

namespace pawl::db {
namespace {

constexpr std::size_t chain_bytes = 8;
// Bounds the heads that a power cut can lose before the kernel has written them.
constexpr std::chrono::seconds sync_every{1};
// Heads in a log that leaves the machine bear witness where the file is lost or changed.
constexpr std::chrono::minutes log_every{10};

}  // namespace

ChainWriter::ChainWriter(std::string folder, chain::Keys keys)
    : folder_(std::move(folder)), keys_(std::move(keys)) {}

ChainWriter::~ChainWriter() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    wake_.notify_all();
    if (syncing_.joinable()) syncing_.join();
}

// Under the mutex.
void ChainWriter::open_file() {
    auto file = HeadFile::lock(folder_, keys_);
    if (!file) throw Failure(FailureKind::permanent, "", file.error().message);
    for (const HeadSlot& found : file->slots()) {
        Slot& slot = slots_.emplace_back(Slot{chain::Table::transfers, slots_.size()});
        slot.blocked = !found.stored;
        if (!found.stored) continue;
        slot.table = found.stored->table;
        slot.predecessor = found.stored->head;
    }
    file_ = std::move(*file);
    syncing_ = std::thread([this] {
        pthread_setname_np(pthread_self(), "chain-heads");
        sync_now_and_then();
    });
}

ChainWriter::Slot& ChainWriter::take(chain::Table table) {
    const std::lock_guard lock(mutex_);
    if (!file_) open_file();
    for (Slot& slot : slots_) {
        if (slot.taken || slot.blocked || slot.table != table) continue;
        slot.taken = true;
        return slot;
    }
    Slot& slot = slots_.emplace_back(Slot{table, slots_.size()});
    slot.taken = true;
    return slot;
}

void ChainWriter::give_back(Slot& slot) {
    const std::lock_guard lock(mutex_);
    slot.taken = false;
}

void ChainWriter::set_database(std::string id) {
    const std::lock_guard lock(mutex_);
    database_ = std::move(id);
}

// The slot is in the caller's hands: no other thread writes its place in the file.
void ChainWriter::store(Slot& slot) {
    StoredHead stored{slot.table, slot.head, "", SystemClock().now()};
    {
        const std::lock_guard lock(mutex_);
        stored.database = database_;
    }
    const bool written = file_->write(slot.index, stored, keys_);
    const std::lock_guard lock(mutex_);
    unsynced_ = true;
    if (!written && !std::exchange(disk_refuses_, true)) {
        log::warn("chain head write failed; later deletions at the end of the chain go undetected",
                  {{"folder", folder_}});
    }
    if (written) disk_refuses_ = false;
}

void ChainWriter::sync_now_and_then() {
    std::unique_lock lock(mutex_);
    auto log_at = std::chrono::steady_clock::now() + log_every;
    for (bool last = false; !last;) {
        last = wake_.wait_for(lock, sync_every, [this] { return ending_; });
        if (std::exchange(unsynced_, false)) {
            lock.unlock();
            file_->sync();
            lock.lock();
        }
        if (std::chrono::steady_clock::now() < log_at) continue;
        log_at += log_every;
        log_heads();
    }
}

void ChainWriter::log_heads() {
    for (const Slot& slot : slots_) {
        if (slot.taken || slot.head.seq == 0) continue;
        log::info("chain head", {{"table", chain::to_text(slot.table)},
                                 {"chain", chain::name_of(slot.head.chain)},
                                 {"link", static_cast<std::int64_t>(slot.head.seq)},
                                 {"hash", to_hex(slot.head.hash)}});
    }
}

ChainAppender::ChainAppender(std::shared_ptr<ChainWriter> writer, chain::Table table)
    : writer_(std::move(writer)), slot_(writer_->take(table)), head_(slot_.head) {}

ChainAppender::~ChainAppender() {
    writer_->give_back(slot_);
}

ChainAppender::Link ChainAppender::append(const chain::Rows& rows) {
    const bool first = head_.seq == 0;
    if (first) head_.chain = crypto::random_bytes(chain_bytes);
    const chain::Link link = first ? chain::first_link(writer_->keys(), slot_.table, head_.chain,
                                                       slot_.predecessor, rows)
                                   : chain::next_link(writer_->keys(), slot_.table, head_, rows);
    Link written{chain::row_mark(head_), link.bytes()};
    head_.seq = link.seq;
    head_.hash = link.hash;
    return written;
}

void ChainAppender::placed(std::string_view numbers, std::int64_t row) {
    head_.placed = chain::placement(numbers);
    head_.row = row;
}

void ChainAppender::committed() {
    if (head_.seq == slot_.head.seq) return;
    slot_.head = head_;
    slot_.predecessor.reset();
    writer_->store(slot_);
}

void ChainAppender::in_doubt() {
    if (slot_.head.seq > 0) slot_.predecessor = std::exchange(slot_.head, chain::Head{});
    head_ = {};
}

}  // namespace pawl::db
