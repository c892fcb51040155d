#include "workflows/engine/workflow.hpp"

#include <algorithm>

#include "base/json.hpp"

namespace pawl::workflows {

std::string Run::remembered(std::string_view member) const {
    const auto document = json::Document::parse(state);
    const auto pointer = json::Pointer::parse("/" + std::string(member));
    const auto value = document ? document->root().at(*pointer) : std::nullopt;
    return value ? value->text().value_or("") : "";
}

const Step* Workflow::find(std::string_view step) const {
    const auto moved = std::find_if(renamed.begin(), renamed.end(),
                                    [&](const auto& pair) { return pair.first == step; });
    const std::string_view wanted = moved == renamed.end() ? step : moved->second;
    if (wanted.empty()) return &steps.front();  // it has just begun
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [&](const Step& one) { return one.name == wanted; });
    return found == steps.end() ? nullptr : &*found;
}

}  // namespace pawl::workflows
