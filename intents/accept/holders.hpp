// Accounts that hold the needs of an event, or will hold them: the journal names the holder of a
// posted need, the events of this transaction that of one to be posted. Pure.
#pragma once

#include <set>
#include <vector>

#include "intents/accept/batch_context.hpp"

namespace pawl::intents {

class Holders {
  public:
    Holders(const Batch& batch, const BatchContext& context);
    std::set<AccountId> of(const EffectKey& need) const;

  private:
    struct Movable {
        const EffectKey& key;
        const AccountId& account;  // empty: the account that holds `need`
        const std::vector<EffectKey>& needs;
    };
    void add(const providers::Event& event);
    void collect(const EffectKey& need, std::set<EffectKey>& seen, std::set<AccountId>& into) const;

    const ledger::Book& book_;
    std::vector<Movable> movable_;
};

}  // namespace pawl::intents
