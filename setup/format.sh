#!/usr/bin/env bash
# Formats the C++ files, or with --check only says which are not formatted.
set -euo pipefail

SETUP=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=setup/say.sh
. "$SETUP/say.sh"
# shellcheck source=setup/apt.sh
. "$SETUP/apt.sh"
cd "$SETUP/.."

# Versions format differently, so one of them is the measure: Debian 12's.
readonly MEASURE=14

find_formatter() {
    command -v "clang-format-$MEASURE" && return
    command -v clang-format >/dev/null || apt_install "${TMPDIR:-/tmp}/pawl-apt-$UID.log" clang-format >&2
    command -v "clang-format-$MEASURE" || command -v clang-format
}

formatter=$(find_formatter)
version=$("$formatter" --version | sed 's/.*version \([0-9]*\).*/\1/')
mapfile -t files < <(git ls-files --cached --others --exclude-standard -- '*.cpp' '*.hpp' | while read -r file; do
    if [ -e "$file" ]; then printf '%s\n' "$file"; fi
done)
[ ${#files[@]} -gt 0 ] || exit 0

if [ "${1:-}" = --check ]; then
    if [ "$version" != "$MEASURE" ]; then
        warn "formatting is not checked: it is measured by clang-format $MEASURE, here is $version"
        exit 0
    fi
    "$formatter" --dry-run --Werror "${files[@]}"
    say "${#files[@]} files are formatted"
else
    [ "$version" = "$MEASURE" ] || warn "clang-format $version may differ from $MEASURE, which is the measure"
    "$formatter" -i "${files[@]}"
    say "formatted ${#files[@]} files"
fi
