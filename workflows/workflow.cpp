#include "workflows/workflow.hpp"

#include <algorithm>

namespace pawl::workflows {

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
