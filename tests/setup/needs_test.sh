#!/usr/bin/env bash
# Errors of setup/deps.sh where it cannot do its work: each that names the remedy, before anything
# is changed. shellcheck disable=SC2317  # called from the scripts under test
set -euo pipefail

TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
failed=0

# expect CASE WANTED FOUND
expect() {
    if [ "$2" = "$3" ]; then
        printf 'ok: %s\n' "$1"
        return
    fi
    printf 'FAILED: %s\n  wanted: %s\n  found:  %s\n' "$1" "$2" "$3"
    failed=1
}

# asked SUDO: the error for a user without rights that lacks the package `widget`; SUDO is the
# result of `sudo`, or `none`.
asked() (
    # shellcheck source=setup/say.sh
    . "$TREE/setup/say.sh"
    # shellcheck source=setup/apt.sh
    . "$TREE/setup/apt.sh"
    if [ "$1" = none ]; then PATH=/nowhere; else eval "sudo() { $1; }"; fi
    id() { if [ "$1" = -u ]; then printf '%s' 1000; else printf somebody; fi; }
    missing_packages() { printf 'widget '; }
    step() { printf 'installs\n'; }
    apt_install /dev/null widget 2>&1
)

readonly REFUSED='error: user somebody may not install packages
       have an administrator run this, and try again:
       apt-get install --no-install-recommends widget '
expect 'without sudo the packages are named' "$REFUSED" "$(asked none || true)"
expect 'the same for a user that sudo refuses' "$REFUSED" "$(asked false || true)"
expect 'with sudo they are installed' 'installing Debian packages: widget 
installs' "$(asked true || true)"

found=$(env -u HOME -u XDG_CACHE_HOME -u PAWL_DEPS_DIR "$TREE/setup/deps.sh" --prefix 2>&1 || true)
expect 'without HOME the variable is named' 'error: HOME is not set
       set it, or name a directory in PAWL_DEPS_DIR' "$found"

found=$(PAWL_DEPS_DIR=/proc/none "$TREE/setup/deps.sh" --for build 2>&1 || true)
expect 'a closed directory is named, and the variable that changes it' \
    "error: user $(id -un) cannot write to /proc/none, where libraries are built
       export PAWL_DEPS_DIR with a directory that this user may write to, and run it again" \
    "$(grep -v '^building' <<<"$found")"

exit "$failed"
