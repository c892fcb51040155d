#include "intents/import/capture_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/crypto.hpp"
#include "base/text.hpp"

namespace pawl::intents {
namespace {

constexpr std::size_t name_bytes_max = 255;  // limit of an id or an account, as everywhere
constexpr std::string_view header_text = "books,payment,account,currency,captured,returned,time";

enum Column : std::size_t { books, payment, account, currency, captured, returned, time };

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

// Collects the faults of one line.
class LineCheck {
  public:
    explicit LineCheck(std::int64_t line) : line_(line) {}

    void fault(Column column, std::string condition, std::string remedy) {
        faults.push_back({line_, std::string(capture_columns.at(column)), std::move(condition),
                          std::move(remedy)});
    }
    // An id or a name that will be compared byte by byte.
    std::string name(Column column, const std::string& text) {
        if (text.empty()) {
            fault(column, "empty", "write it");
        } else if (text.size() > name_bytes_max) {
            fault(column, fmt::format("{} bytes", text.size()),
                  fmt::format("write at most {}", name_bytes_max));
        } else if (std::any_of(text.begin(), text.end(), is_control)) {
            fault(column, "has a control character", "remove it");
        } else if (text.front() == ' ' || text.back() == ' ') {
            fault(column, fmt::format("begins or ends with a blank (\"{}\")", text), "remove it");
        }
        return text;
    }
    // A whole number of minor units, of at least `least`.
    std::int64_t amount(Column column, const std::string& text, std::int64_t least) {
        const auto number = to_number<std::int64_t>(text);
        if (text.empty()) {
            fault(column, "empty", least == 0 ? "write 0 if nothing was" : "write minor units");
        } else if (!number) {
            fault(column, fmt::format("not a whole number of 64 bits (\"{}\")", text),
                  "write minor units, like 1250 for 12.50 USD");
        } else if (*number < least) {
            fault(column, fmt::format("{}, which is below {}", *number, least),
                  least == 0 ? "write the amount that was returned, or 0"
                             : "remove the line: nothing was captured");
        }
        return number.value_or(0);
    }

    LineFaults faults;

  private:
    const std::int64_t line_;
};

void check_account(LineCheck& check, const std::string& name) {
    const bool of_the_system =
        name.ends_with(":clearing") || name.starts_with("fees:") || name.starts_with("bank:");
    if (!of_the_system) return;
    check.fault(account, fmt::format("an account of the system (\"{}\")", name),
                "write the account that was credited with the payment");
}

Currency read_currency(LineCheck& check, const std::string& code) {
    const auto known = Currency::parse(code);
    if (known) return *known;
    check.fault(currency, fmt::format("unknown (\"{}\")", code),
                "write a code of ISO 4217, like USD");
    return {};
}

Time read_time(LineCheck& check, const std::string& text, Time now) {
    const auto read = parse_rfc3339(text);
    if (!read) {
        check.fault(time, fmt::format("not a time with an offset (\"{}\")", text),
                    "write it like 2026-01-31T12:00:00Z");
        return {};
    }
    if (*read > now) {
        check.fault(time, fmt::format("in the future ({})", text),
                    "write the time as of which captured and returned hold");
    }
    return *read;
}

// 16 bytes of the root's SHA-256, and the line: what is kept of a payment to find it twice.
struct Seen {
    std::array<char, 16> hash;
    std::int64_t line;
};

Seen seen_of(const ImportedPayment& one) {
    const std::string hash = crypto::digest(crypto::Hash::sha256, one.root().str());
    Seen seen{{}, one.line};
    std::memcpy(seen.hash.data(), hash.data(), seen.hash.size());
    return seen;
}

void add(FileSummary& summary, LineFault fault) {
    ++summary.all_faults;
    if (summary.faults.size() < faults_max) summary.faults.push_back(std::move(fault));
}

void add_twins(FileSummary& summary, std::vector<Seen>& all) {
    std::sort(all.begin(), all.end(), [](const Seen& a, const Seen& b) {
        return a.hash != b.hash ? a.hash < b.hash : a.line < b.line;
    });
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (all[i].hash != all[i - 1].hash) continue;
        add(summary, {all[i].line, std::string(capture_columns[payment]),
                      fmt::format("a payment that line {} has already", all[i - 1].line),
                      "write each payment once, with the sums of what was captured and returned"});
    }
}

void add(FileSummary& summary, const ImportedPayment& one) {
    ++summary.payments;
    auto& sum = summary.sums[{one.books, one.captured.currency}];
    ++sum.payments;
    const bool too_much = __builtin_add_overflow(sum.captured, one.captured.minor, &sum.captured) ||
                          __builtin_add_overflow(sum.returned, one.returned, &sum.returned);
    if (too_much) {
        add(summary, {one.line, std::string(capture_columns[captured]),
                      "the sum of its books and currency exceeds 64 bits", "correct the amounts"});
    }
    if (one.returned > one.captured.minor && summary.beyond.size() < faults_max) {
        summary.beyond.push_back(one.line);
    }
}

}  // namespace

