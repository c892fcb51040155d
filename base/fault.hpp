// Named places where a test may kill, pause or fail the process: PAWL_FAULT_POINT(after_commit).
// A point is named by the gap it sits in. Builds without PAWL_FAULT_POINTS have nothing here.
//
// The environment arms points: PAWL_FAULTS="after_commit_before_reply=kill@3,claim=sleep:200".
// An action is kill (SIGKILL), stop (SIGSTOP), sleep:MS or throw; @N means the N-th time only.
#pragma once

#include <string_view>
#include <vector>

namespace pawl::fault {

#ifdef PAWL_FAULT_POINTS
void reached(std::string_view point);
#define PAWL_FAULT_POINT(name) ::pawl::fault::reached(#name)
#else
#define PAWL_FAULT_POINT(name) static_cast<void>(0)
#endif

}  // namespace pawl::fault
