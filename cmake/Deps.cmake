# The third parties, found once, for every folder to link. The libraries that setup/deps.sh builds
# come from its prefix; the others are Debian packages. All are SYSTEM: warnings in their headers
# are not reported.
#
# Targets: Drogon::Drogon  cpr::cpr  PkgConfig::PQXX  spdlog::spdlog  fmt::fmt  simdjson::simdjson
#          OpenSSL::SSL  OpenSSL::Crypto  tomlplusplus::tomlplusplus  CLI11::CLI11
# Flavour plain: JEMALLOC_LIBRARY, for programs that serve
# With PAWL_BUILD_TESTS: pawl_gtest, which is GTest::gmock, GTest::gtest_main and rapidcheck::rapidcheck
#
# PAWL_DEPS_FLAVOUR: plain, asan or tsan. Sanitizers need libraries that are instrumented as well.

set(PAWL_DEPS_FLAVOUR plain CACHE STRING "Flavour of the libraries that setup/deps.sh builds: plain, asan, tsan")

# Other pins, or another recipe, are another prefix: configure again.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${PROJECT_SOURCE_DIR}/setup/pins ${PROJECT_SOURCE_DIR}/setup/libraries.sh)

execute_process(
    COMMAND ${PROJECT_SOURCE_DIR}/setup/deps.sh --prefix --flavour ${PAWL_DEPS_FLAVOUR}
    OUTPUT_VARIABLE pawl_deps_prefix OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE pawl_deps_failed)
if(pawl_deps_failed OR NOT EXISTS ${pawl_deps_prefix}/.complete)
    if(PAWL_DEPS_FLAVOUR STREQUAL plain)
        set(remedy "make deps")
    else()
        set(remedy "setup/deps.sh --flavour ${PAWL_DEPS_FLAVOUR}")
    endif()
    message(FATAL_ERROR "The libraries Pawl links are not built yet (looked in '${pawl_deps_prefix}'): run ${remedy}")
endif()

# A prefix that changed (other pins, other compiler) must not leave what was found in the last one in the cache.
if(DEFINED CACHE{PAWL_DEPS_PREFIX} AND NOT PAWL_DEPS_PREFIX STREQUAL pawl_deps_prefix)
    foreach(found Drogon_DIR Trantor_DIR cpr_DIR PQXX_INCLUDE_DIRS __pkg_config_checked_PQXX pkgcfg_lib_PQXX_pqxx-7.10)
        unset(${found} CACHE)
    endforeach()
endif()
set(PAWL_DEPS_PREFIX ${pawl_deps_prefix} CACHE INTERNAL "Where setup/deps.sh put the libraries")
list(PREPEND CMAKE_PREFIX_PATH ${PAWL_DEPS_PREFIX})

# The versions of the libraries, for `pawl --version`; one that stands in for the pinned version is
# named as such.
set(PAWL_LIBRARIES "")
file(STRINGS ${PROJECT_SOURCE_DIR}/setup/pins pins REGEX "^[a-z]")
foreach(pin ${pins})
    string(REGEX MATCH "^([^ ]+) +([^ ]+)" ignored "${pin}")
    set(library ${CMAKE_MATCH_1})
    set(pinned ${CMAKE_MATCH_2})
    file(STRINGS ${PAWL_DEPS_PREFIX}/.have-${library} built)
    if(NOT built STREQUAL pinned)
        set(built "${built} (instead of ${pinned})")
    endif()
    list(APPEND PAWL_LIBRARIES "${library} ${built}")
endforeach()
list(JOIN PAWL_LIBRARIES ", " PAWL_LIBRARIES)
set(ENV{PKG_CONFIG_PATH} "${PAWL_DEPS_PREFIX}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(CCACHE_PROGRAM ccache)
    # A ccache that cannot write its cache (a directory closed to its user) fails instead of
    # compiling.
    execute_process(
        COMMAND sh -c "dir=$(\"$0\" --get-config cache_dir) && mkdir -p \"$dir/tmp\" && test -w \"$dir/tmp\"" ${CCACHE_PROGRAM}
        RESULT_VARIABLE ccache_unusable OUTPUT_QUIET ERROR_QUIET)
    if(CCACHE_PROGRAM AND ccache_unusable EQUAL 0)
        # Paths relative to the tree, so that a second clone (CI's, a worktree) finds what the first one compiled.
        set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
            CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
    endif()
endif()

find_package(Threads REQUIRED)
find_package(OpenSSL 3 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(simdjson REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Drogon 1.9.10 REQUIRED)
find_package(cpr REQUIRED)

# One way that suits a built libpqxx and a packaged one. libpq is named because a static libpqxx.a does not name it.
find_package(PkgConfig REQUIRED)
pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx>=7.10 libpq)

# The allocator of the program itself (docs/adr/0008). Sanitizers bring their own.
if(PAWL_DEPS_FLAVOUR STREQUAL plain)
    find_library(JEMALLOC_LIBRARY jemalloc REQUIRED)
endif()

# A hand-built libcpr.a calls OpenSSL without saying so.
target_link_libraries(cpr::cpr INTERFACE OpenSSL::SSL)

# Debian's toml++ is a header and a compiled library, which Pawl does not need: TOML_HEADER_ONLY is
# its default.
find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED)
target_include_directories(tomlplusplus::tomlplusplus SYSTEM INTERFACE ${TOMLPLUSPLUS_INCLUDE_DIR})

# Links a test with GoogleTest, its main and its mocks, and RapidCheck for properties.
if(PAWL_BUILD_TESTS)
    find_package(GTest REQUIRED)
    find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
    find_path(RAPIDCHECK_INCLUDE_DIR rapidcheck.h REQUIRED)
    add_library(rapidcheck::rapidcheck UNKNOWN IMPORTED)
    set_target_properties(rapidcheck::rapidcheck PROPERTIES IMPORTED_LOCATION ${RAPIDCHECK_LIBRARY})
    target_include_directories(rapidcheck::rapidcheck SYSTEM INTERFACE ${RAPIDCHECK_INCLUDE_DIR})
    add_library(pawl_gtest INTERFACE)
    target_link_libraries(pawl_gtest INTERFACE GTest::gmock GTest::gtest_main rapidcheck::rapidcheck)
endif()
