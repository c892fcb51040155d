#include "app/first_steps.hpp"

#include <fmt/core.h>

#include <filesystem>

#include "base/rng.hpp"

namespace pawl::app {
namespace {

// A delivery of the demo provider that is valid for the next minutes, ready to paste.
std::string signed_curl(const FirstSteps& steps, const providers::Provider& demo) {
    SecureRng rng;
    const std::string id = "evt_" + random_token(rng, 6);
    const std::string body =
        fmt::format(R"({{"id":"{}","type":"payment.captured","payment_id":"pay_{}",)"
                    R"("account":"user:1","amount":5000,"currency":"USD","sequence":1}})",
                    id, random_token(rng, 6));
    const auto headers = demo.sign({id, body, steps.clock.now()});
    if (!headers) return "";
    std::string command =
        fmt::format("curl -sS http://{}/webhooks/demo", to_text(steps.settings.server.listen));
    for (const auto& [name, value] : *headers) {
        command += fmt::format(" \\\n    -H '{}: {}'", name, value);
    }
    return command + fmt::format(" \\\n    -d '{}'", body);
}

void print_receiving(const FirstSteps& steps) {
    const std::string listen = to_text(steps.settings.server.listen);
    steps.out.line(fmt::format("  webhooks   http://{}/webhooks/{{provider}}", listen));
    for (const providers::Provider& provider : steps.providers) {
        if (provider.name() != "demo") continue;
        const std::string command = signed_curl(steps, provider);
        if (!command.empty()) {
            steps.out.line(
                "\nDeliver a signed event (good for five minutes), then deliver it again:\n");
            steps.out.line(command);
        }
    }
}

// An order and its payment, as a shop would ask for them. Sent again, it is one charge.
void print_paying(const FirstSteps& steps) {
    const std::string listen = to_text(steps.settings.server.listen);
    SecureRng rng;
    const std::string order = "order-" + random_token(rng, 6);
    steps.out.line("\nCharge an order, with `pawl sandbox` running in another terminal:\n");
    steps.out.line(fmt::format("TOKEN={}", steps.api_token));
    steps.out.line(fmt::format(
        "curl -sS -X PUT http://{}/v1/orders/{} -H \"Authorization: Bearer $TOKEN\" \\\n"
        "    -d '{{\"amount\":5000,\"currency\":\"USD\",\"account\":\"user:1\",\"gateway\":"
        "\"sandbox\"}}'",
        listen, order));
    steps.out.line(fmt::format(
        "curl -sS http://{}/v1/orders/{}/payments -H \"Authorization: Bearer $TOKEN\" \\\n"
        "    -H 'Idempotency-Key: {}' -d '{{}}'",
        listen, order, uuid_v4(rng)));
}

// Whole, because the other terminal may stand in another folder, and quoted, because a folder may
// have any name.
std::string this_program() {
    std::error_code failed;
    const std::string path = std::filesystem::read_symlink("/proc/self/exe", failed).string();
    if (failed) return "pawl";
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+";
    if (path.find_first_not_of(plain) == std::string::npos) return path;
    std::string quoted = "'";
    for (const char c : path) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

// They find this server by its state file (app/running.hpp).
void print_commands(const FirstSteps& steps) {
    SecureRng rng;
    const std::string pawl = this_program();
    steps.out.line("\nFrom any other terminal:\n");
    steps.out.line(pawl + " send demo --count 100 --duplicates 30 --shuffle");
    steps.out.line(pawl + " intents list --limit 10");
    if (!steps.settings.gateways.empty()) {
        steps.out.line(
            fmt::format("{} pay order-{} --gateway sandbox --amount 50.00 \\\n"
                        "    --currency USD --account user:1    # needs `pawl sandbox`",
                        pawl, random_token(rng, 6)));
    }
    steps.out.line(pawl + " verify");
}

void print_admin(const FirstSteps& steps) {
    const std::string listen = to_text(steps.settings.server.admin_listen);
    steps.out.line("\nSee the result:\n");
    steps.out.line(fmt::format("curl -sS http://{}/metrics | grep ^pawl_intents", listen));
    steps.out.line(
        fmt::format("curl -sS http://{}/admin/v1/intents \\\n    -H 'Authorization: Bearer {}'",
                    listen, steps.admin_token));
}

}  // namespace

void print_first_steps(const FirstSteps& steps) {
    steps.out.line(steps.out.paint(Colour::bold, "\nPawl is running.") +
                   " Demo secrets are accepted: for development only.\n");
    steps.out.line(fmt::format("  mode       {}", to_text(steps.settings.server.mode)));
    if (steps.roles.admin) {
        steps.out.line(
            fmt::format("  admin      http://{}", to_text(steps.settings.server.admin_listen)));
    }
    if (steps.roles.receive) print_receiving(steps);
    if (steps.roles.receive && !steps.settings.gateways.empty()) print_paying(steps);
    if (steps.roles.receive) print_commands(steps);
    if (steps.roles.admin) print_admin(steps);
    steps.out.line("\nCtrl-C stops it.\n");
}

}  // namespace pawl::app
