#!/usr/bin/env bash
# Brings a Debian 12 or 13 machine to where Pawl builds: Debian packages, and the libraries that Debian lacks or has too
# old, built from Debian's source packages into a prefix outside the build tree.
#
#   setup/deps.sh [--flavour plain|asan|tsan] [--for build|run|test]   default: plain, test (which includes the others)
#   setup/deps.sh --prefix [--flavour F]                               only prints where the prefix is
#
# PAWL_DEPS_DIR     where prefixes, downloads and logs are kept; default ${XDG_CACHE_HOME:-~/.cache}/pawl
# PAWL_PINNED_ONLY  1: refuse every version but those in setup/pins (the image is built so)
# PAWL_JOBS         how many compilers at once; default: one a core, and one a GB of memory
# shellcheck disable=SC2317  # functions are called through step
set -euo pipefail

SETUP=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=setup/say.sh
. "$SETUP/say.sh"
# shellcheck source=setup/apt.sh
. "$SETUP/apt.sh"
# shellcheck source=setup/pins.sh
. "$SETUP/pins.sh"
# shellcheck source=setup/archive.sh
. "$SETUP/archive.sh"
# shellcheck source=setup/libraries.sh
. "$SETUP/libraries.sh"

flavour=plain
purpose='test'
only_prefix=

usage() {
    awk 'NR > 1 && !/^#/ { exit } NR > 1 && !/shellcheck/ { sub(/^# ?/, ""); print }' "${BASH_SOURCE[0]}"
    exit "$1"
}

read_arguments() {
    while [ $# -gt 0 ]; do
        case $1 in
            --prefix) only_prefix=yes ;;
            --flavour | --for)
                [ $# -ge 2 ] || usage 2 >&2
                if [ "$1" = --for ]; then purpose=$2; else flavour=$2; fi
                shift
                ;;
            -h | --help) usage 0 ;;
            *) usage 2 >&2 ;;
        esac
        shift
    done
    flavour_flags "$flavour" >/dev/null || die "no flavour '$flavour'" "there are: plain asan tsan"
    case $purpose in build | run | test) ;; *) die "--for '$purpose'" "there are: build run test" ;; esac
}

packages() {
    local groups=build
    case $purpose in run) groups='build|run' ;; test) groups='build|run|test' ;; esac
    awk -v groups="^($groups)\$" '$1 ~ groups { print $2 }' "$SETUP/packages"
}

# The name says all that makes the content: Debian release, architecture, compiler, flavour, recipe and pins.
prefix_name() {
    local release compiler recipe
    # shellcheck source=/dev/null
    release=$(. /etc/os-release && printf '%s%s' "$ID" "${VERSION_ID:-$VERSION_CODENAME}")
    compiler=$(g++ -dumpfullversion) || die "there is no g++ yet" "run: make deps"
    recipe=$(sed '/^ *#/d' "$SETUP/pins" "$SETUP/libraries.sh" | sha256sum | cut -c 1-12)
    printf '%s-%s-gcc%s-%s-%s' "$release" "$(uname -m)" "$compiler" "$flavour" "$recipe"
}

default_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
    if [ "$memory" -lt "$cores" ]; then cores=$memory; fi
    if [ "$cores" -lt 1 ]; then cores=1; fi
    printf '%s' "$cores"
}

# Files go to a stage first, and the stamp is written last: after an interruption the next run
# continues there.
add_library() {
    local name=$1 version log="$DEPS_DIR/log/$PREFIX_NAME-$1"
    [ ! -e "$PREFIX/.have-$name" ] || return 0
    step "$name: source" "$log.fetch.log" fetch_source "$name"
    version=$(cat "$WORK/$name.version")
    step "$name $version: build ($flavour)" "$log.build.log" make_library "$name" "$version"
    printf '%s\n' "$version" >"$PREFIX/.have-$name"
}

deps_dir() {
    local cache=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
    [ -n "${PAWL_DEPS_DIR:-$cache}" ] || die "HOME is not set" "set it, or name a directory in PAWL_DEPS_DIR"
    printf '%s' "${PAWL_DEPS_DIR:-$cache/pawl}"
}

# Before anything is installed: HOME may be closed to its user (CI, system users).
need_deps_dir() {
    if mkdir -p "$DEPS_DIR" 2>/dev/null && [ -w "$DEPS_DIR" ]; then return; fi
    die "user $(id -un) cannot write to $DEPS_DIR, where libraries are built" \
        "export PAWL_DEPS_DIR with a directory that this user may write to, and run it again"
}

# As cmake/Deps.cmake does for Pawl itself: a ccache that cannot write fails instead of compiling.
ccache_usable() {
    local dir
    dir=$(ccache --get-config cache_dir 2>/dev/null) && mkdir -p "$dir/tmp" 2>/dev/null && [ -w "$dir/tmp" ]
}

# Says at each run which libraries are not the pinned ones, as `pawl --version` does; or refuses them.
report_versions() {
    local name version pinned
    for name in $LIBRARIES; do
        version=$(cat "$PREFIX/.have-$name")
        pinned=$(pin "$name" version)
        [ "$version" != "$pinned" ] || continue
        if [ "${PAWL_PINNED_ONLY:-}" = 1 ]; then
            die "$PREFIX has $name $version, and PAWL_PINNED_ONLY=1 allows $pinned only" "remove that directory, and run this again"
        fi
        warn "$name $version is used instead of $pinned, which the archive no longer has: \`make test\` decides," \
            "then write it into setup/pins"
    done
}

make_library() {
    local place=$WORK/$1
    unpack_source "$1" "$2" "$place/source"
    rm -rf "$place/build" "$place/stage"
    build_library "$1" "$place/source" "$place/build" "$PREFIX" "$flavour" "$place/stage"
    mkdir -p "$PREFIX"
    cp -a "$place/stage$PREFIX/." "$PREFIX/"
    rm -rf "$place"
}

clean_up() {
    drop_private_apt
    rm -rf "$WORK"
}

add_libraries() {
    local name
    exec 9>"$DEPS_DIR/lock"
    flock -n 9 || {
        say "another setup is at work in $DEPS_DIR: waiting for it"
        flock 9
    }
    clean_up
    trap clean_up EXIT
    trap 'die "interrupted" "what is finished is kept: run it again to continue"' INT TERM
    export CCACHE_BASEDIR=$WORK
    ccache_usable || export CCACHE_DISABLE=1
    for name in $LIBRARIES; do add_library "$name"; done
    report_versions
    touch "$PREFIX/.complete"
}

main() {
    read_arguments "$@"
    DEPS_DIR=$(deps_dir)
    if [ -z "$only_prefix" ]; then
        # shellcheck disable=SC2046  # the list is meant to be split
        [ -z "$(missing_packages $(packages))" ] || need_deps_dir
        # shellcheck disable=SC2046
        apt_install "$DEPS_DIR/log/packages.log" $(packages)
    fi
    PREFIX_NAME=$(prefix_name)
    PREFIX=$DEPS_DIR/$PREFIX_NAME
    if [ -n "$only_prefix" ]; then
        printf '%s\n' "$PREFIX"
        exit
    fi
    if [ -e "$PREFIX/.complete" ]; then
        report_versions
        exit
    fi
    need_deps_dir
    SOURCES=$DEPS_DIR/sources
    WORK=$DEPS_DIR/work
    JOBS=${PAWL_JOBS:-$(default_jobs)}
    say "building libraries into $PREFIX"
    add_libraries
    exit # here, so that bash reads no further when the file changes under it
}

main "$@"
