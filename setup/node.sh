#!/usr/bin/env bash
# Installs npm where there is none. The version of Node that the tests run on is a package among their own
# (package.json), so that it is the same everywhere; the machine's is only needed to fetch it.
set -euo pipefail

SETUP=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=setup/say.sh
. "$SETUP/say.sh"
# shellcheck source=setup/apt.sh
. "$SETUP/apt.sh"

command -v npm >/dev/null || apt_install "${TMPDIR:-/tmp}/pawl-apt-$UID.log" npm
