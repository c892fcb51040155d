// `POST /webhooks/{provider}`: verify, read, submit to the committer, and answer only after its
// commit. Owned by the wiring; the handler runs on any IO thread and never blocks.
#pragma once

#include <map>
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
    struct Counters {
        Family<Counter>& deliveries;
        Family<Counter>& intents;
        Family<Counter>& duplicates;
        Family<Counter>& rejections;
        Histogram& seconds;
    };

    // A delivery, and its traits by the provider's file.
    struct Judged {
        providers::Delivery delivery;
        providers::Received received;
    };

    Reply unknown(const std::string& provider) const;
    void refuse(const providers::Provider& provider, const RequestPtr& request, Judged judged,
                const Responder& respond);
    void accept(const providers::Provider& provider, const RequestPtr& request, Judged judged,
                const Responder& respond);
    Reply answered(const providers::Provider& provider, const intents::DeliveryResult& answer,
                   bool batch, const std::vector<std::string>& refusals);

    std::map<std::string, providers::Provider, std::less<>> providers_;
    std::set<std::string, std::less<>> off_;
    intents::Committer& committer_;
    intents::Rejections& rejections_;
    const Clock& clock_;
    Counters counters_;
};

}  // namespace pawl::http
