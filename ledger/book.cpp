#include "ledger/book.hpp"

#include <algorithm>
#include <string_view>

#include "base/keys.hpp"

namespace pawl::ledger {
namespace {

constexpr std::string_view clearing_suffix = ":clearing";

template <class Map>
const typename Map::mapped_type& found_or_empty(const Map& map, const EffectKey& key) {
    static const typename Map::mapped_type empty;
    const auto found = map.find(key);
    return found == map.end() ? empty : found->second;
}

}  // namespace

const std::string& Transfer::cause() const {
    if (by_operator) return by_operator->entry_id;
    if (!payment_id.empty()) return payment_id;
    return refund_id.empty() ? event_id.str() : refund_id;
}

const AccountId& Transfer::account() const {
    return is_clearing(debit) ? credit : debit;
}

bool Transfer::is_debit() const {
    return !is_clearing(debit);
}

bool Transfer::is_imported() const {
    return by_operator && is_capture(effect_key);
}

AccountId clearing_account(const std::string& books) {
    return AccountId(books + std::string(clearing_suffix));
}

bool is_clearing(const AccountId& account) {
    return account.str().ends_with(clearing_suffix);
}

const Transfer& Book::keep(Transfer transfer) {
    EffectKey key = transfer.effect_key;
    const auto add = [](std::vector<const Transfer*>& to, const Transfer& one) {
        if (std::find(to.begin(), to.end(), &one) == to.end()) to.push_back(&one);
    };
    const Transfer& kept =
        effects_.insert_or_assign(std::move(key), std::move(transfer)).first->second;
    if (!is_stem(kept.effect_key)) add(below_[stem_of(kept.effect_key)], kept);
    if (!kept.returns.empty()) add(returns_[kept.returns], kept);
    return kept;
}

void Book::load(Transfer posted) {
    const Transfer& kept = keep(std::move(posted));
    if (kept.corrected) corrected_transfers_.push_back(&kept);
}

void Book::load_corrected(std::int64_t transfer, AccountId holder) {
    corrected_[transfer] = std::move(holder);
}

const Transfer* Book::find(const EffectKey& key) const {
    const auto found = effects_.find(key);
    return found == effects_.end() ? nullptr : &found->second;
}

const Transfer* Book::met_by(const EffectKey& need) const {
    const Transfer* first = find(need);
    if ((first != nullptr && !first->taken_back) || below_.empty()) return first;
    for (const Transfer* one : below(stem_of(need))) {
        if (!meets(one->effect_key, need)) continue;
        if (!one->taken_back) return one;
        if (first == nullptr) first = one;
    }
    return first;
}

std::vector<const Transfer*> Book::repetitions_of(const EffectKey& key) const {
    std::vector<const Transfer*> all;
    if (const Transfer* first = find(key)) all.push_back(first);
    const std::string numbered = key.str() + '#';
    for (const Transfer* one : below(stem_of(key))) {
        if (one->effect_key.str().starts_with(numbered)) all.push_back(one);
    }
    return all;
}

const std::vector<const Transfer*>& Book::below(const EffectKey& stem) const {
    return found_or_empty(below_, stem);
}

const AccountId& Book::holding_account(const Transfer& posted) const {
    const auto moved = corrected_.find(posted.id);
    return posted.id == 0 || moved == corrected_.end() ? posted.account() : moved->second;
}

const Transfer* Book::imported_under(const EffectKey& root) const {
    const Transfer* own = find(root);
    if (own != nullptr && own->is_imported()) return own;
    const auto& all = below(root);
    const auto found = std::find_if(all.begin(), all.end(),
                                    [](const Transfer* one) { return one->is_imported(); });
    return found == all.end() ? nullptr : *found;
}

const AccountId& Book::moved_to(const EffectKey& root, const AccountId& account) const {
    if (corrected_.empty()) return account;
    const auto moved = [&](const Transfer* one) {
        return one != nullptr && one->account() == account && holding_account(*one) != account;
    };
    if (const Transfer* own = find(root); moved(own)) return holding_account(*own);
    const auto& all = below(root);
    const auto first = std::find_if(all.begin(), all.end(), moved);
    return first == all.end() ? account : holding_account(**first);
}

std::vector<const Transfer*> Book::returns_of(const EffectKey& key) const {
    return found_or_empty(returns_, key);
}

const std::set<Time>& Book::reports_of(const EffectKey& key) const {
    return found_or_empty(reports_, key);
}

const std::set<Time>& Book::awaited_returns_of(const EffectKey& key) const {
    return found_or_empty(awaited_, key);
}

bool Book::taken_by_other_key(const EffectKey& key) const {
    const auto mine = hashes_.find(key);
    return mine != hashes_.end() &&
           std::any_of(hashes_.begin(), hashes_.end(), [&](const auto& other) {
               return other.first != key && other.second == mine->second && find(other.first);
           });
}

const Total* Book::total(const EffectKey& key) const {
    const auto found = totals_.find(key);
    return found == totals_.end() ? nullptr : &found->second;
}

const Transfer& Book::post(Transfer transfer) {
    const Transfer& kept = keep(std::move(transfer));
    new_transfers_.push_back(&kept);
    return kept;
}

void Book::confirm(const EffectKey& total, Sequence number) {
    Total& confirmed = totals_.at(total);
    confirmed.last_sequence = number;
    confirmed.touched = true;
}

void Book::report(const EffectKey& key, Time at) {
    if (reports_[key].insert(at).second) new_reports_.emplace_back(key, at);
}

}  // namespace pawl::ledger
