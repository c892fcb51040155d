// Deliveries on their way into webhook_deliveries: each with its bytes as they came. The items of a
// batch share one delivery: the first one's row holds the bytes, the others name it.
#include "intents/delivery_columns.hpp"
#include "intents/sql.hpp"
#include "intents/store.hpp"

namespace pawl::intents {

std::string header_lines(const providers::Headers& headers) {
    std::size_t bytes = 0;
    for (const auto& [name, value] : headers) bytes += name.size() + value.size() + 3;
    std::string lines;
    lines.reserve(bytes);
    for (const auto& [name, value] : headers) lines.append(name).append(": ").append(value) += '\n';
    return lines;
}

void DeliveryColumns::add(const Submission& submission) {
    const providers::Delivery& delivery = submission.delivery;
    for (const providers::Event& event : submission.events) {
        const EventId& head = submission.events.front().event_id;
        const bool first = &event == &submission.events.front();
        headers_.add(first ? header_lines(delivery.headers) : "");
        bodies_.add(first ? std::string_view(delivery.body) : "");
        add_row(submission.provider, delivery, submission.remote);
        verdicts_.add("authentic");
        diagnoses_.add_null();
        ids_.add(event.event_id.str());
        heads_.add(first ? std::nullopt : std::optional(head.str()));
    }
}

void DeliveryColumns::add(const Rejection& rejection, std::size_t body_max) {
    const providers::Delivery& delivery = rejection.delivery;
    headers_.add(header_lines(delivery.headers));
    bodies_.add(std::string_view(delivery.body).substr(0, body_max));
    add_row(rejection.provider, delivery, rejection.remote);
    verdicts_.add("rejected");
    diagnoses_.add(rejection.diagnosis);
    ids_.add_null();
    heads_.add_null();
}

void DeliveryColumns::add_row(const ProviderName& provider, const providers::Delivery& delivery,
                              const std::string& remote) {
    received_.add(delivery.received_at);
    providers_.add(provider.str());
    methods_.add(delivery.method);
    urls_.add(delivery.url);
    remotes_.add(remote);
}

db::Params DeliveryColumns::params() {
    db::Params all;
    all.column(std::move(received_))
        .column(std::move(providers_))
        .column(std::move(ids_))
        .column(std::move(verdicts_))
        .column(std::move(diagnoses_));
    all.column(std::move(methods_))
        .column(std::move(urls_))
        .column(std::move(headers_))
        .column(std::move(bodies_))
        .column(std::move(remotes_));
    return all.column(std::move(heads_));
}

void write_deliveries(db::Transaction& transaction, const Batch& batch) {
    DeliveryColumns columns;
    for (const Submission* submission : batch) {
        if (!submission->resumed) columns.add(*submission);  // its bytes are there already
    }
    if (!columns.empty()) transaction.run(sql::write_deliveries, columns.params());
}

}  // namespace pawl::intents
