// The files of a configuration directory, one function a kind. Used by load() only, one thread.
#pragma once

#include "settings/settings.hpp"

namespace pawl::app {

void load_program(const LoadOptions& options, Loaded& into);
void load_providers(const LoadOptions& options, Loaded& into);
void refuse_unbuilt(const ProviderFile& file, Findings& into);
void load_gateways(const LoadOptions& options, Loaded& into);

}  // namespace pawl::app
