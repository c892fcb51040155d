#!/usr/bin/env bash
# Prints the Debian packages that own the shared libraries a program names: what an image needs to run it. Asking the
# program keeps the list true when Debian renames a package, as it does with each change of an interface.
#   setup/runtime-packages.sh PROGRAM
set -euo pipefail

program=$1
named=$(objdump -p "$program" | awk '$1 == "NEEDED" { print $2 }')
resolved=$(ldd "$program")

for library in $named; do
    path=$(awk -v library="$library" '$1 == library && $2 == "=>" { print $3 }' <<<"$resolved")
    [ -n "$path" ] || continue # the dynamic linker itself
    # dpkg knows a file by the one of its two names (/lib, /usr/lib) that the package was made with.
    path=$(readlink -f "$path")
    { dpkg-query -S "$path" 2>/dev/null || dpkg-query -S "${path#/usr}"; } | cut -d : -f 1
done | sort -u
