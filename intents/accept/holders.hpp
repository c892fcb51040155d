// The accounts that hold, or will hold, what an event needs: of what is posted the journal says it,
// of what this transaction may post the events that it takes or releases. Pure.
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
