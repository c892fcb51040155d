// Deliveries on their way into webhook_deliveries: each with its bytes as they came. The items of a
// batch share one delivery: the first one's row holds the bytes, the others name it.
#include "intents/delivery_columns.hpp"
#include "intents/sql.hpp"
#include "intents/store.hpp"

namespace pawl::intents {

std::string header_lines(const providers::Headers& headers) {
    std::string lines;
    for (const auto& [name, value] : headers) lines.append(name).append(": ").append(value) += '\n';
    return lines;
}

void DeliveryColumns::add(const Submission& submission) {
    const providers::Delivery& delivery = submission.delivery;
    for (const providers::Event& event : submission.events) {
        const EventId& head = submission.events.front().event_id;
        const bool first = &event == &submission.events.front();
        add_bytes(first ? header_lines(delivery.headers) : "",
                  first ? std::string_view(delivery.body) : "");
        add_row(submission.provider, delivery, submission.remote);
        verdicts_.emplace_back("authentic");
        diagnoses_.emplace_back();
        ids_.emplace_back(event.event_id.str());
        heads_.push_back(first ? std::nullopt : std::optional(head.str()));
    }
}

void DeliveryColumns::add(const Rejection& rejection, std::size_t body_max) {
    const providers::Delivery& delivery = rejection.delivery;
    add_bytes(header_lines(delivery.headers), std::string_view(delivery.body).substr(0, body_max));
    add_row(rejection.provider, delivery, rejection.remote);
    verdicts_.emplace_back("rejected");
    diagnoses_.emplace_back(rejection.diagnosis);
    ids_.emplace_back();
    heads_.emplace_back();
}

void DeliveryColumns::add_bytes(std::string_view headers, std::string_view body) {
    from_.push_back(static_cast<std::int64_t>(bytes_.size()) + 1);  // SQL counts from 1
    header_lengths_.push_back(static_cast<std::int64_t>(headers.size()));
    body_lengths_.push_back(static_cast<std::int64_t>(body.size()));
    bytes_.append(headers).append(body);
}

void DeliveryColumns::add_row(const ProviderName& provider, const providers::Delivery& delivery,
                              const std::string& remote) {
    received_.push_back(delivery.received_at);
    providers_.push_back(provider.str());
    methods_.push_back(delivery.method);
    urls_.push_back(delivery.url);
    remotes_.push_back(remote);
}

db::Params DeliveryColumns::params() const {
    db::Params all;
    all.bytes(bytes_).times(received_).texts(providers_).texts(ids_).texts(verdicts_);
    all.texts(diagnoses_).texts(methods_).texts(urls_).numbers(from_).numbers(header_lengths_);
    return all.numbers(body_lengths_).texts(remotes_).texts(heads_);
}

void write_deliveries(db::Transaction& transaction, const Batch& batch) {
    DeliveryColumns columns;
    for (const Submission* submission : batch) {
        if (!submission->resumed) columns.add(*submission);  // its bytes are there already
    }
    if (!columns.empty()) transaction.run(sql::write_deliveries, columns.params());
}

}  // namespace pawl::intents
