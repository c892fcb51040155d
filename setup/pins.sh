# shellcheck shell=bash
# Reads setup/pins. Needs $SETUP, the directory of these scripts.

# pin NAME version|floor|below|orig|debian
pin() {
    local name version floor below orig debian
    # shellcheck disable=SC2034  # read through ${!2}
    while read -r name version floor below orig debian; do
        [ "$name" = "$1" ] || continue
        printf '%s\n' "${!2}"
        return
    done <"$SETUP/pins"
    return 1
}