std::optional<LineFault> CaptureFile::read_header() {
    const std::string begin = fmt::format("begin the file with the line {}", header_text);
    auto first = reader_.next();
    if (!first) return LineFault{1, "", "an empty file", begin};
    if (auto* bad = std::get_if<LineFault>(&*first)) return std::move(*bad);
    const auto& record = std::get<CsvRecord>(*first);
    for (const std::string& name : record.fields) {
        if (std::find(capture_columns.begin(), capture_columns.end(), name) ==
            capture_columns.end()) {
            return LineFault{record.line, "", fmt::format("unknown column \"{}\"", name), begin};
        }
    }
    for (std::size_t i = 0; i < capture_columns.size(); ++i) {
        const auto& names = record.fields;
        const auto found = std::find(names.begin(), names.end(), capture_columns.at(i));
        if (found == names.end()) {
            return LineFault{record.line, std::string(capture_columns.at(i)), "missing", begin};
        }
        places_.at(i) = static_cast<std::size_t>(found - names.begin());
    }
    if (record.fields.size() == capture_columns.size()) return std::nullopt;
    return LineFault{record.line, "", "names a column twice", begin};
}

std::optional<std::variant<ImportedPayment, LineFaults>> CaptureFile::next() {
    if (ended_) return std::nullopt;
    if (!std::exchange(begun_, true)) {
        if (auto bad = read_header()) {
            ended_ = true;
            return LineFaults{std::move(*bad)};
        }
    }
    auto record = reader_.next();
    ended_ = !record;
    if (ended_) return std::nullopt;
    if (auto* bad = std::get_if<LineFault>(&*record)) return LineFaults{std::move(*bad)};
    return read(std::get<CsvRecord>(*record));
}

std::variant<ImportedPayment, LineFaults> CaptureFile::read(const CsvRecord& record) const {
    if (record.fields.size() != capture_columns.size()) {
        return LineFaults{{record.line, "",
                           fmt::format("{} fields, and the header has {}", record.fields.size(),
                                       capture_columns.size()),
                           "write a field for each column"}};
    }
    const auto field = [&](Column column) -> const std::string& {
        return record.fields.at(places_.at(column));
    };
    LineCheck check(record.line);
    ImportedPayment one;
    one.line = record.line;
    const auto known = books_.find(field(books));
    if (known == books_.end()) {
        std::vector<std::string_view> names;
        for (const auto& [name, unused] : books_) names.push_back(name);
        check.fault(books, fmt::format("unknown (\"{}\")", field(books)),
                    fmt::format("write the books of a provider file: {}", fmt::join(names, ", ")));
    } else {
        one.books = known->second.books;
        one.captures = known->second.captures;
    }
    one.payment = check.name(payment, field(payment));
    one.account = AccountId(check.name(account, field(account)));
    check_account(check, one.account.str());
    one.captured.currency = read_currency(check, field(currency));
    one.captured.minor = check.amount(captured, field(captured), 1);
    one.returned = check.amount(returned, field(returned), 0);
    one.time = read_time(check, field(time), now_);
    if (!check.faults.empty()) return std::move(check.faults);
    return one;
}

FileSummary check_file(CaptureFile& file) {
    FileSummary summary;
    std::vector<Seen> seen;
    while (auto line = file.next()) {
        if (auto* bad = std::get_if<LineFaults>(&*line)) {
            for (LineFault& fault : *bad) add(summary, std::move(fault));
            continue;
        }
        const auto& one = std::get<ImportedPayment>(*line);
        add(summary, one);
        if (summary.payments > payments_max) {
            add(summary,
                {one.line, "", fmt::format("the file has more than {} payments", payments_max),
                 "import it in parts"});
            return summary;
        }
        seen.push_back(seen_of(one));
    }
    add_twins(summary, seen);
    std::sort(summary.faults.begin(), summary.faults.end(),
              [](const LineFault& a, const LineFault& b) { return a.line < b.line; });
    return summary;
}

}  // namespace pawl::intents
