#!/usr/bin/env bash
# setup/archive.sh against an archive made here: which versions it takes, and which it refuses. Needs gpg, apt and no
# network. Prints each case; ends with 1 where one failed.
# shellcheck disable=SC2034,SC2317  # read by, and called from, the scripts under test
set -euo pipefail

TREE=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
ROOT=$(mktemp -d "${TMPDIR:-/tmp}/pawl-archive-test.XXXXXX")
trap 'gpgconf --homedir "$ROOT/gpg" --kill all 2>/dev/null || true; rm -rf "$ROOT"' EXIT
chmod 755 "$ROOT"
failed=0

make_key() {
    mkdir -m 700 "$ROOT/gpg"
    gpg --homedir "$ROOT/gpg" --batch --quiet --passphrase '' --quick-gen-key archive@example.invalid rsa3072 sign never
    gpg --homedir "$ROOT/gpg" --batch --quiet --export >"$ROOT/keyring.gpg"
    chmod 644 "$ROOT/keyring.gpg"
}

line() { printf ' %s %s %s\n' "$("$1" <"$2" | cut -d ' ' -f 1)" "$(stat -c %s "$2")" "${3:-$(basename "$2")}"; }

# add_version VERSION: the source package `widget`, whose content depends on the version.
add_version() {
    local pool=$ROOT/archive/pool stem=widget_${1%-*} files
    mkdir -p "$pool"
    printf 'upstream %s\n' "$1" >"$pool/$stem.orig.tar.xz"
    printf 'debian %s\n' "$1" >"$pool/widget_$1.debian.tar.xz"
    files=("$pool/$stem.orig.tar.xz" "$pool/widget_$1.debian.tar.xz")
    {
        printf 'Format: 3.0 (quilt)\nSource: widget\nVersion: %s\nChecksums-Sha256:\n' "$1"
        for file in "${files[@]}"; do line sha256sum "$file"; done
    } >"$pool/widget_$1.dsc"
    files+=("$pool/widget_$1.dsc")
    {
        printf 'Package: widget\nFormat: 3.0 (quilt)\nVersion: %s\nDirectory: pool\nFiles:\n' "$1"
        for file in "${files[@]}"; do line md5sum "$file"; done
        printf 'Checksums-Sha256:\n'
        for file in "${files[@]}"; do line sha256sum "$file"; done
        printf '\n'
    } >>"$ROOT/archive/Sources"
}

# publish EXPIRES VERSION...: an archive with these versions, whose index is valid until then.
publish() {
    local suite=$ROOT/archive/dists/sid expires=$1 version
    shift
    rm -rf "$ROOT/archive"
    mkdir -p "$suite/main/source"
    for version in "$@"; do add_version "$version"; done
    mv "$ROOT/archive/Sources" "$suite/main/source/Sources"
    {
        printf 'Origin: Debian\nSuite: unstable\nCodename: sid\nComponents: main\nArchitectures: all\n'
        printf 'Date: %s\n' "$(LC_ALL=C date -u -d '-20 days' '+%a, %d %b %Y %T UTC')"
        printf 'Valid-Until: %s\nSHA256:\n' "$(LC_ALL=C date -u -d "$expires" '+%a, %d %b %Y %T UTC')"
        line sha256sum "$suite/main/source/Sources" main/source/Sources
    } >"$suite/Release"
    gpg --homedir "$ROOT/gpg" --batch --quiet --clearsign --output "$suite/InRelease" "$suite/Release"
    rm "$suite/Release"
}

# pin_version VERSION: setup/pins with what the archive has of that version.
pin_version() {
    local pool=$ROOT/archive/pool orig debian
    orig=$(sha256sum <"$pool/widget_${1%-*}.orig.tar.xz" | cut -d ' ' -f 1)
    debian=$(sha256sum <"$pool/widget_$1.debian.tar.xz" | cut -d ' ' -f 1)
    mkdir -p "$ROOT/setup"
    printf 'widget %s 1.0 2~ %s %s\n' "$1" "$orig" "$debian" >"$ROOT/setup/pins"
}

