#include "tests/e2e/receive_case.hpp"

namespace pawl::testing {
namespace {

std::string provider_file(const std::string& name, const std::string& more,
                          const std::string& read) {
    return "name = \"" + name + "\"\nscheme = \"standard-webhooks\"\nsecrets = [\"" +
           std::string(other_secret) + "\"]\nbooks = \"others\"\nretry_window = \"3d\"\n" + more +
           "\n[read]\nevent_id = \"/id\"\ntype = \"/type\"\nobject = \"/payment_id\"\n" + read +
           R"(
[[rule]]
when       = "payment.captured"
effect     = "credit"
account    = "/account"
amount     = "/amount"
currency   = "/currency"
effect_key = ["capture", "/payment_id"]
)";
}

std::string config_with(const Folder& folder, const std::string& receive_settings) {
    const std::string config = copied_config(folder);
    write_text(config + "/pawl.toml", "[receive]\n" + receive_settings);
    write_text(config + "/providers/narrow.toml",
               provider_file("narrow", "in_progress = \"conflict\"", ""));
    write_text(config + "/providers/acked.toml",
               provider_file("acked", "ack = \"text:[accepted]\"", ""));
    write_text(config + "/providers/batch.toml",
               provider_file("batch", "",
                             "items = \"/events\"\nitems_max = 3\n"
                             "expect = { \"/shop\" = [\"mine\"] }\n"));
    return config;
}

}  // namespace

ReceiveServer::ReceiveServer(const std::string& receive_settings, const std::string& faults)
    : server({.data_dir = folder / "data",
              .database_url = database.url(),
              .config = config_with(folder, receive_settings),
              .faults = faults}) {
    server.start();
}

std::string answer_body(const std::string& id, const std::string& status,
                        const std::string& outcome, bool duplicate) {
    return R"({"provider":"demo","event_id":")" + id + R"(","status":")" + status +
           R"(","outcome":")" + outcome + R"(","duplicate":)" + (duplicate ? "true" : "false") +
           "}";
}

}  // namespace pawl::testing
