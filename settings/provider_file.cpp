// config/providers/NAME.toml, the keys above its tables.
#include <fmt/core.h>

#include "providers/provider_traits.hpp"
#include "settings/files.hpp"
#include "settings/suggest.hpp"

namespace pawl::app {
namespace {

using providers::ProviderConfig;

void read_retention(TableReader& root, ProviderConfig& into) {
    using std::chrono::hours;
    root.require("retry_window", "write how long the provider redelivers, like \"3d\"");
    root.duration("retry_window", into.retry_window, {std::chrono::seconds(1)});
    const toml::node* node = root.take("retention");
    if (node == nullptr) return;
    if (node->value<std::string_view>() == "forever") {
        into.retention.reset();
        return;
    }
    Duration kept{0};
    if (root.duration("retention", kept, {hours(1)})) into.retention = kept;
}

void read_secrets(TableReader& root, ProviderConfig& into) {
    const providers::ProviderTraits* traits = providers::traits_of(into.preset);
    const bool needed = traits == nullptr || traits->needs_secret;
    if (needed) {
        root.require("secrets",
                     "write secrets = [\"${env:NAME}\"]: without one every delivery "
                     "would be refused");
    }
    root.texts("secrets", into.secrets);
    const toml::node* node = root.take("secrets");
    const toml::array* list = node == nullptr ? nullptr : node->as_array();
    const bool none = list != nullptr && list->empty();
    const bool blank = node != nullptr && node->value<std::string_view>() == "";
    if (needed && (none || blank)) {
        root.wrong("secrets", "is empty", "list at least one, like \"${env:NAME}\"");
    }
}

}  // namespace

void read_enabled(TableReader& root, Enabled& into) {
    const toml::node* node = root.take("enabled");
    if (node == nullptr) return;
    if (const auto* flag = node->as_boolean()) {
        into = flag->get() ? Enabled::yes : Enabled::no;
    } else if (node->value<std::string_view>() == "if_secrets") {
        into = Enabled::if_secrets;
    } else {
        root.wrong("enabled", "is neither true, false nor \"if_secrets\"", "write one of these");
    }
}

void read_provider(TableReader& root, ProviderConfig& into, Enabled& enabled) {
    read_name(root, into.name);
    read_books(root, into.name, into.books);
    read_word(root, "captures", into.captures, providers::parse_captures);
    read_enabled(root, enabled);
    read_scheme(root, into);
    read_secrets(root, into);
    read_retention(root, into);
    read_word(root, "in_progress", into.in_progress, providers::parse_in_progress);
    std::string ack;
    if (root.text("ack", ack)) {
        auto parsed = providers::parse_ack(ack);
        if (parsed) into.ack_text = *parsed;
        if (!parsed)
            root.wrong("ack", fmt::format("is {}", root.shown(ack)),
                       "write \"json\" or \"text:ANSWER\"");
    }
    read_url(root, "url", into.url);
    root.text("webhook_id", into.webhook_id);
    root.texts("roots", into.roots);
    root.text("public_key", into.public_key);
    read_paths(root, into.read);
    read_rules(root, into.rules);
    read_fetch(root, into.fetch);
    root.finish();
}

}  // namespace pawl::app
