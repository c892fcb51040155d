// The payments of a file of captures: its header, and the checks of each line that need no
// database. Reads as it is asked, in constant memory. Used by one thread; the stream outlives it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/keys.hpp"
#include "base/money.hpp"
#include "intents/import/csv_reader.hpp"

namespace pawl::intents {

// A payment that was captured before Pawl, as of `time`.
struct ImportedPayment {
    std::int64_t line = 0;
    std::string books;  // as keys have them: of the mode that is served
    CaptureShape captures = CaptureShape::one;
    std::string payment;  // the provider's id
    AccountId account;
    Money captured;             // above zero
    std::int64_t returned = 0;  // by refunds, disputes and returns of any kind; in minor units
    Time time;

    EffectKey root() const { return root_of_payment(books, payment); }
    // The running total of its returns, which one entry of the import posts.
    EffectKey refund_total() const { return make_effect_key(books, "refund_total", {payment}); }
};

// The books of the provider files, by the names that the files give them.
struct KnownBooks {
    std::string books;  // of the mode that is served
    CaptureShape captures = CaptureShape::one;
};
using BooksByName = std::map<std::string, KnownBooks, std::less<>>;

inline constexpr std::array<std::string_view, 7> capture_columns = {
    "books", "payment", "account", "currency", "captured", "returned", "time"};

using LineFaults = std::vector<LineFault>;

class CaptureFile {
  public:
    CaptureFile(std::istream& in, const BooksByName& books, Time now)
        : reader_(in), books_(books), now_(now) {}

    // Returns the next payment, or every fault of its line; nullopt at the end. A file without a
    // sound header has no payments: the fault of the header is all that it returns.
    std::optional<std::variant<ImportedPayment, LineFaults>> next();

  private:
    std::optional<LineFault> read_header();
    std::variant<ImportedPayment, LineFaults> read(const CsvRecord& record) const;

    CsvReader reader_;
    const BooksByName& books_;
    const Time now_;
    bool begun_ = false, ended_ = false;
    std::array<std::size_t, capture_columns.size()> places_{};  // of the columns, in the file
};

// A file that was read to its end.
struct FileSummary {
    struct Sum {
        std::int64_t payments = 0, captured = 0, returned = 0;
    };
    std::int64_t payments = 0;
    std::map<std::pair<std::string, Currency>, Sum> sums;  // by books and currency
    LineFaults faults;                                     // the first `faults_max`
    std::int64_t all_faults = 0;
    std::vector<std::int64_t> beyond;  // lines with more returned than captured, the first of them
};
inline constexpr std::size_t faults_max = 100;
inline constexpr std::int64_t payments_max = 10'000'000;  // 24 bytes each while a file is checked

// Reads the whole file. A payment that it contains twice is a fault, too.
FileSummary check_file(CaptureFile& file);

}  // namespace pawl::intents
