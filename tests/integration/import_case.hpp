// Lines of a file of captures, and webhooks of the payments in it. For one thread.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "intents/import/import_captures.hpp"
#include "tests/support/database.hpp"
#include "tests/support/events.hpp"

namespace pawl::intents {

inline const Currency import_usd = Currency::parse("USD").value();
inline constexpr std::int64_t imported_at = 1000;  // in seconds: the `time` of the lines

inline ImportedPayment imported_line(const std::string& payment,
                                     CaptureShape shape = CaptureShape::one,
                                     std::int64_t returned = 0) {
    ImportedPayment one;
    one.books = "demo";
    one.captures = shape;
    one.payment = payment;
    one.account = AccountId("user:1");
    one.captured = {100, import_usd};
    one.returned = returned;
    one.time = Time(std::chrono::seconds(imported_at));
    return one;
}

// Each line numbered as in a file.
inline std::vector<ImportedPayment> as_file(std::vector<ImportedPayment> lines) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
        lines[i].line = static_cast<std::int64_t>(i) + 2;
    }
    return lines;
}

// "imported 2, has_movements line 3"
inline std::string shown(const BatchImported& done) {
    std::string text = "imported " + std::to_string(done.imported);
    for (const LeftOut& one : done.left_out) {
        text += ", " + one.why.code + " line " + std::to_string(one.line);
    }
    return text;
}

// A refund of `payment`, of the account that holds it.
inline testing::Said refund_of(const std::string& payment, const std::string& refund,
                               std::int64_t amount, std::optional<std::int64_t> at) {
    testing::Said said{.id = "evt_" + refund, .effect = "refund/" + refund, .amount = amount};
    said.action = providers::Action::debit;
    said.needs = {"capture/" + payment};
    said.account_of_need = true;
    said.at = at;
    return said;
}

}  // namespace pawl::intents
