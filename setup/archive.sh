# shellcheck shell=bash
# Fetches Debian source packages through an apt directory of its own: the machine's sources, lists and caches stay as they
# are. apt checks the archive's signature and every file's hash; for pinned versions the pins are checked on top.
# Needs say.sh, apt.sh and pins.sh; $SOURCES is where the tarballs are kept, $WORK a directory for the time of one run.

readonly SUITES='trixie forky sid'
readonly KEYRING=/usr/share/keyrings/debian-archive-keyring

# private_apt DATES COMMAND...: DATES is `any` or `valid`, see below.
private_apt() {
    local dates=$1
    shift
    apt-get -c "$WORK/apt-$dates/apt.conf" "$@"
}

# make_private_apt DATES: `any` also accepts an index past its date, as a mirror that is frozen for
# reproducible builds has it: no harm where the content is pinned. `valid` does not: behind an old
# index an attacker could hide that a version was replaced. (Indexes of stable releases have no date
# at which they expire.) A directory below /tmp, because apt fetches as the user _apt, which cannot
# enter a directory of mode 700.
make_private_apt() {
    local root mirror suite checked=true keyring=$KEYRING.gpg
    [ -e "$WORK/apt-$1/apt.conf" ] && return
    if [ "$1" = any ]; then checked=false; fi
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
    # The hooks that other packages hang on `apt-get update` want root and the machine's own lists. A machine whose apt
    # accepts unsigned archives does so for itself, not for this.
    cat >"$root/apt.conf" <<END
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Acquire::Check-Valid-Until "$checked";
Acquire::AllowInsecureRepositories "false";
Acquire::AllowWeakRepositories "false";
APT::Get::AllowUnauthenticated "false";
Dir::Etc::sourcelist "$root/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::State::lists "$root/lists";
Dir::Cache "$root/cache";
END
    mkdir -p "$WORK"
    ln -sfn "$root" "$WORK/apt-$1"
}

drop_private_apt() {
    local dates
    for dates in any valid; do
        if [ -L "${WORK:-/nowhere}/apt-$dates" ]; then rm -rf "$(readlink "$WORK/apt-$dates")" "$WORK/apt-$dates"; fi
    done
}

update_private_apt() {
    make_private_apt "$1"
    [ -e "$WORK/apt-$1/updated" ] && return
    # A mirror need not carry every suite: what arrives decides, not the exit status.
    private_apt "$1" update || true
    touch "$WORK/apt-$1/updated"
}

# versions_in_archive DATES NAME
versions_in_archive() {
    apt-cache -c "$WORK/apt-$1/apt.conf" showsrc --only-source "$2" 2>/dev/null |
        awk -v name="$2" '/^Package:/ { mine = $2 == name } /^Version:/ && mine { print $2 }' | sort -u -V
}

# replacements NAME: what may stand in for the pinned version, newer ones from the lowest up, then older ones from the
# highest down; only from signed indexes that have not expired.
replacements() {
    local version pinned newer='' older=''
    pinned=$(pin "$1" version)
    while read -r version; do
        dpkg --compare-versions "$version" ge "$(pin "$1" floor)" || continue
        dpkg --compare-versions "$version" lt "$(pin "$1" below)" || continue
        if dpkg --compare-versions "$version" gt "$pinned"; then newer+=" $version"; fi
        if dpkg --compare-versions "$version" lt "$pinned"; then older=" $version$older"; fi
    done < <(versions_in_archive valid "$1")
    printf '%s\n' "$newer$older"
}

# matches FILE SHA256
matches() { [ -e "$1" ] && [ "$(sha256sum <"$1" | cut -d ' ' -f 1)" = "$2" ]; }

# keep_checked DATES NAME VERSION: from what apt has fetched to $SOURCES; a pinned version must have the pinned content.
keep_checked() {
    local kind file
    for kind in orig debian; do
        file=$(find "$WORK/apt-$1/fetched" -name "$2_*.$kind.tar.*")
        [ -n "$file" ] || die "the source package $2 $3 has no .$kind.tar"
        if [ "$3" = "$(pin "$2" version)" ] && ! matches "$file" "$(pin "$2" "$kind")"; then
            die "$(basename "$file") is not the file that setup/pins names" "wanted SHA-256 $(pin "$2" "$kind")" \
                "found         $(sha256sum <"$file" | cut -d ' ' -f 1)"
        fi
        # Across file systems mv copies: a half-copied file must not have the final name.
        mv "$file" "$SOURCES/part" || return
        mv "$SOURCES/part" "$SOURCES/$2_$3.$kind.tar" || return
    done
}

# Kept tarballs are used only where setup/pins says what is in them, and are compared with it each time.
have_pinned() {
    local kept
    kept=$SOURCES/$1_$(pin "$1" version)
    matches "$kept.orig.tar" "$(pin "$1" orig)" && matches "$kept.debian.tar" "$(pin "$1" debian)"
}

# download DATES NAME VERSION
download() {
    rm -rf "$WORK/apt-$1"/fetched/*
    (cd "$WORK/apt-$1/fetched" && private_apt "$1" source --download-only "$2=$3") || return
    keep_checked "$@"
}

# fetch_source NAME: leaves the tarballs in $SOURCES and the version taken in $WORK/NAME.version.
fetch_source() {
    local version pinned
    pinned=$(pin "$1" version)
    mkdir -p "$SOURCES" "$WORK"
    if have_pinned "$1" || { update_private_apt any && download any "$1" "$pinned"; }; then
        printf '%s\n' "$pinned" >"$WORK/$1.version"
        return
    fi
    if [ "${PAWL_PINNED_ONLY:-}" = 1 ]; then
        die "the mirror has no source package $1 $pinned, and PAWL_PINNED_ONLY=1 allows no other version" \
            "it has: $(versions_in_archive any "$1" | tr '\n' ' ')" "write one of them into setup/pins, or unset the variable"
    fi
    update_private_apt valid
    for version in $(replacements "$1"); do
        download valid "$1" "$version" || continue
        printf '%s\n' "$version" >"$WORK/$1.version"
        return
    done
    die "the mirror has no source package $1 that fits" "looked for $pinned, else one from $(pin "$1" floor) up to below" \
        "$(pin "$1" below), in $SUITES, in signed and unexpired indexes" \
        "those have: $(versions_in_archive valid "$1" | tr '\n' ' ')"
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
