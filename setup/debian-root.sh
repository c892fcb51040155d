# shellcheck shell=bash
# Other Debian releases on this machine: a minimal root by mmdebstrap, from the mirror that this machine's apt uses. The
# image is built on one, and setup/test-on.sh runs the tests in one. Needs say.sh and apt.sh.

# Roots, image layers and compiler caches, kept for the next run.
# shellcheck disable=SC2034  # used by the scripts that source this file
ROOTS=${PAWL_CONTAINER_DIR:-/var/tmp/pawl-container}

# The machine's way to its mirror (a proxy, a frozen snapshot) holds inside the other release as
# well.
mirror_settings() {
    apt-config dump | grep -E '^Acquire::(https?::Proxy|Check-Valid-Until|Check-Date) ' | sed 's/^/--aptopt=/' || true
}

# release_sources SUITE: its apt sources.
release_sources() {
    local main security codename
    codename=$(debian_codename)
    apt_lists_present || apt_quiet update || true
    main=$(machine_mirror "$codename")
    security=$(machine_mirror "$codename-security")
    [ -n "$main" ] || die "apt names no mirror for Debian $codename"
    printf 'deb %s %s main\n' "$main" "$1" "$main" "$1-updates"
    if [ -n "$security" ]; then printf 'deb %s %s main\n' "$security" "$1-security"; fi
}

# make_root_tar SUITE TARBALL
make_root_tar() {
    local hold machine settings
    mkdir -p "$(dirname "$2")"
    release_sources "$1" >"$2.sources"
    mapfile -t settings < <(mirror_settings)
    # shellcheck disable=SC2016  # mmdebstrap's own shell expands $1
    hold='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d"; chmod 755 "$1/usr/sbin/policy-rc.d"'
    # shellcheck disable=SC2016
    machine='rm -f "$1/etc/resolv.conf" "$1/etc/hostname"'
    # The paths that Debian's slim images leave out, too.
    mmdebstrap --quiet --format=tar --variant=minbase --mode=root --aptopt='Acquire::Languages "none"' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/info/*' --customize-hook="$hold" \
        --customize-hook="$machine" "${settings[@]}" "$1" "$2.part" - <"$2.sources"
    mv "$2.part" "$2"
    rm -f "$2.sources"
}

# One tarball a release serves the image and the tests.
root_tar() { printf '%s/base-%s.tar' "$ROOTS" "$1"; }
