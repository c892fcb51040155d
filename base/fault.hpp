// Named places where a test may kill, pause or fail the process: PAWL_FAULT_POINT(after_commit).
// A point is named by the gap it sits in. Builds without PAWL_FAULT_POINTS have nothing here.
//
// The environment arms points: PAWL_FAULTS="after_commit_before_reply=kill@3,claim=sleep:200".
// An action is kill (SIGKILL), stop (SIGSTOP), sleep:MS or throw; @N means the N-th time only.
// A test in the same process may watch the points that its own thread reaches.
#pragma once

#include <functional>
#include <string_view>

namespace pawl::fault {

#ifdef PAWL_FAULT_POINTS
// `what` names the passage of a point: the statement.
void reached(std::string_view point, std::string_view what = {});

// Called on the thread that set it, at every point that thread reaches. It may block, which is how
// a test drives several threads step by step. An empty one ends it.
using Observer = std::function<void(std::string_view point, std::string_view what)>;
void set_observer(Observer observer);

#define PAWL_FAULT_POINT(name) ::pawl::fault::reached(#name)
#define PAWL_FAULT_POINT_OF(name, what) ::pawl::fault::reached(#name, what)
#else
#define PAWL_FAULT_POINT(name) static_cast<void>(0)
#define PAWL_FAULT_POINT_OF(name, what) static_cast<void>(0)
#endif

}  // namespace pawl::fault
