#include "intents/verify/account_sums.hpp"

#include <algorithm>
#include <iterator>

#include "base/crypto.hpp"
#include "base/hash_chain.hpp"

namespace pawl::intents {
namespace {

constexpr std::size_t recent_max = 1000000;
constexpr std::size_t sum_bytes = 24;

// Sums that leave 64 bits have no balance to be equal to; the balance's own check refuses them.
std::int64_t wrapped(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

}  // namespace

AccountSums::Name AccountSums::name_of(std::string_view account, std::string_view currency) {
    const std::array<std::string_view, 3> parts{currency, "/", account};
    const std::string digest = crypto::digest(crypto::Hash::sha256, parts);
    return {chain::get_u64(digest), chain::get_u64(std::string_view(digest).substr(8))};
}

void AccountSums::add(std::string_view account, std::string_view currency, std::int64_t amount) {
    if (account.ends_with(":clearing")) return;
    std::int64_t& sum = recent_[name_of(account, currency)];
    sum = wrapped(sum, amount);
    if (recent_.size() >= recent_max) merge();
}

void AccountSums::move(std::string_view debit, std::string_view credit, std::string_view currency,
                       std::int64_t amount) {
    add(debit, currency, -amount);
    add(credit, currency, amount);
}

void AccountSums::merge() {
    if (recent_.empty()) return;
    std::vector<Sum> news;
    news.reserve(recent_.size());
    for (const auto& [name, amount] : recent_) news.push_back({name, amount, true});
    recent_.clear();
    const auto before = [](const Sum& a, const Sum& b) { return a.name < b.name; };
    std::sort(news.begin(), news.end(), before);
    std::vector<Sum> all;
    all.reserve(sorted_.size() + news.size());
    std::merge(sorted_.begin(), sorted_.end(), news.begin(), news.end(), std::back_inserter(all),
               before);
    std::size_t kept = 0;
    for (const Sum& one : all) {
        if (kept > 0 && all[kept - 1].name == one.name) {
            all[kept - 1].amount = wrapped(all[kept - 1].amount, one.amount);
        } else {
            all[kept++] = one;
        }
    }
    all.resize(kept);
    sorted_ = std::move(all);
}

void AccountSums::begin_asking() {
    merge();
    for (Sum& one : sorted_) one.asked = false;
}

std::int64_t AccountSums::sum_of(std::string_view account, std::string_view currency) {
    merge();
    const Name name = name_of(account, currency);
    const auto found =
        std::lower_bound(sorted_.begin(), sorted_.end(), name,
                         [](const Sum& sum, const Name& wanted) { return sum.name < wanted; });
    if (found == sorted_.end() || found->name != name) return 0;
    found->asked = true;
    return found->amount;
}

bool AccountSums::all_asked() const {
    return std::all_of(sorted_.begin(), sorted_.end(), [](const Sum& one) { return one.asked; });
}

std::string AccountSums::bytes() {
    merge();
    std::string out;
    out.reserve(sorted_.size() * sum_bytes);
    for (const Sum& one : sorted_) {
        chain::put_u64(out, one.name[0]);
        chain::put_u64(out, one.name[1]);
        chain::put_u64(out, static_cast<std::uint64_t>(one.amount));
    }
    return out;
}

AccountSums AccountSums::from_bytes(std::string_view bytes) {
    AccountSums sums;
    for (; bytes.size() >= sum_bytes; bytes.remove_prefix(sum_bytes)) {
        sums.sorted_.push_back({{chain::get_u64(bytes), chain::get_u64(bytes.substr(8))},
                                static_cast<std::int64_t>(chain::get_u64(bytes.substr(16))),
                                true});
    }
    return sums;
}

}  // namespace pawl::intents
