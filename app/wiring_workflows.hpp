// The gateways of the configuration, and the workflows of workflows/engine/registry.hpp that call
// them.
#pragma once

#include <functional>
#include <vector>

#include "base/metrics.hpp"
#include "settings/settings.hpp"
#include "workflows/engine/engine.hpp"
#include "workflows/workflow_deps.hpp"

namespace pawl::app {

// The gateways of the configuration, made. What is wrong with one is an error of the start.
Result<workflows::Gateways> make_gateways(const Settings& settings);

// Money that is posted goes the way that an event's does (intents/accept/accept).
workflows::WorkflowDeps workflow_parts(const workflows::Gateways& gateways, Metrics& metrics);

std::vector<workflows::Workflow> shipped_workflows(const workflows::WorkflowDeps& parts);

// A lane for each gateway, as wide as it may be called at once; and one for what calls nobody.
// `on_commit`: what a run has staged is there to be moved.
workflows::EngineOptions engine_options(const workflows::Gateways& gateways,
                                        const WorkSettings& settings,
                                        std::function<void()> on_commit = {});

}  // namespace pawl::app
