// The columns of insert_intents.sql and finish_intents.sql, filled row by row. Owned by whoever
// writes intents, on one thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/params.hpp"
#include "intents/desk.hpp"

namespace pawl::intents {

class IntentColumns {
  public:
    void add(const IntentKey& key, const Intent& intent);
    bool empty() const { return ids_.empty(); }
    std::size_t size() const { return ids_.size(); }

    db::Params to_insert(Time now) const;
    db::Params to_finish(Time now) const;

  private:
    using Texts = std::vector<std::string>;
    using MaybeTexts = std::vector<std::optional<std::string>>;
    using MaybeNumbers = std::vector<std::optional<std::int64_t>>;

    void add_movement(const Intent& intent);

    Texts providers_, ids_, types_, statuses_, outcomes_, notes_, bodies_, prints_, accounts_,
        objects_, correlations_;
    std::vector<std::int64_t> deliveries_, leases_;
    MaybeTexts effects_, currencies_, plans_;
    MaybeNumbers sequences_, amounts_;
    std::vector<Time> received_;
    std::vector<std::optional<Time>> wakes_;
};

}  // namespace pawl::intents
