// Bounds the memory of all connections of a listener together: each reserves its share before it
// keeps bytes. A Budget is shared by all threads; a MemoryReservation belongs to one owner.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace pawl::http {

class Budget {
  public:
    explicit Budget(std::size_t bytes_max) : bytes_max_(bytes_max) {}
    bool take(std::size_t bytes) {
        if (used_.fetch_add(bytes) + bytes <= bytes_max_) return true;
        used_.fetch_sub(bytes);
        return false;
    }
    void give(std::size_t bytes) { used_.fetch_sub(bytes); }
    std::size_t used() const { return used_.load(); }

  private:
    const std::size_t bytes_max_;
    std::atomic<std::size_t> used_{0};
};

class MemoryReservation {
  public:
    // Up to `free` bytes reserve nothing. The number of reservations limits them.
    explicit MemoryReservation(Budget& budget, std::size_t free = 0)
        : budget_(budget), free_(free) {}
    ~MemoryReservation() { budget_.give(bytes_); }
    MemoryReservation(const MemoryReservation&) = delete;
    MemoryReservation& operator=(const MemoryReservation&) = delete;

    // Returns false, and changes nothing, if the budget is used up.
    bool resize(std::size_t bytes) {
        bytes -= std::min(bytes, free_);
        if (bytes > bytes_ && !budget_.take(bytes - bytes_)) return false;
        if (bytes < bytes_) budget_.give(bytes_ - bytes);
        bytes_ = bytes;
        return true;
    }

  private:
    Budget& budget_;
    const std::size_t free_;
    std::size_t bytes_ = 0;  // reserved in the budget
};

}  // namespace pawl::http
