# shellcheck shell=bash
# How the scripts speak: one line a step, ended by the seconds it took; errors name the remedy.

say() { printf '%s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
die() {
    printf 'error: %s\n' "$1" >&2
    shift
    for line in "$@"; do printf '       %s\n' "$line" >&2; done
    exit 1
}

# step TITLE LOG COMMAND...: runs COMMAND with its output in LOG; on failure shows where it is, and
# its end. To be called as a plain statement: within `if` or `||` bash would ignore an error inside
# COMMAND.
step() {
    local title=$1 log=$2 began=$SECONDS status
    shift 2
    mkdir -p "$(dirname "$log")"
    printf '  %s ... ' "$title"
    set +e
    (
        set -e
        "$@"
    ) >"$log" 2>&1 </dev/null
    status=$?
    set -e
    if [ "$status" = 0 ]; then
        printf '%d s\n' $((SECONDS - began))
        return
    fi
    printf 'failed after %d s\n' $((SECONDS - began))
    tail -n 25 "$log" >&2
    die "$title failed" "the whole log: $log"
}
