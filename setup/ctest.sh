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

# Thousands of "Passed" lines hide the one that matters. A case that skips itself does so inside an entry that passed, so
# its program's own count is read from the log; tests/README.md says when a case skips.
"${ctest[@]}" | awk -v log_file="$folder/Testing/Temporary/LastTest.log" '
    /% tests passed, / { summary = 1 }
    summary { lines = lines $0 "\n"; next }
    /^ +Start +[0-9]+: / { next }
    /^ *[0-9]+\/[0-9]+ Test .* Passed +[0-9.]+ sec *$/ {
        if (++passed % 100 == 0) { print "  " passed " tests passed so far"; fflush() }
        next
    }
    { print; fflush() }
    END {
        while ((getline line < log_file) > 0) if (line ~ /SKIPPED . [0-9]+ test/) { split(line, word, " "); skipped += word[4] }
        printf "  %d cases skipped themselves\n\n%s", skipped, lines
    }'
