// Sums of the transfers by account and currency, read in the order of the journal: 32 bytes an
// account, so that the balances are proved without a statement that reads the whole journal in one
// snapshot. Accounts are known by a hash of their name. Belongs to one thread.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace pawl::intents {

class AccountSums {
  public:
    // Clearing accounts have no balance, and are left out.
    void move(std::string_view debit, std::string_view credit, std::string_view currency,
              std::int64_t amount);
    // From here on: which of the accounts known now are asked for.
    void begin_asking();
    std::int64_t sum_of(std::string_view account, std::string_view currency);
    bool all_asked() const;

    std::string bytes();
    static AccountSums from_bytes(std::string_view bytes);

  private:
    using Name = std::array<std::uint64_t, 2>;
    struct Hashed {
        std::size_t operator()(const Name& name) const { return name[0]; }
    };
    struct Sum {
        Name name;
        std::int64_t amount;
        bool asked;  // an account that came after begin_asking counts as asked
    };
    static Name name_of(std::string_view account, std::string_view currency);
    void add(std::string_view account, std::string_view currency, std::int64_t amount);
    void merge();

    std::vector<Sum> sorted_;
    std::unordered_map<Name, std::int64_t, Hashed> recent_;  // not in `sorted_` yet
};

}  // namespace pawl::intents
