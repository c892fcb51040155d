#include "sandbox/sandbox.hpp"

#include "sandbox/api.hpp"
#include "sandbox/control.hpp"
#include "sandbox/http_server.hpp"
#include "sandbox/world.hpp"

namespace pawl::sandbox {

struct Sandbox::Impl {
    Impl(const Options& from, Webhooks::Options webhook_options)
        : world(from, std::move(webhook_options)),
          api(world),
          server([this](const Request& request) {
              return request.path.starts_with("/sandbox/") ? handle_control(world, request)
                                                           : api.handle(request);
          }) {}

    World world;
    Api api;
    HttpServer server;  // last: its threads use the others
};

namespace {

Result<Webhooks::Options> webhook_options(const Options& options) {
    Webhooks::Options into;
    into.secret = options.webhook_secret;
    into.first_retry = options.webhook_retry;
    if (options.webhook_url.empty()) return into;
    auto target = parse_target(options.webhook_url);
    if (!target) return target.error();
    if (options.webhook_secret.empty()) {
        return invalid("webhooks are signed: a secret is needed");
    }
    into.target = std::move(*target);
    return into;
}

}  // namespace

Sandbox::Sandbox() = default;
Sandbox::~Sandbox() {
    stop();
}

Result<void> Sandbox::start(const Options& options) {
    if (options.api_key.empty()) return invalid("an API key is needed");
    auto webhooks = webhook_options(options);
    if (!webhooks) return webhooks.error();
    impl_ = std::make_unique<Impl>(options, std::move(*webhooks));
    if (auto set = impl_->world.faults.set(options.faults); !set) return set;
    return impl_->server.start(options.host, options.port);
}

void Sandbox::stop() {
    if (!impl_) return;
    // Sleeping requests and requests that wait are woken first; after that no task can be posted.
    impl_->world.schedule.stop();
    impl_->server.stop();
}

std::string Sandbox::url() const {
    return "http://" + impl_->world.options.host + ":" + std::to_string(impl_->server.port());
}

}  // namespace pawl::sandbox
