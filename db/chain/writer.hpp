// Appends the rows of a transaction to a chain. Every transaction that writes into `transfers` or
// `audit_log` takes a chain that no other is using, and releases it when it has ended: no row, no
// lock and no wait is shared by two committers, and there are as many chains as transactions that
// ever ran at once. A chain lives as long as its process; the next process begins another, whose
// first link names it. Shared by all sessions of a process; any thread.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "base/hash_chain.hpp"
#include "db/chain/heads.hpp"

namespace pawl::db {

class ChainWriter {
  public:
    ChainWriter(std::string folder, chain::Keys keys);
    ~ChainWriter();  // syncs the heads
    ChainWriter(const ChainWriter&) = delete;
    ChainWriter& operator=(const ChainWriter&) = delete;

    const std::string& folder() const { return folder_; }
    const chain::Keys& keys() const { return keys_; }
    // The id of the database, 16 bytes, for the heads: those written before have none, and prove no
    // loss.
    void set_database(std::string id);

  private:
    friend class ChainAppender;
    struct Slot {
        chain::Table table;
        std::size_t index;  // in the file
        bool taken = false;
        bool blocked = false;                      // its record belongs to an unknown key
        std::optional<chain::Head> predecessor{};  // the link that a new chain continues
        chain::Head head{};                        // head of this process's chain; seq 0: none
    };

    Slot& take(chain::Table table);
    void open_file();
    void give_back(Slot& slot);
    void store(Slot& slot);
    void sync_now_and_then();
    void log_heads();

    const std::string folder_;
    const chain::Keys keys_;
    std::mutex mutex_;
    std::string database_;  // empty: not known yet
    std::condition_variable wake_;
    bool ending_ = false;
    bool unsynced_ = false;
    bool disk_refuses_ = false;
    std::optional<HeadFile> file_;  // locked by the first transaction that writes
    std::deque<Slot> slots_;        // a Slot stays where it is
    std::thread syncing_;
};

// A chain that one transaction uses; on its thread.
class ChainAppender {
  public:
    ChainAppender(std::shared_ptr<ChainWriter> writer, chain::Table table);
    ~ChainAppender();  // neither committed nor in doubt: rolled back, the chain stands as before
    ChainAppender(const ChainAppender&) = delete;
    ChainAppender& operator=(const ChainAppender&) = delete;

    chain::Table table() const { return slot_.table; }

    // The hashes to write: `mark` in each row, `link` in the last.
    struct Link {
        std::string mark;
        std::string link;
    };
    Link append(const chain::Rows& rows);
    // The numbers that the database gave them, as text, and the highest.
    void placed(std::string_view numbers, std::int64_t row);

    void committed();
    // In-doubt COMMIT: another chain continues this one.
    void in_doubt();

  private:
    std::shared_ptr<ChainWriter> writer_;
    ChainWriter::Slot& slot_;
    chain::Head head_;  // with what this transaction appended
};

}  // namespace pawl::db
