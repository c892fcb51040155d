# shellcheck shell=bash
# What this project asks of the machine's apt: install packages that are missing, without starting services, and name
# the mirror the machine already uses. Needs say.sh.

readonly POLICY=/usr/sbin/policy-rc.d
readonly POLICY_MARK='# written by setup/apt.sh for the time of one installation'
readonly NO_CLUSTER=/etc/postgresql-common/createcluster.d/zz-setup-apt.conf

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "root is needed for: $*" "become root, or install sudo"
    fi
}

# write_as_root PATH MODE: standard input becomes the file.
write_as_root() {
    as_root mkdir -p "$(dirname "$1")"
    as_root tee "$1" >/dev/null
    as_root chmod "$2" "$1"
}

apt_quiet() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@"
}

missing_packages() {
    local package status
    status=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
    for package in "$@"; do
        grep -qxF "$package installed" <<<"$status" || printf '%s ' "$package"
    done
}

# shellcheck disable=SC2016  # apt expands $(...) itself, here and below
apt_lists_present() { [ -n "$(apt-get indextargets --format '$(FILENAME)' 'Created-By: Packages')" ]; }

# Debian starts a service as soon as its package is installed, and makes a database cluster. A
# policy that forbids both stands for as long as the installation takes, unless the administrator
# has one.
hold_services() {
    if [ ! -e "$POLICY" ]; then
        printf '#!/bin/sh\n%s\nexit 101\n' "$POLICY_MARK" | write_as_root "$POLICY" 755
    fi
    printf 'create_main_cluster = false\n' | write_as_root "$NO_CLUSTER" 644
}

release_services() {
    if grep -qsxF "$POLICY_MARK" "$POLICY"; then as_root rm -f "$POLICY"; fi
    if [ -e "$NO_CLUSTER" ]; then as_root rm -f "$NO_CLUSTER"; fi
}

# need_root PACKAGES: asks for sudo's password, where it wants one, while the user can see the question.
need_root() {
    if [ "$(id -u)" = 0 ]; then return; fi
    if command -v sudo >/dev/null && sudo -v; then return; fi
    die "user $(id -un) may not install packages" "have an administrator run this, and try again:" \
        "apt-get install --no-install-recommends $1"
}

# apt_install LOG PACKAGE...: installs missing packages, and prints them.
apt_install() {
    local log=$1 missing
    shift
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    need_root "$missing"
    say "installing Debian packages: $missing"
    # shellcheck disable=SC2086  # the list is meant to be split
    step 'apt-get install' "$log" install_holding_services $missing
}

install_holding_services() (
    set -e
    trap release_services EXIT
    trap 'exit 130' INT TERM
    hold_services
    apt_lists_present || apt_quiet update || true
    apt_quiet install -y --no-install-recommends "$@" || {
        # Lists that are older than the mirror name versions that it has dropped.
        apt_quiet update || true
        apt_quiet install -y --no-install-recommends "$@"
    }
)

debian_codename() {
    # shellcheck source=/dev/null
    (. /etc/os-release && printf '%s' "${VERSION_CODENAME:-unknown}")
}

# machine_mirror SUITE: the address from which this machine takes that suite of Debian; empty where it takes none.
machine_mirror() {
    # shellcheck disable=SC2016
    apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: $1" | sort -u | head -n 1
}
