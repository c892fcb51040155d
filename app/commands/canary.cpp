#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/commands.hpp"
#include "base/json.hpp"
#include "base/rng.hpp"
#include "outbound/http_client.hpp"

namespace pawl::app {
namespace {

using outbound::HttpReply;
using outbound::HttpRequest;

constexpr int sends = 3;
constexpr std::chrono::seconds request_timeout(20);

struct Options {
    std::string url, gateway;
    std::string currency = "USD";
    std::int64_t amount = 100;  // minor units
};

Error unexpected(const char* subject, const HttpReply& reply) {
    return refused(fmt::format("{}: unexpected answer {}: {}", subject, reply.status,
                               std::string_view(reply.body).substr(0, 300)));
}

std::optional<std::string> text_at(const std::string& body, const std::string& pointer) {
    const auto document = json::Document::parse(body);
    if (!document) return std::nullopt;
    const auto value = document->root().at(json::Pointer::parse(pointer).value());
    return value ? value->text() : std::nullopt;
}

Result<HttpReply> exchange(HttpRequest request) {
    request.within = request_timeout;
    request.allow_private = true;  // the operator names the server
    const std::string subject = request.method + " " + request.url;
    const auto outcome = outbound::send(request);
    if (const auto* reply = std::get_if<HttpReply>(&outcome)) return *reply;
    return unreachable(fmt::format(
        "{}: unreachable ({}); is `pawl serve` running there? --url names another server", subject,
        std::get<outbound::HttpFailure>(outcome).what));
}

// Pays one new order over the public listener, as a shop would.
class CanaryPayment {
  public:
    CanaryPayment(const Options& options, std::string url, std::string token, Time now)
        : options_(options), url_(std::move(url)), token_(std::move(token)) {
        SecureRng rng;
        order_ = "canary-" + to_rfc3339(now).substr(0, 10) + "-" + random_token(rng, 9);
        key_ = uuid_v4(rng);
    }

    const std::string& order() const { return order_; }

    Result<void> run() const {
        if (auto made = make_order(); !made) return made;
        if (auto paid = pay_repeatedly(); !paid) return paid;
        return check_order();
    }

  private:
    Result<HttpReply> ask(const char* method, const std::string& path, std::string body,
                          const std::string& key = "") const {
        HttpRequest request;
        request.method = method;
        request.url = url_ + path;
        request.body = std::move(body);
        request.headers = {{"Authorization", "Bearer " + token_},
                           {"Content-Type", "application/json"}};
        if (!key.empty()) request.headers.emplace_back("Idempotency-Key", key);
        return exchange(std::move(request));
    }

    Result<void> make_order() const {
        json::Writer body;
        body.begin_object().member("amount", options_.amount);
        body.member("currency", options_.currency).member("account", "canary");
        body.member("gateway", options_.gateway).end_object();
        const auto made = ask("PUT", "/v1/orders/" + order_, body.take());
        if (!made) return made.error();
        if (made->status != 201) return unexpected("order", *made);
        return {};
    }

    Result<void> pay_repeatedly() const {
        std::string first;
        for (int i = 0; i < sends; ++i) {
            const auto paid = ask("POST", "/v1/orders/" + order_ + "/payments", "{}", key_);
            if (!paid) return paid.error();
            if (paid->status != 201) return unexpected("payment", *paid);
            if (i == 0) first = paid->body;
            if (paid->body != first) return unexpected("payment, sent again", *paid);
        }
        return {};
    }

    Result<void> check_order() const {
        const auto seen = ask("GET", "/v1/orders/" + order_, "");
        if (!seen) return seen.error();
        const bool once = text_at(seen->body, "/payments/0/state") == "succeeded" &&
                          !text_at(seen->body, "/payments/1/state");
        if (!once) return unexpected("order after the payment", *seen);
        return {};
    }

    const Options& options_;
    const std::string url_;
    const std::string token_;
    std::string order_;
    std::string key_;
};

// The public listener that `--url` names, or that of the server whose configuration this is.
std::optional<std::string> find_url(const Options& options, const Context& context) {
    if (!options.url.empty()) return options.url;
    LoadOptions load_options;
    load_options.beside_server = true;
    const auto settings = context.settings(std::move(load_options));
    if (!settings) return std::nullopt;
    return url_of(settings->server.listen);
}

int run(const Options& options, const Context& context) {
    const std::string token = LoadOptions().variables("PAWL_API_TOKEN").value_or("");
    if (token.empty()) {
        return context.fail(
            invalid("PAWL_API_TOKEN: missing; set it to a token of the role api "
                    "(`pawl token create` makes one)"));
    }
    const auto url = find_url(options, context);
    if (!url) return exit_wrong;
    const CanaryPayment payment(options, *url, token, SystemClock().now());
    if (const auto paid = payment.run(); !paid) return context.fail(paid.error());
    context.out.line(fmt::format("{}: paid once, its key sent {} times", payment.order(), sends));
    return exit_done;
}

}  // namespace

void add_canary(CLI::App& app, Context& context) {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("canary", "pay one small order over the API, its key sent three times");
    command->add_option("--gateway", options->gateway, "moves real money unless it is for testing")
        ->required();
    command->add_option("--amount", options->amount, "minor units (100)")
        ->check(CLI::Range(1, 1'000'000));
    command->add_option("--currency", options->currency, "three letters (USD)");
    command->add_option("--url", options->url,
                        "http://HOST:PORT of the public listener (default: where the server "
                        "listens)");
    command->footer(
        "For a timer: exit code 0 where the order was charged exactly once, 1 where it was not,\n"
        "3 where the server does not answer. PAWL_API_TOKEN is a token of the role api.\n"
        "Example: pawl canary --gateway sandbox --amount 100 --currency USD");
    command->callback([&context, options] {
        context.run = [&context, options] { return run(*options, context); };
    });
}

}  // namespace pawl::app
