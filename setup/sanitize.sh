#!/usr/bin/env bash
# Unit tests and stops of the server with sanitizers in everything, the libraries included: addresses and undefined
# behaviour (asan), and threads (tsan). These tests stop every part that shares memory between threads.
#   setup/sanitize.sh JOBS WERROR [asan|tsan]
set -euo pipefail

jobs=$1 werror=$2
SETUP=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$SETUP/.."
failed=0

# The first report of a program is its end, and fails the test that started it.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_stack_use_after_return=1}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=1 second_deadlock_stack=1}
export PAWL_E2E_STOPS=${PAWL_E2E_STOPS:-6}

check() {
    local preset=$1 folder=build/$1
    setup/deps.sh --flavour "$preset"
    setup/configure.sh "$preset" "$werror"
    setup/compile.sh "$preset" "$jobs" --target unit_tests pawl_server_e2e
    ctest --test-dir "$folder" -L unit --output-on-failure -j "$jobs" || failed=1
    "$folder/pawl_server_e2e" --gtest_brief=1 --gtest_filter='ServerStop*:*/ServerStop*:*/ServerSignals*' || failed=1
}

for preset in ${3:-asan tsan}; do check "$preset"; done
exit "$failed"
