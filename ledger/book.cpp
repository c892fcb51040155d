#include "ledger/book.hpp"

#include <algorithm>
#include <string_view>

namespace pawl::ledger {
namespace {
constexpr std::string_view clearing_suffix = ":clearing";
}  // namespace

AccountId clearing_account(const std::string& books) {
    return AccountId(books + std::string(clearing_suffix));
}

bool is_clearing(const AccountId& account) {
    return account.str().ends_with(clearing_suffix);
}

void Book::load(Transfer posted) {
    EffectKey key = posted.effect_key;
    effects_.insert_or_assign(std::move(key), std::move(posted));
}

const Transfer* Book::posted(const EffectKey& key) const {
    const auto found = effects_.find(key);
    return found == effects_.end() ? nullptr : &found->second;
}

bool Book::taken_by_other_key(const EffectKey& key) const {
    const auto mine = hashes_.find(key);
    return mine != hashes_.end() &&
           std::any_of(hashes_.begin(), hashes_.end(), [&](const auto& other) {
               return other.first != key && other.second == mine->second && posted(other.first);
           });
}

void Book::post(Transfer transfer) {
    EffectKey key = transfer.effect_key;
    const auto at = effects_.insert_or_assign(std::move(key), std::move(transfer)).first;
    new_transfers_.push_back(&at->second);
}

}  // namespace pawl::ledger
