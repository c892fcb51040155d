// The deliveries of one commit as one value, for delivery_blocks.raw: a byte for the version of the
// format, then for each delivery its time of arrival and six fields, each behind its length. The
// database's unpack_deliveries reads it. Owned by the writer of a batch, on one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "intents/accept/submission.hpp"

namespace pawl::intents {

class DeliveryBlock {
  public:
    // delivery_id = block_id * deliveries_max + the delivery's place.
    static constexpr std::int64_t deliveries_max = 4096;
    // Limit of bodies and headers together: readers hold a value in memory as a whole.
    static constexpr std::size_t bytes_max = std::size_t{16} * 1024 * 1024;

    void add(const ProviderName& provider, const providers::Delivery& delivery,
             const std::string& remote);
    bool full() const { return count_ == deliveries_max || raw_.size() >= bytes_max; }
    std::int64_t count() const { return count_; }
    Time received_at() const { return received_at_; }  // time of the last to arrive
    const std::string& raw() const { return raw_; }

  private:
    void add_field(std::string_view field);

    std::string raw_ = std::string(1, '\x01');
    std::int64_t count_ = 0;
    Time received_at_{};
};

// Header lines as they were sent, one a line.
std::string header_lines(const providers::Headers& headers);
providers::Headers headers_of(std::string_view lines);

// Text from outside that PostgreSQL takes: without NUL, and as UTF-8.
std::string storable(std::string_view text);

}  // namespace pawl::intents
