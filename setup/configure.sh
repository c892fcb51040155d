#!/usr/bin/env bash
# Configures a preset, after a look at its build folder: CMake answers one of another user, or of another place,
# with a page that names no remedy.
#   setup/configure.sh PRESET WERROR
set -euo pipefail

SETUP=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=setup/say.sh
. "$SETUP/say.sh"
cd "$SETUP/.."
folder=build/$1

top=.
if [ -e build ]; then top=build; fi
closed=$(find "$top" -maxdepth 0 ! -writable)
if [ -z "$closed" ] && [ -e "$folder" ]; then
    closed=$(find "$folder" -maxdepth 1 ! -type l ! -writable -print -quit)
fi
if [ -n "$closed" ]; then
    owner=$(stat -c %U "$closed")
    other="remove $PWD/build as $owner and run make again"
    if [ "$closed" = . ]; then other='make a clone of your own'; fi
    die "$(realpath "$closed") cannot be written by user $(id -un): it belongs to $owner" "run make as $owner, or $other"
fi

made_in=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt" 2>/dev/null || true)
if [ -n "$made_in" ] && ! [ "$made_in" -ef . ]; then
    say "$folder was made in $made_in, and is made again for this place"
    rm -rf "$folder"
fi

exec cmake --preset "$1" -DPAWL_WERROR="$2" --log-level=WARNING >/dev/null
