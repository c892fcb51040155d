#!/usr/bin/env bash
# Runs the test suite on another Debian release, in a root of its own on this machine (needs root and mounts):
#   setup/test-on.sh RELEASE               the whole suite, as `make test` runs it there
#   setup/test-on.sh RELEASE unit          the unit tests only, compiled as the program is released
#   setup/test-on.sh RELEASE clang         the whole tree, tests included, compiled with that release's newest clang
#
# The root, its libraries and its compiler cache are kept in $PAWL_CONTAINER_DIR (default /var/tmp/pawl-container).
# shellcheck disable=SC2317  # functions are called through step
set -euo pipefail

SETUP=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=setup/say.sh
. "$SETUP/say.sh"
# shellcheck source=setup/apt.sh
. "$SETUP/apt.sh"
# shellcheck source=setup/debian-root.sh
. "$SETUP/debian-root.sh"

release=${1:-} what=${2:-all}
JOBS=${PAWL_JOBS:-$(nproc)}
ROOT=$ROOTS/root-$release
LOG=$ROOTS/log

usage() {
    awk 'NR > 1 && !/^#/ { exit } NR > 1 && !/shellcheck/ { sub(/^# ?/, ""); print }' "${BASH_SOURCE[0]}"
    exit "$1"
}

unpack_root() {
    local tar
    tar=$(root_tar "$release")
    [ -e "$tar" ] || make_root_tar "$release" "$tar"
    rm -rf "$ROOT.part"
    mkdir -p "$ROOT.part"
    tar -x -f "$tar" -C "$ROOT.part" --numeric-owner
    mv "$ROOT.part" "$ROOT"
}

# The files as they are now, committed or not; what was built there before stays.
copy_tree() {
    mkdir -p "$ROOT/src"
    find "$ROOT/src" -mindepth 1 -maxdepth 1 ! -name build ! -name node_modules -exec rm -rf {} +
    git -C "$SETUP/.." ls-files --cached --others --exclude-standard -z |
        (cd "$SETUP/.." && while IFS= read -r -d '' file; do [ -e "$file" ] && printf '%s\0' "$file"; done) |
        tar -C "$SETUP/.." --null --files-from - -c | tar -C "$ROOT/src" -x --no-same-owner
}

# inside COMMAND: in the root, with namespaces of its own, so that mounts and processes end with it. The compiler cache is
# the image's: the same compiler with the same flags compiles once.
inside() {
    mkdir -p "$ROOTS/ccache" "$ROOT/root/.cache/ccache"
    # shellcheck disable=SC2016  # the inner shell expands $1, $2, $3
    unshare --mount --pid --fork --kill-child --propagation private bash -c '
        set -e
        # A mount point, so that what runs inside may unshare and make its own mounts.
        mount --bind "$1" "$1"
        mount -t proc proc "$1/proc"
        mount --rbind /sys "$1/sys"
        mount --rbind /dev "$1/dev"
        mount -t tmpfs -o mode=1777 tmpfs "$1/run"
        mount --bind "$2" "$1/root/.cache/ccache"
        cp /etc/resolv.conf /etc/hosts "$1/etc/" 2>/dev/null || true
        # Not chroot: a process in a chroot may make no user namespace, and the embedded server does.
        cd "$1"
        mkdir -p .host
        pivot_root . .host
        umount --lazy /.host
        exec /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            TERM="${TERM:-dumb}" LC_ALL=C.UTF-8 CI=true PAWL_DEPS_DIR=/opt/pawl ${PAWL_PG_BIN:+PAWL_PG_BIN="$PAWL_PG_BIN"} \
            bash -c "cd /src && $3"' inside "$ROOT" "$ROOTS/ccache" "$1"
}

install_make() { inside 'command -v make >/dev/null || { apt-get -qq update && apt-get -qq install -y --no-install-recommends make git; }'; }

# The JavaScript packages are this machine's: it knows its way to a registry, and they are the same on every release.
run_all() {
    "$SETUP/node.sh"
    rm -rf "$ROOT/src/node_modules"
    cp -a "$SETUP/../node_modules" "$ROOT/src/node_modules"
    inside "make test JOBS=$JOBS"
}

# Released code under test: fault points are compiled out, and the objects are those of the image's compile.
run_unit() {
    inside "setup/deps.sh && cmake --preset release -B build/unit -DCMAKE_RUNTIME_OUTPUT_DIRECTORY=/src/build/unit \
        -DPAWL_BUILD_TESTS=ON -DPAWL_WERROR=ON --log-level=WARNING >/dev/null &&
        cmake --build build/unit --parallel $JOBS --target unit_tests >build/unit/log || { tail -n 40 build/unit/log; exit 1; }
        setup/ctest.sh build/unit $JOBS -L unit"
}

run_clang() {
    inside "setup/deps.sh && { dpkg -s clang libclang-rt-dev >/dev/null 2>&1 || DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends clang libclang-rt-dev >/dev/null; } &&
        clang++ --version | head -n 1 &&
        CXX=clang++ cmake --preset dev -B build/clang -DCMAKE_RUNTIME_OUTPUT_DIRECTORY=/src/build/clang \
        -DPAWL_WERROR=ON --log-level=WARNING >/dev/null && cmake --build build/clang --parallel $JOBS"
}

main() {
    case $release in -h | --help) usage 0 ;; '' | -*) usage 2 >&2 ;; esac
    case $what in all | unit | clang) ;; *) usage 2 >&2 ;; esac
    [ "$(id -u)" = 0 ] || die "another release's root needs root to mount and chroot" "run: sudo make test-on RELEASE=$release"
    unshare --mount --pid --fork true 2>/dev/null ||
        die 'this machine lets root make no mount and pid namespaces' 'run it on one that does: a virtual machine, or a privileged container'
    apt_install "$LOG/packages.log" mmdebstrap
    mkdir -p "$ROOTS"
    [ -d "$ROOT" ] || step "a root of Debian $release" "$LOG/root-$release.log" unpack_root
    step "make and git, in it" "$LOG/make-$release.log" install_make
    copy_tree
    say "Debian $(cat "$ROOT/etc/debian_version"):"
    "run_$what"
    exit # here, so that bash reads no further when the file changes under it
}

main
