#include "app/import_answer.hpp"

#include <fmt/core.h>

#include <utility>

#include "base/json.hpp"

namespace pawl::app {
namespace {

std::string json_of(const ImportOptions& options, const intents::FileSummary& summary,
                    const std::vector<std::string>& warnings) {
    json::Writer json;
    json.begin_object().member("file", options.file).member("applied", options.apply);
    json.member("payments", summary.payments).key("sums").begin_array();
    for (const auto& [of, sum] : summary.sums) {
        json.begin_object().member("books", of.first).member("currency", of.second.code());
        json.member("payments", sum.payments).member("captured", sum.captured);
        json.member("returned", sum.returned).end_object();
    }
    json.end_array().key("returned_above_captured").begin_array();
    for (const std::int64_t line : summary.beyond) json.number(line);
    json.end_array().key("warnings").begin_array();
    for (const std::string& one : warnings) json.string(one);
    return json.end_array().take();
}

}  // namespace

void ImportAnswer::faults(const intents::FileSummary& summary) const {
    if (options_.as_json) {
        json::Writer json;
        json.begin_object().member("file", options_.file).member("applied", false);
        json.member("all_faults", summary.all_faults).key("faults").begin_array();
        for (const intents::LineFault& one : summary.faults) {
            json.begin_object().member("line", one.line).member("column", one.column);
            json.member("condition", one.condition).member("remedy", one.remedy).end_object();
        }
        out_.line(json.end_array().end_object().take());
    }
    for (const intents::LineFault& one : summary.faults) {
        err_.line(fmt::format("{}: {}", options_.file, intents::to_text(one)));
    }
    err_.line(
        fmt::format("{}{}: {} {}; nothing was imported: correct the file and run the command "
                    "again",
                    err_.paint(Colour::red, "pawl: "), options_.file, summary.all_faults,
                    summary.all_faults == 1 ? "fault" : "faults"));
}

void ImportAnswer::begin(const intents::FileSummary& summary,
                         const std::vector<std::string>& warnings) const {
    if (options_.as_json) {
        return out_.print(json_of(options_, summary, warnings) + ",\"left_out\":[");
    }
    for (const std::string& one : warnings) {
        err_.line(err_.paint(Colour::yellow, "warning ") + one);
    }
    show_sums(summary);
}

void ImportAnswer::show_sums(const intents::FileSummary& summary) const {
    Table table({"books", ">payments", ">captured", ">returned", "currency"});
    for (const auto& [of, sum] : summary.sums) {
        const Currency& currency = of.second;
        table.row({of.first, std::to_string(sum.payments),
                   to_decimal_text({sum.captured, currency}),
                   to_decimal_text({sum.returned, currency}), currency.str()});
    }
    out_.print(table.render(out_));
    for (const std::int64_t line : summary.beyond) {
        err_.line(err_.paint(Colour::yellow, "warning ") +
                  fmt::format("line {}: more returned than captured; `pawl verify` will list the "
                              "payment",
                              line));
    }
}

void ImportAnswer::left_out(const intents::LeftOut& one) {
    const bool refused = one.why.standing == intents::Standing::refused;
    ++(refused ? refused_ : skipped_);
    if (!options_.as_json) {
        return out_.line(fmt::format("{} line {}, {}: {}", refused ? "refused" : "skipped",
                                     one.line, one.payment_key, one.why.detail));
    }
    json::Writer json;
    json.begin_object().member("line", one.line).member("payment_key", one.payment_key);
    json.member("refused", refused).member("code", one.why.code);
    json.member("detail", one.why.detail).end_object();
    out_.print((std::exchange(first_, false) ? "\n" : ",\n") + json.take());
}

int ImportAnswer::end(std::int64_t imported, bool complete) const {
    if (options_.as_json) {
        out_.line(fmt::format("],\"imported\":{},\"skipped\":{},\"refused\":{},\"complete\":{}}}",
                              imported, skipped_, refused_, complete));
    } else {
        out_.line(fmt::format("{} {}, skipped {}, refused {}",
                              options_.apply ? "imported" : "would import", imported, skipped_,
                              refused_));
        if (!options_.apply) {
            out_.line("nothing was changed: add --apply --reason TEXT to import");
        }
    }
    return refused_ > 0 ? exit_no : exit_done;
}

}  // namespace pawl::app
