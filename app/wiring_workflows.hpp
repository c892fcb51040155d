// The gateways of the configuration, and the workflows of workflows/registry.hpp that call
// them.
#pragma once

#include <functional>
#include <vector>

#include "base/metrics.hpp"
#include "settings/settings.hpp"
#include "workflows/engine/engine.hpp"
#include "workflows/workflow_deps.hpp"

namespace pawl::app {

// The gateways of the configuration, made. An invalid one is an error of the start.
Result<workflows::Gateways> make_gateways(const Settings& settings);

// Builds the dependencies of the shipped workflows. They post money through intents::post_money, by
// the same decision and under the same locks as an event's.
workflows::WorkflowDeps workflow_parts(const workflows::Gateways& gateways, Metrics& metrics);

std::vector<workflows::Workflow> shipped_workflows(const workflows::WorkflowDeps& parts);

// One lane for each gateway, as wide as its concurrency limit, and one for runs without gateway
// calls. `on_commit` is called when a run has staged jobs.
workflows::EngineOptions engine_options(const workflows::Gateways& gateways,
                                        const WorkSettings& settings,
                                        std::function<void()> on_commit = {});

}  // namespace pawl::app
