// A configuration directory for one test, with a demo provider that is right in every respect; a
// test spoils one thing. Owned by its test, removed with it.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>

#include "settings/lint/lint.hpp"
#include "settings/settings.hpp"

namespace pawl::app::test {

inline const std::string good_provider = R"(name = "demo"
scheme = "standard-webhooks"
secrets = ["${env:DEMO_SECRET}"]
retry_window = "3d"
retention = "forever"
[read]
event_id = "/id"
type = "/type"
object = "/payment_id"
sequence = "/sequence"
[[rule]]
when = "payment.captured"
effect = "credit"
account = "/account"
amount = "/amount"
currency = "/currency"
effect_key = ["capture", "/payment_id"]
[[rule]]
when = "*"
effect = "ignore"
)";

// A provider and a gateway of the same books. The provider needs the variable STRIPE_SECRET.
inline const std::string stripe_provider = R"(name = "stripe"
scheme = "stripe"
secrets = ["${env:STRIPE_SECRET}"]
captures = "total"
retry_window = "3d"
retention = "forever"
[read]
event_id = "/id"
type = "/type"
[[rule]]
when = "payment_intent.succeeded"
effect = "credit"
account = "/data/object/metadata/account"
amount = "/data/object/amount_received"
amount_is = "total"
currency = "/data/object/currency"
effect_key = ["capture", "/data/object/id"]
signal = "/data/object/metadata/key"
)";

inline const std::string stripe_gateway = R"(name = "stripe"
kind = "stripe"
base_url = "https://api.stripe.com"
api_key = "sk_live_of_a_test"
key_horizon = "24h"
)";

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::logic_error("the test's text has no " + from);
    return text.replace(at, from.size(), to);
}

class ConfigFolder {
  public:
    ConfigFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "pawl-config-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
        path_ = name;
        write("providers/demo.toml", good_provider);
        variables["DEMO_SECRET"] = "whsec_c29tZSBzZWNyZXQgb2YgdGhlIHRlc3QncyBvd24=";
    }
    ~ConfigFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    ConfigFolder(const ConfigFolder&) = delete;
    ConfigFolder& operator=(const ConfigFolder&) = delete;

    void write(const std::string& file, const std::string& text) const {
        std::filesystem::create_directories((path_ / file).parent_path());
        std::ofstream(path_ / file) << text;
    }
    void spoil(const std::string& from, const std::string& to) const {
        write("providers/demo.toml", replaced(good_provider, from, to));
    }

    Loaded load(bool dev = false, bool accept_unbuilt = false) const {
        LoadOptions options;
        options.accept_unbuilt = accept_unbuilt;
        options.folder = path_.string();
        options.dev = dev;
        options.variables = [this](const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            if (found == variables.end()) return std::nullopt;
            return found->second;
        };
        return app::load(options);
    }

    // Sentences with paths as seen from this directory, one a line, of one severity.
    std::string sentences(const Findings& findings, Severity severity) const {
        std::string lines;
        for (const Finding& finding : findings) {
            if (finding.severity != severity) continue;
            lines += (lines.empty() ? "" : "\n") + sentence(finding);
        }
        const std::string prefix = path_.string() + "/";
        for (std::size_t at = lines.find(prefix); at != std::string::npos; at = lines.find(prefix))
            lines.erase(at, prefix.size());
        return lines;
    }
    std::string errors(bool dev = false) const {
        return sentences(load(dev).findings, Severity::error);
    }
    std::string linted(Severity severity) const {
        const Loaded loaded = load(false, true);
        if (!loaded.ok()) return "does not load: " + errors();
        return sentences(lint(loaded.settings), severity);
    }
    const std::filesystem::path& path() const { return path_; }

    std::map<std::string, std::string> variables;

  private:
    std::filesystem::path path_;
};

}  // namespace pawl::app::test
