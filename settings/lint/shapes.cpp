// Finds changes of provider files under which a posted payment would be posted again.
#include <fmt/core.h>

#include <algorithm>

#include "providers/key_shape.hpp"
#include "settings/lint/lint.hpp"

namespace pawl::app {
namespace {

using providers::FileShapes;
using providers::KeyShape;

bool has_key(const FileShapes& shapes, const std::string& key) {
    return std::any_of(shapes.present.begin(), shapes.present.end(),
                       [&key](const auto& one) { return one.second.key == key; });
}

// The rule that was probably changed: the first one whose key was never posted.
Place place_of_change(const ProviderFile& file, const FileShapes& shapes,
                      const std::vector<KeyShape>& posted) {
    for (const auto& [rule, shape] : shapes.present) {
        const bool known = std::any_of(posted.begin(), posted.end(),
                                       [&](const KeyShape& one) { return one.key == shape.key; });
        if (!known) return file.place_of(path_of_rule(rule, "effect_key"));
    }
    return file.place_of("rule");
}

void find_missing(const ProviderFile& file, const FileShapes& shapes,
                  const std::vector<KeyShape>& posted, Findings& into) {
    std::string last;
    for (const KeyShape& one : posted) {
        if (one.key == last || has_key(shapes, one.key) || shapes.former.contains(one.key)) {
            continue;
        }
        last = one.key;
        into.push_back(
            {Severity::error, place_of_change(file, shapes, posted),
             fmt::format("provider \"{}\" has posted under {}, and no rule has this key now",
                         file.config.name, one.key),
             "a payment that is posted already would be posted again",
             fmt::format("restore the key, or add formerly = [{}] to the rule that posts these "
                         "movements now",
                         one.key)});
    }
}

// Under an unchanged key money is not posted again, but it may be posted wrongly.
void find_other_readings(const ProviderFile& file, const FileShapes& shapes,
                         const std::vector<KeyShape>& posted, Findings& into) {
    for (const auto& [rule, shape] : shapes.present) {
        std::string before;
        const bool known = std::any_of(posted.begin(), posted.end(), [&](const KeyShape& one) {
            if (one.key == shape.key) before = one.reading;
            return one.key == shape.key && one.reading == shape.reading;
        });
        if (known || before.empty()) continue;
        into.push_back({Severity::warning, file.place_of(path_of_rule(rule)),
                        fmt::format("this rule reads \"{}\", and under its key \"{}\" has posted "
                                    "\"{}\"",
                                    shape.reading, file.config.name, before),
                        "an amount that was meant otherwise would be posted without a question",
                        "check effect, amount_is and unit against an event of the provider"});
    }
}

}  // namespace

Findings lint_shapes(const Settings& settings, const std::vector<PostedShape>& posted) {
    Findings findings;
    for (const ProviderFile& file : settings.providers) {
        if (!file.on || !file.sound) continue;
        std::vector<KeyShape> own;
        for (const auto& [provider, shape] : posted) {
            if (provider == file.config.name) own.push_back(shape);
        }
        const std::string& books = file.config.books.empty() ? file.config.name : file.config.books;
        const FileShapes shapes = providers::shapes_of(file.config, books);
        find_missing(file, shapes, own, findings);
        find_other_readings(file, shapes, own, findings);
    }
    return findings;
}

}  // namespace pawl::app
