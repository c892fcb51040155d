#!/usr/bin/env bash
# Compiles a preset: one moving line on a terminal, in a log every 25th step, and all that the compiler says.
#   setup/compile.sh PRESET JOBS [cmake's options]
set -euo pipefail

compile=(cmake --build --preset "$1" --parallel "$2" "${@:3}")
if [ -t 1 ]; then exec "${compile[@]}"; fi
"${compile[@]}" | awk '/^\[[0-9]+\/[0-9]+[] ]/ && ++steps % 25 { next } { print; fflush() }'
