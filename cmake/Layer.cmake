# One static library a folder. `pawl_layer(ledger USES db)` compiles every .cpp directly in the
# folder (and in the sub-folders named in PARTS), what is generated from its sql/, and links what it
# may use.
# Third parties are PRIVATE: a folder above cannot reach them by accident.
include(${CMAKE_CURRENT_LIST_DIR}/Sqlgen.cmake)

function(pawl_layer name)
    cmake_parse_arguments(L "" "" "PARTS;SOURCES;USES;THIRD_PARTY" ${ARGN})
    set(sources "")
    foreach(part "." ${L_PARTS})
        file(GLOB found CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${part}/*.cpp)
        list(APPEND sources ${found})
    endforeach()
    list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
    pawl_generate_sql(${name} generated)
    list(APPEND sources ${generated} ${L_SOURCES})
    add_library(pawl_${name} STATIC ${sources})
    target_include_directories(pawl_${name} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
    foreach(used ${L_USES})
        target_link_libraries(pawl_${name} PUBLIC pawl_${used})
    endforeach()
    target_link_libraries(pawl_${name} PUBLIC pawl_options PRIVATE ${L_THIRD_PARTY})
    if(PAWL_BUILD_TESTS AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/tests)
        pawl_unit_tests(${name} ${CMAKE_CURRENT_SOURCE_DIR}/tests "${L_THIRD_PARTY}")
    endif()
endfunction()

# Builds the tests of `ctest -L unit`; the programs and the tests that need a database are not in it.
add_custom_target(unit_tests)

# The unit tests of a folder live in its tests/ and need neither network nor database.
function(pawl_unit_tests name folder third_party)
    file(GLOB cases CONFIGURE_DEPENDS ${folder}/*_test.cpp)
    if(NOT cases)
        return()
    endif()
    add_executable(${name}_unit ${cases})
    target_link_libraries(${name}_unit PRIVATE pawl_${name} pawl_gtest pawl_test_options
        ${third_party})
    # Only for the files that use it: an absolute path in a command line is a ccache miss in every other clone.
    foreach(case ${cases})
        file(STRINGS ${case} uses_source_dir REGEX PAWL_SOURCE_DIR LIMIT_COUNT 1)
        if(uses_source_dir)
            set_property(SOURCE ${case} APPEND PROPERTY COMPILE_DEFINITIONS
                PAWL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
        endif()
    endforeach()
    add_dependencies(unit_tests ${name}_unit)
    gtest_discover_tests(${name}_unit TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS unit TIMEOUT 120)
endfunction()
