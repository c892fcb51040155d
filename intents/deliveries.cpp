// Deliveries on their way into webhook_deliveries: each with its bytes as they came. The items of a
// batch share one delivery: the first one's row holds the bytes, the others name it.
#include "intents/sql.hpp"
#include "intents/store.hpp"

namespace pawl::intents {
namespace {

struct DeliveryColumns {
    std::string bytes;  // headers and body of every row, one after the other
    std::vector<Time> received;
    std::vector<std::string> providers, verdicts, methods, urls, remotes;
    std::vector<std::optional<std::string>> ids, diagnoses, heads;
    std::vector<std::int64_t> from, header_lengths, body_lengths;

    void add(const Submission& submission) {
        const providers::Delivery& delivery = submission.delivery;
        for (const providers::Event& event : submission.events) {
            const bool first = &event == &submission.events.front();
            add_bytes(first ? header_lines(delivery.headers) : "", first ? delivery.body : "");
            heads.push_back(first ? std::nullopt
                                  : std::optional(submission.events.front().event_id.str()));
            add_row(submission, event.event_id);
        }
    }

    void add_bytes(const std::string& headers, const std::string& body) {
        from.push_back(static_cast<std::int64_t>(bytes.size()) + 1);  // SQL counts from 1
        header_lengths.push_back(static_cast<std::int64_t>(headers.size()));
        body_lengths.push_back(static_cast<std::int64_t>(body.size()));
        bytes += headers;
        bytes += body;
    }

    void add_row(const Submission& submission, const EventId& id) {
        const providers::Delivery& delivery = submission.delivery;
        received.push_back(delivery.received_at);
        providers.push_back(submission.provider.str());
        ids.emplace_back(id.str());
        verdicts.emplace_back("authentic");
        diagnoses.emplace_back();
        methods.push_back(delivery.method);
        urls.push_back(delivery.url);
        remotes.push_back(submission.remote);
    }

    db::Params params() const {
        db::Params all;
        all.bytes(bytes).times(received).texts(providers).texts(ids).texts(verdicts);
        all.texts(diagnoses).texts(methods).texts(urls).numbers(from).numbers(header_lengths);
        return all.numbers(body_lengths).texts(remotes).texts(heads);
    }
};

}  // namespace

std::string header_lines(const providers::Headers& headers) {
    std::string lines;
    for (const auto& [name, value] : headers) lines.append(name).append(": ").append(value) += '\n';
    return lines;
}

void write_deliveries(db::Transaction& transaction, const Batch& batch) {
    DeliveryColumns columns;
    for (const Submission* submission : batch) columns.add(*submission);
    if (!columns.received.empty()) transaction.run(sql::write_deliveries, columns.params());
}

}  // namespace pawl::intents
