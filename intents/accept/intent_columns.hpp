// The columns of insert_intents.sql and finish_intents.sql, filled row by row. Owned by the writer
// of the intents, on one thread.
#pragma once

#include "intents/accept/batch_context.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {

class IntentColumns {
  public:
    void add(const IntentKey& key, const Intent& intent);
    bool empty() const { return ids_.empty(); }
    std::size_t size() const { return ids_.size(); }

    // Each of these takes the columns with it.
    sql::InsertIntents to_insert(Time now, std::int64_t segment);
    sql::FinishIntents to_finish(Time now);

  private:
    void add_movement(const Intent& intent);

    db::Texts providers_, ids_, types_, statuses_, outcomes_, notes_, accounts_, objects_,
        correlations_, effects_, currencies_, plans_, results_;
    db::Bytes bodies_, prints_;
    db::Numbers deliveries_, fencing_tokens_, segments_, sequences_, amounts_, delivery_ids_,
        offsets_, lengths_;
    db::Times received_, wakes_;
};

}  // namespace pawl::intents