# fetched: the version that fetch_source takes, or its first error.
fetched() (
    set +e
    rm -rf "$ROOT/work"
    # shellcheck source=/dev/null
    {
        SETUP=$ROOT/setup
        . "$TREE/setup/say.sh"
        . "$TREE/setup/apt.sh"
        . "$TREE/setup/pins.sh"
        . <(sed "s#^readonly KEYRING=.*#readonly KEYRING=$ROOT/keyring#" "$TREE/setup/archive.sh")
    }
    apt_lists_present() { true; }
    machine_mirror() { printf 'copy:%s/archive' "$ROOT"; }
    SOURCES=$ROOT/sources WORK=$ROOT/work
    (fetch_source widget) >"$ROOT/log" 2>&1
    if [ -e "$WORK/widget.version" ]; then
        cat "$WORK/widget.version" "$SOURCES/widget_$(cat "$WORK/widget.version").orig.tar" | paste -sd ' '
    else
        sed -n 's/^error: //p' "$ROOT/log" | head -n 1
    fi
    drop_private_apt
)

# expect CASE RESULT
expect() {
    local found
    found=$(fetched)
    if [ "$found" = "$2" ]; then
        printf 'ok: %s\n' "$1"
        return
    fi
    printf 'FAILED: %s\n  wanted: %s\n  found:  %s\n' "$1" "$2" "$found"
    sed 's/^/  | /' "$ROOT/log"
    failed=1
}

readonly OLD='10 days ago' # in the past, and after the index was made
readonly NEW='+5 days'
readonly NONE='the mirror has no source package widget that fits'

make_key
publish "$NEW" 1.0-1
pin_version 1.0-1
expect 'the pinned version is taken' '1.0-1 upstream 1.0-1'

printf 'other bytes\n' >"$ROOT/sources/widget_1.0-1.orig.tar"
expect 'a kept tarball with other content is fetched again' '1.0-1 upstream 1.0-1'

publish "$NEW" 1.1-1
expect 'a kept tarball with the pinned content needs no archive' '1.0-1 upstream 1.0-1'

rm -rf "$ROOT/sources"
publish "$OLD" 1.0-1
expect 'the pinned version may come from an expired index' '1.0-1 upstream 1.0-1'

rm -rf "$ROOT/sources"
publish "$NEW" 1.2-1 1.1-1 2.0-1
expect 'of other versions the next one is taken, within the bounds' '1.1-1 upstream 1.1-1'

printf 'other bytes\n' >"$ROOT/sources/widget_1.1-1.orig.tar"
expect 'a kept tarball of another version is not trusted' '1.1-1 upstream 1.1-1'

export PAWL_PINNED_ONLY=1
expect 'PAWL_PINNED_ONLY refuses another version' \
    'the mirror has no source package widget 1.0-1, and PAWL_PINNED_ONLY=1 allows no other version'
unset PAWL_PINNED_ONLY

rm -rf "$ROOT/sources"
publish "$OLD" 1.1-1
expect 'another version is not taken from an expired index' "$NONE"

publish "$NEW" 1.1-1
printf 'not signed\n' >"$ROOT/archive/dists/sid/InRelease"
expect 'nor from an index that is not signed' "$NONE"

publish "$NEW" 1.1-1
printf 'other bytes\n' >"$ROOT/archive/pool/widget_1.1.orig.tar.xz"
expect 'nor with content that the index does not name' "$NONE"

publish "$NEW" 1.0-1
sed -i 's/ [0-9a-f]\{64\}/ 0000000000000000000000000000000000000000000000000000000000000000/' "$ROOT/setup/pins"
expect 'the pinned version with other content is an error' \
    'widget_1.0.orig.tar.xz is not the file that setup/pins names'

exit "$failed"
