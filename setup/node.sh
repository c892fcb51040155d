#!/usr/bin/env bash
# Installs npm where there is none, and the packages of package.json where they are not those of its lock file. The
# version of Node that the tests run on is one of them, so that it is the same everywhere; the machine's is only needed
# to fetch it.
#   setup/node.sh [FOLDER]      folder of package.json; default: the tree's own
set -euo pipefail

SETUP=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=setup/say.sh
. "$SETUP/say.sh"
# shellcheck source=setup/apt.sh
. "$SETUP/apt.sh"

cd "$SETUP/../${1:-.}"
stamp=node_modules/.pawl-lock
if ! cmp -s package-lock.json "$stamp"; then
    command -v npm >/dev/null || apt_install "${TMPDIR:-/tmp}/pawl-apt-$UID.log" npm
    say "JavaScript packages${1:+ of $1} ..."
    log=${TMPDIR:-/tmp}/pawl-npm-$UID.log
    # Run by the Node that comes with them, whatever the version of the machine's.
    npm ci --no-progress --engine-strict=false >"$log" 2>&1 || die 'npm ci failed' "$(tail -n 5 "$log")"
    cp package-lock.json "$stamp"
fi
