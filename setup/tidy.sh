#!/usr/bin/env bash
# Reads the code: formatting, clang-tidy, and the tests that hold the rules of the tree.
#   setup/tidy.sh BUILD_FOLDER JOBS
set -euo pipefail

SETUP=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=setup/say.sh
. "$SETUP/say.sh"
# shellcheck source=setup/apt.sh
. "$SETUP/apt.sh"
cd "$SETUP/.."
folder=$1 jobs=$2

"$SETUP/format.sh" --check

command -v run-clang-tidy >/dev/null || apt_install "${TMPDIR:-/tmp}/pawl-apt-$UID.log" clang-tidy
# Generated headers must exist before the files that include them are read.
cmake --build "$folder" --parallel "$jobs"
# clang does not know some of gcc's flags; that is not a finding.
run-clang-tidy -quiet -p "$folder" -j "$jobs" -extra-arg=-Wno-unknown-warning-option \
    -extra-arg-before=-isystem"$PWD/tests/tidy/clang14" \
    "^$PWD/(base|db|outbound|providers|access|ledger|jobs|workflows|intents|controllers|app|sandbox)/.*\\.cpp\$"

"$SETUP/ctest.sh" "$folder" "$jobs" -L tidy
