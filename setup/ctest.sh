#!/usr/bin/env bash
# Runs the tests of a build folder: one moving line on a terminal, in a log only what failed and ctest's own summary.
#   setup/ctest.sh BUILD_FOLDER JOBS [ctest's options]
set -euo pipefail

folder=$1 jobs=$2
shift 2
# Tests run JavaScript with the Node that setup/node.sh fetched, whatever the machine has.
for node in "$PWD"/node_modules/node-linux-*/bin; do
    if [ -x "$node/node" ]; then export PATH=$node:$PATH; fi
done
ctest=(ctest --test-dir "$folder" --output-on-failure --no-tests=error -j "$jobs" "$@")

if [ -t 1 ]; then exec "${ctest[@]}" --progress; fi

# Thousands of "Passed" lines hide the one that matters.
"${ctest[@]}" | awk '
    /^ +Start +[0-9]+: / { next }
    /^ *[0-9]+\/[0-9]+ Test .* Passed +[0-9.]+ sec *$/ {
        if (++passed % 100 == 0) { print "  " passed " tests passed so far"; fflush() }
        next
    }
    { print; fflush() }'
