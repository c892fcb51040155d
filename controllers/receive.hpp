// `POST /webhooks/{provider}`: verify, read, submit to the committer, and answer only after its
// commit. Owned by the wiring; the handler runs on any IO thread and never blocks.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "controllers/http/http.hpp"
#include "intents/commit/committer.hpp"
#include "intents/deliveries/rejections.hpp"
#include "providers/provider.hpp"

namespace pawl::http {

class Receive {
  public:
    // `off`: the names of providers that are configured and not served.
    Receive(std::vector<providers::Provider> providers, std::set<std::string, std::less<>> off,
            intents::Committer& committer, intents::Rejections& rejections, const Clock& clock,
            Metrics& metrics);

    void handle(const RequestPtr& request, const Responder& respond);

  private:
    // A provider with its counters, looked up once: a look-up by labels costs a lock and a copy of
    // the labels, at every event.
    struct Served {
        providers::Provider provider;
        Counter& authentic;
        Counter& rejected;
        Counter& duplicates;
        std::vector<Counter*> intents;  // by outcome
        // When its last event was stored, or when this process began; read by the metrics page.
        std::shared_ptr<std::atomic<std::chrono::steady_clock::time_point>> last_event;
    };

    // A delivery, and its traits by the provider's file.
    struct Judged {
        providers::Delivery delivery;
        providers::Received received;
    };

    Reply unknown(const std::string& provider) const;
    Served served(providers::Provider provider, Metrics& metrics) const;
    void measure_silence(Metrics& metrics) const;
    void refuse(const Served& served, const RequestPtr& request, Judged judged,
                const Responder& respond);
    void accept(const Served& served, const RequestPtr& request, Judged judged,
                const Responder& respond);
    Reply answered(const Served& served, const intents::DeliveryResult& answer, bool batch,
                   const std::vector<std::string>& refusals);

    std::map<std::string, Served, std::less<>> providers_;
    std::set<std::string, std::less<>> off_;
    intents::Committer& committer_;
    intents::Rejections& rejections_;
    const Clock& clock_;
    Family<Counter>& refusals_;  // by diagnosis
    Histogram& seconds_;
};

}  // namespace pawl::http
