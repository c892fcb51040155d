# shellcheck shell=bash
# Fetches Debian source packages through an apt directory of its own: the machine's sources, lists and caches stay as they
# are. apt checks the archive's signature and every file's hash; for pinned versions the pins are checked on top.
# Needs say.sh, apt.sh and pins.sh; $SOURCES is where the tarballs are kept, $WORK a directory for the time of one run.

readonly SUITES='trixie forky sid'
readonly KEYRING=/usr/share/keyrings/debian-archive-keyring

private_apt() { apt-get -c "$WORK/apt/apt.conf" "$@"; }

# A directory below /tmp, because apt fetches as the user _apt, who cannot enter a home directory of mode 700.
make_private_apt() {
    local root mirror suite keyring=$KEYRING.gpg
    [ -e "$WORK/apt/apt.conf" ] && return
    [ -e "$keyring" ] || keyring=$KEYRING.pgp
    [ -e "$keyring" ] || die "no keyring of the Debian archive" "install the package debian-archive-keyring"
    apt_lists_present || apt_quiet update || true
    mirror=$(machine_mirror "$(debian_codename)")
    [ -n "$mirror" ] || die "apt names no mirror for Debian $(debian_codename)" \
        "looked for it with: apt-get indextargets 'Origin: Debian'"
    root=$(mktemp -d "${TMPDIR:-/tmp}/pawl-apt.XXXXXX")
    chmod 755 "$root"
    mkdir -p "$root/lists/partial" "$root/cache/archives/partial" "$root/fetched"
    if [ "$(id -u)" = 0 ]; then chown _apt "$root/fetched" 2>/dev/null || true; fi
    for suite in $SUITES; do
        printf 'deb-src [signed-by=%s] %s %s main\n' "$keyring" "$mirror" "$suite"
    done >"$root/sources.list"
    # The hooks that other packages hang on `apt-get update` want root and the machine's own lists. A mirror that is frozen
    # for reproducible builds has indexes past their date: no harm here, where content is pinned and versions have floors.
    cat >"$root/apt.conf" <<END
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Acquire::Check-Valid-Until "false";
Dir::Etc::sourcelist "$root/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$root/lists";
Dir::Cache "$root/cache";
END
    mkdir -p "$WORK"
    ln -sfn "$root" "$WORK/apt"
}

drop_private_apt() {
    if [ -L "${WORK:-/nowhere}/apt" ]; then rm -rf "$(readlink "$WORK/apt")" "$WORK/apt"; fi
}

update_private_apt() {
    make_private_apt
    [ -e "$WORK/apt/updated" ] && return
    # A mirror need not carry every suite: what arrives decides, not the exit status.
    private_apt update || true
    ls "$WORK"/apt/lists/*_Sources* >/dev/null
    touch "$WORK/apt/updated"
}

versions_in_archive() {
    apt-cache -c "$WORK/apt/apt.conf" showsrc --only-source "$1" 2>/dev/null |
        awk -v name="$1" '/^Package:/ { mine = $2 == name } /^Version:/ && mine { print $2 }' | sort -u -V
}

# candidates NAME: the pinned version, then newer ones from the lowest up, then older ones from the highest down.
candidates() {
    local version pinned newer='' older=''
    pinned=$(pin "$1" version)
    while read -r version; do
        dpkg --compare-versions "$version" ge "$(pin "$1" floor)" || continue
        dpkg --compare-versions "$version" lt "$(pin "$1" below)" || continue
        if dpkg --compare-versions "$version" gt "$pinned"; then newer+=" $version"; fi
        if dpkg --compare-versions "$version" lt "$pinned"; then older=" $version$older"; fi
    done < <(versions_in_archive "$1")
    # shellcheck disable=SC2086  # lists, meant to be split
    printf '%s\n' "$pinned" $newer $older
}

# matches FILE SHA256
matches() { [ -e "$1" ] && [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$2" ]; }

# keep_checked NAME VERSION: from what apt has fetched to $SOURCES; a pinned version must have the pinned content.
keep_checked() {
    local kind file
    for kind in orig debian; do
        file=$(find "$WORK/apt/fetched" -name "$1_*.$kind.tar.*")
        [ -n "$file" ] || die "the source package $1 $2 has no .$kind.tar"
        if [ "$2" = "$(pin "$1" version)" ] && ! matches "$file" "$(pin "$1" "$kind")"; then
            die "$(basename "$file") is not the file that setup/pins names" "wanted SHA-256 $(pin "$1" "$kind")" \
                "found         $(sha256sum <"$file" | cut -d ' ' -f 1)"
        fi
        # Across file systems mv copies: a half-copied file must not have the final name.
        mv "$file" "$SOURCES/part"
        mv "$SOURCES/part" "$SOURCES/$1_$2.$kind.tar"
    done
}

have_source() {
    [ -e "$SOURCES/$1_$2.orig.tar" ] && [ -e "$SOURCES/$1_$2.debian.tar" ] || return 1
    [ "$2" = "$(pin "$1" version)" ] || return 0
    matches "$SOURCES/$1_$2.orig.tar" "$(pin "$1" orig)" && matches "$SOURCES/$1_$2.debian.tar" "$(pin "$1" debian)"
}

# fetch_source NAME: leaves the tarballs in $SOURCES and the version taken in $WORK/NAME.version.
fetch_source() {
    local version
    mkdir -p "$SOURCES" "$WORK"
    if have_source "$1" "$(pin "$1" version)"; then
        pin "$1" version >"$WORK/$1.version"
        return
    fi
    update_private_apt
    for version in $(candidates "$1"); do
        rm -rf "$WORK"/apt/fetched/*
        have_source "$1" "$version" || {
            (cd "$WORK/apt/fetched" && private_apt source --download-only "$1=$version") || continue
            keep_checked "$1" "$version"
        }
        printf '%s\n' "$version" >"$WORK/$1.version"
        return
    done
    die "the mirror has no source package $1 that fits" "looked for $(pin "$1" version), else one from" \
        "$(pin "$1" floor) up to below $(pin "$1" below), in $SUITES" \
        "it has: $(versions_in_archive "$1" | tr '\n' ' ')"
}

# unpack_source NAME VERSION DIRECTORY: upstream's release with Debian's patches.
unpack_source() {
    local patch
    rm -rf "$3"
    mkdir -p "$3"
    tar -x -f "$SOURCES/$1_$2.orig.tar" -C "$3" --strip-components=1 --no-same-owner
    tar -x -f "$SOURCES/$1_$2.debian.tar" -C "$3" --no-same-owner
    [ -e "$3/debian/patches/series" ] || return 0
    while read -r patch _; do
        case $patch in '' | '#'*) continue ;; esac
        patch -d "$3" -p1 -F0 --batch --no-backup-if-mismatch -i "$3/debian/patches/$patch"
    done <"$3/debian/patches/series"
}
