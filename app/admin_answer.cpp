#include "app/admin_answer.hpp"

#include <fmt/format.h>

#include "base/money.hpp"
#include "base/printable.hpp"
#include "controllers/http/schema.hpp"

namespace pawl::app {
namespace {

using http::member_of;
using json::Kind;

// The error in an answer with the status 400 or above.
int exit_of(int status) {
    if (status >= 500) return exit_unreachable;
    return status == 400 ? exit_wrong : exit_no;
}

std::string text_of(const json::Value& item, std::string_view name) {
    const auto value = member_of(item, name);
    if (!value || value->kind() == Kind::null) return "";
    return value->text().value_or(std::string(value->raw()));
}

std::string age_of(Duration age) {
    using namespace std::chrono;
    if (age < 1min) return fmt::format("{}s", duration_cast<seconds>(age).count());
    if (age < 1h) return fmt::format("{}m", duration_cast<minutes>(age).count());
    if (age < 48h) return fmt::format("{}h", duration_cast<hours>(age).count());
    return fmt::format("{}d", duration_cast<days>(age).count());
}

Colour colour_of(const std::string& state) {
    for (const char* bad : {"quarantined", "dead", "needs_review"}) {
        if (state == bad) return Colour::red;
    }
    for (const char* open : {"pending", "parked", "running", "ready"}) {
        if (state == open) return Colour::yellow;
    }
    return Colour::green;
}

std::string money_of(const json::Value& item, std::string_view name) {
    const std::string text = text_of(item, name), code = text_of(item, "currency");
    const auto amount = text.empty() ? std::nullopt : http::whole_number(text);
    const auto currency = Currency::parse(code);
    if (!amount || !currency) return text;
    return to_decimal_text({*amount, *currency}) + " " + code;
}

Cell cell_of(const json::Value& item, const Column& column, Time now) {
    switch (column.shown) {
        case Shown::time:
            return time_and_age(text_of(item, column.member), now);
        case Shown::id: {
            const std::string id = text_of(item, column.member);
            return id.empty() ? id : shell_word(id);
        }
        case Shown::money:
            return money_of(item, column.member);
        case Shown::state: {
            std::string state = text_of(item, column.member);
            const Colour colour = colour_of(state);
            return {std::move(state), colour};
        }
        case Shown::text:
            break;
    }
    return text_of(item, column.member);
}

void show_list(const Verb& verb, const json::Value& answer, const AnswerView& view,
               const Context& context) {
    std::vector<std::string> headings;
    for (const Column& column : verb.columns) headings.emplace_back(column.heading);
    Table table(std::move(headings));
    const auto items = member_of(answer, verb.items);
    for (const json::Value& item : items->children()) {
        std::vector<Cell> cells;
        for (const Column& column : verb.columns) cells.push_back(cell_of(item, column, view.now));
        table.row(std::move(cells));
    }
    context.out.print(table.render(context.out));
    const std::string next = text_of(answer, "next");
    if (!next.empty()) context.err.line(fmt::format("there are more: --cursor {}", next));
}

// One member or element a line.
std::string indented(const json::Value& value, std::size_t depth) {
    const auto children = value.children();
    if (children.empty()) return std::string(value.raw());
    const bool object = value.kind() == Kind::object;
    const std::string margin(2 * (depth + 1), ' ');
    std::string text = object ? "{" : "[";
    for (const json::Value& child : children) {
        text += text.size() > 1 ? ",\n" : "\n";
        text += margin + (object ? json::quote(child.key()) + ": " : "");
        text += indented(child, depth + 1);
    }
    return text + "\n" + std::string(2 * depth, ' ') + (object ? "}" : "]");
}

}  // namespace

std::string time_and_age(const std::string& text, Time now) {
    const auto time = parse_rfc3339(text);
    if (!time) return text;
    std::string utc = to_rfc3339(*time).substr(0, 19);
    utc[10] = ' ';
    return *time <= now ? fmt::format("{} ({} ago)", utc, age_of(now - *time))
                        : fmt::format("{} (in {})", utc, age_of(*time - now));
}

int show_answer(const Verb& verb, const http::Reply& reply, const AnswerView& view,
                const Context& context) {
    const auto document = json::Document::parse(reply.body);
    if (!document) return context.fail({ErrorKind::internal, "the answer is not JSON"});
    const json::Value& answer = document->root();
    if (reply.status >= 400) {
        if (view.as_json) context.out.line(reply.body);
        context.err.line(context.err.paint(Colour::red, "pawl: ") + text_of(answer, "detail"));
        return exit_of(reply.status);
    }
    if (view.as_json) {
        context.out.line(reply.body);
    } else if (verb.columns.empty()) {
        context.out.line(indented(answer, 0));
    } else {
        show_list(verb, answer, view, context);
    }
    // An act on an event that leaves it unfinished.
    const bool unfinished =
        verb.method != "GET" && member_of(answer, "outcome") && text_of(answer, "status") != "done";
    return unfinished ? exit_no : exit_done;
}

}  // namespace pawl::app
