# shellcheck shell=bash
# How each library is built. This file and setup/pins are part of the prefix's name: a change here makes a new prefix.

# shellcheck disable=SC2034  # used by deps.sh
readonly LIBRARIES='trantor drogon libpqxx cpr'

# The libraries read bytes from the network, so they get the same flags as the program. -w: their
# warnings are not for this build to mend, and newer compilers turn some of them into errors.
flavour_flags() {
    local hardening='-D_FORTIFY_SOURCE=2 -fstack-protector-strong'
    if [ "$(uname -m)" = x86_64 ]; then hardening+=' -fcf-protection'; fi
    case $1 in
        plain) printf '%s' "-w -O2 -g1 -DNDEBUG $hardening" ;;
        asan) printf '%s' '-w -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined' ;;
        tsan) printf '%s' '-w -O1 -g -fno-omit-frame-pointer -fsanitize=thread' ;;
        *) return 1 ;;
    esac
}

library_options() {
    case $1 in
        trantor) printf '%s\n' -DBUILD_C-ARES=OFF -DTRANTOR_USE_TLS=openssl -DUSE_SPDLOG=OFF ;;
        drogon)
            printf '%s\n' -DUSE_SUBMODULE=OFF -DBUILD_ORM=OFF -DBUILD_CTL=OFF -DBUILD_EXAMPLES=OFF \
                -DBUILD_BROTLI=OFF -DBUILD_YAML_CONFIG=OFF -DUSE_SPDLOG=OFF
            ;;
        libpqxx) printf '%s\n' -DSKIP_BUILD_TEST=ON -DBUILD_DOC=OFF ;;
        # PARENT_CXX_STANDARD keeps cpr from setting the standard back to 17.
        cpr) printf '%s\n' -DCPR_USE_SYSTEM_CURL=ON -DCPR_BUILD_TESTS=OFF -DPARENT_CXX_STANDARD=20 ;;
    esac
}

# One -std for the project and its libraries: libpqxx changes its exported names with it (std::source_location).
same_standard() {
    if [ "$1" = trantor ]; then sed -i 's/CXX_STANDARD 14/CXX_STANDARD 20/' "$2/CMakeLists.txt"; fi
}

# build_library NAME SOURCE BUILD PREFIX FLAVOUR STAGE: leaves the installed files below STAGE.
build_library() {
    local options launcher=()
    mapfile -t options < <(library_options "$1")
    if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
    same_standard "$1" "$2"
    # No library has modules, and a newer CMake that scans for them makes every object uncacheable for ccache.
    cmake -S "$2" -B "$3" -G Ninja -DCMAKE_CXX_COMPILER=g++ "${launcher[@]}" \
        -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS="$(flavour_flags "$5")" \
        -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_EXTENSIONS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
        -DCMAKE_CXX_SCAN_FOR_MODULES=OFF \
        -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DCMAKE_DISABLE_FIND_PACKAGE_Doxygen=ON \
        -DCMAKE_INSTALL_PREFIX="$4" -DCMAKE_INSTALL_LIBDIR=lib -DCMAKE_PREFIX_PATH="$4" "${options[@]}"
    cmake --build "$3" --parallel "$JOBS"
    DESTDIR=$6 cmake --install "$3"
}
