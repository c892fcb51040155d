#include "intents/queries/views.hpp"

#include "base/text.hpp"
#include "intents/queries/cursor.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {
namespace {

IntentRow to_intent(const sql::ListedIntentRow& row) {
    IntentRow intent;
    intent.provider = row.provider();
    intent.event_id = row.event_id();
    intent.type = row.event_type();
    intent.status = row.status();
    intent.outcome = row.outcome();
    intent.note = row.note();
    intent.account = row.account();
    intent.object = row.object();
    intent.currency = row.currency();
    intent.effect_key = row.effect_key();
    intent.amount = row.amount();
    intent.sequence = row.sequence();
    intent.deliveries = row.deliveries();
    intent.attempts = row.attempts();
    intent.correlation_id = row.correlation_id();
    intent.received_at = to_rfc3339(row.received_at());
    if (const auto done = row.done_at()) intent.done_at = to_rfc3339(*done);
    return intent;
}

RejectionRow to_rejection(const sql::ListRejections::Row& row) {
    return {.id = row.id(),
            .received_at = to_rfc3339(row.received_at()),
            .provider = std::string(row.provider()),
            .diagnosis = std::string(row.diagnosis()),
            .method = std::string(row.method()),
            .url = std::string(row.url()),
            .remote = std::string(row.remote()),
            .body_bytes = row.body_bytes(),
            .body_sha256 = std::string(row.body_sha256())};
}

// One row more than asked for tells whether there is a next page.
template <class Row, class Stored, class Convert, class Key>
Page<Row> page_of(const db::RowsOf<Stored>& rows, std::int64_t limit, Convert convert, Key key) {
    Page<Row> page;
    for (const Stored row : rows) {
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
    sql::ListIntents list{.provider = filter.provider,
                          .status = filter.status,
                          .outcome = filter.outcome,
                          .event_type = filter.type,
                          .account = filter.account,
                          .object = filter.object,
                          .text = filter.text,
                          .from_time = filter.received.from,
                          .to_time = filter.received.to,
                          .before_received_at = std::nullopt,
                          .before_provider = std::nullopt,
                          .before_event_id = std::nullopt,
                          .limit_rows = filter.limit + 1};
    if (!filter.cursor.empty()) {
        const auto parts = read_cursor(filter.cursor, 3);
        if (!parts) return parts.error();
        const auto time = parse_rfc3339((*parts)[0]);
        if (!time) return foreign_cursor();
        list.before_received_at = *time;
        list.before_provider = (*parts)[1];
        list.before_event_id = (*parts)[2];
    }
    return page_of<IntentRow>(
        db::Statement::run(session, list), filter.limit, to_intent, [](const IntentRow& last) {
            return std::vector<std::string>{last.received_at, last.provider, last.event_id};
        });
}

std::optional<std::string> describe_intent(db::Session& session, const std::string& provider,
                                           const std::string& event_id) {
    const auto rows = db::Statement::run(
        session, sql::DescribeIntent{.provider = provider, .event_id = event_id});
    return rows.empty() ? std::nullopt : std::optional(std::string(rows[0].described()));
}

Result<Page<RejectionRow>> list_rejections(db::Session& session, const RejectionFilter& filter) {
    sql::ListRejections list{.provider = filter.provider,
                             .diagnosis = filter.diagnosis,
                             .from_time = filter.received.from,
                             .to_time = filter.received.to,
                             .before_received_at = std::nullopt,
                             .before_id = std::nullopt,
                             .limit_rows = filter.limit + 1};
    if (!filter.cursor.empty()) {
        const auto parts = read_cursor(filter.cursor, 2);
        if (!parts) return parts.error();
        const auto time = parse_rfc3339((*parts)[0]);
        const auto id = to_number<std::int64_t>((*parts)[1]);
        if (!time || !id) return foreign_cursor();
        list.before_received_at = *time;
        list.before_id = *id;
    }
    return page_of<RejectionRow>(
        db::Statement::run(session, list), filter.limit, to_rejection,
        [](const RejectionRow& last) {
            return std::vector<std::string>{last.received_at, std::to_string(last.id)};
        });
}

}  // namespace pawl::intents
