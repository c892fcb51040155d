// The API: routes, authentication and errors of each request. Called by the connections' threads,
// many at once.
#pragma once

#include <atomic>
#include <cstdint>

#include "sandbox/forms.hpp"
#include "sandbox/http.hpp"
#include "sandbox/world.hpp"

namespace pawl::sandbox {

class Api {
  public:
    explicit Api(World& world) : world_(world) {}
    Reply handle(const Request& request);

  private:
    bool authorised(const Request& request) const;
    Result<FaultList> faults_for(const Request& request, const Fields& form,
                                 const std::string& key);
    Reply ask(const Request& request);
    Done look_up(const Request& request) const;
    Reply act(const Request& request);
    Reply act_under_key(const Request& request, const Action& action, const std::string& key,
                        const FaultList& faults);
    Done execute(const Action& action, const FaultList& faults);
    void send_webhooks(const std::vector<Event>& events, const FaultList& faults);
    void settle_later(const Action& action, const Done& done, const FaultList& faults);

    World& world_;
    std::atomic<std::int64_t> without_key_{0};
};

}  // namespace pawl::sandbox
