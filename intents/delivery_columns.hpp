// The columns of write_deliveries.sql, filled row by row. All bytes travel as one parameter. Owned
// by whoever writes deliveries, on one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/params.hpp"
#include "intents/rejections.hpp"
#include "intents/submission.hpp"

namespace pawl::intents {

class DeliveryColumns {
  public:
    void add(const Submission& submission);
    void add(const Rejection& rejection, std::size_t body_max);
    bool empty() const { return received_.empty(); }
    db::Params params() const;

  private:
    void add_bytes(std::string_view headers, std::string_view body);
    void add_row(const ProviderName& provider, const providers::Delivery& delivery,
                 const std::string& remote);

    std::string bytes_;
    std::vector<Time> received_;
    std::vector<std::string> providers_, verdicts_, methods_, urls_, remotes_;
    std::vector<std::optional<std::string>> ids_, diagnoses_, heads_;
    std::vector<std::int64_t> from_, header_lengths_, body_lengths_;
};

}  // namespace pawl::intents
