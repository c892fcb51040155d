#include "intents/queries/views.hpp"

#include <charconv>

#include "intents/queries/cursor.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

Error no_cursor_of_ours() {
    return invalid("the cursor was not made by this list; start without one");
}

std::optional<std::int64_t> number_of(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool good = error == std::errc{} && end == text.data() + text.size();
    return good ? std::optional(number) : std::nullopt;
}

IntentRow to_intent(const db::Row& row) {
    IntentRow intent;
    intent.provider = row.str(0);
    intent.event_id = row.str(1);
    intent.type = row.str(2);
    intent.status = row.str(3);
    intent.outcome = row.str(4);
    intent.note = row.maybe_text(5);
    intent.account = row.maybe_text(6);
    intent.object = row.maybe_text(7);
    intent.currency = row.maybe_text(8);
    intent.effect_key = row.maybe_text(9);
    intent.amount = row.maybe_number(10);
    intent.sequence = row.maybe_number(11);
    intent.deliveries = row.number(12);
    intent.attempts = row.number(13);
    intent.correlation_id = row.str(14);
    intent.received_at = to_rfc3339(row.time(15));
    if (const auto done = row.maybe_time(16)) intent.done_at = to_rfc3339(*done);
    return intent;
}

RejectionRow to_rejection(const db::Row& row) {
    return {row.number(0), to_rfc3339(row.time(1)), row.str(2),    row.str(3), row.str(4),
            row.str(5),    row.maybe_text(6),       row.number(7), row.str(8)};
}

// One row more than asked for tells whether there is a next page.
template <class Row, class Convert, class Key>
Page<Row> page_of(const db::Rows& rows, std::int64_t limit, Convert convert, Key key) {
    Page<Row> page;
    for (const db::Row row : rows) {
        if (static_cast<std::int64_t>(page.rows.size()) == limit) {
            page.next = make_cursor(key(page.rows.back()));
            break;
        }
        page.rows.push_back(convert(row));
    }
    return page;
}

}  // namespace

Result<Page<IntentRow>> list_intents(db::Session& session, const IntentFilter& filter) {
    db::Params params;
    params.maybe_text(filter.provider).maybe_text(filter.status).maybe_text(filter.outcome);
    params.maybe_text(filter.type).maybe_text(filter.account).maybe_text(filter.object);
    params.maybe_text(filter.text);
    db::add(params, filter.received);
    if (filter.cursor.empty()) {
        params.null().null().null();
    } else {
        const auto parts = read_cursor(filter.cursor, 3);
        if (!parts) return parts.error();
        const auto time = parse_rfc3339((*parts)[0]);
        if (!time) return no_cursor_of_ours();
        params.time(*time).text((*parts)[1]).text((*parts)[2]);
    }
    params.number(filter.limit + 1);
    return page_of<IntentRow>(
        db::Statement::run(session, sql::list_intents, params), filter.limit, to_intent,
        [](const IntentRow& last) {
            return std::vector<std::string>{last.received_at, last.provider, last.event_id};
        });
}

std::optional<std::string> describe_intent(db::Session& session, const std::string& provider,
                                           const std::string& event_id) {
    const auto params = db::Params().text(provider).text(event_id);
    const db::Rows rows = db::Statement::run(session, sql::describe_intent, params);
    return rows.empty() ? std::nullopt : std::optional(rows[0].str(0));
}

Result<Page<RejectionRow>> list_rejections(db::Session& session, const RejectionFilter& filter) {
    db::Params params;
    params.maybe_text(filter.provider).maybe_text(filter.diagnosis);
    db::add(params, filter.received);
    if (filter.cursor.empty()) {
        params.null().null();
    } else {
        const auto parts = read_cursor(filter.cursor, 2);
        if (!parts) return parts.error();
        const auto time = parse_rfc3339((*parts)[0]);
        const auto id = number_of((*parts)[1]);
        if (!time || !id) return no_cursor_of_ours();
        params.time(*time).number(*id);
    }
    params.number(filter.limit + 1);
    return page_of<RejectionRow>(
        db::Statement::run(session, sql::list_rejections, params), filter.limit, to_rejection,
        [](const RejectionRow& last) {
            return std::vector<std::string>{last.received_at, std::to_string(last.id)};
        });
}

}  // namespace pawl::intents
