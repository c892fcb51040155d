// The columns of write_deliveries.sql, filled row by row. Owned by whoever writes deliveries, on
// one thread.
#pragma once

#include <string>

#include "db/params.hpp"
#include "intents/rejections.hpp"
#include "intents/submission.hpp"

namespace pawl::intents {

class DeliveryColumns {
  public:
    void add(const Submission& submission);
    void add(const Rejection& rejection, std::size_t body_max);
    bool empty() const { return received_.empty(); }
    db::Params params();  // takes the columns with it

  private:
    void add_row(const ProviderName& provider, const providers::Delivery& delivery,
                 const std::string& remote);

    db::Times received_;
    db::Texts providers_, ids_, verdicts_, diagnoses_, methods_, urls_, remotes_, heads_;
    db::Bytes headers_, bodies_;
};

}  // namespace pawl::intents
