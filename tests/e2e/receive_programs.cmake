# The real program over real sockets, its database included: answers, crashes, and database faults.
# One test for ctest a group of suites: they start servers, and two at a time are enough for two
# cores.
file(GLOB server_cases CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_LIST_DIR}/receive_*.cpp ${CMAKE_CURRENT_LIST_DIR}/crash_*.cpp
    ${CMAKE_CURRENT_LIST_DIR}/faults_*.cpp ${CMAKE_CURRENT_LIST_DIR}/notify_*.cpp
    ${CMAKE_CURRENT_LIST_DIR}/pay_*.cpp ${CMAKE_CURRENT_LIST_DIR}/server*.cpp)
add_executable(pawl_server_e2e ${server_cases} ${CMAKE_CURRENT_LIST_DIR}/any_client.cpp
    ${CMAKE_CURRENT_LIST_DIR}/database_proxy.cpp ${CMAKE_CURRENT_LIST_DIR}/demo_sender.cpp
    ${CMAKE_CURRENT_LIST_DIR}/embedded_case.cpp ${CMAKE_CURRENT_LIST_DIR}/foreign_clients.cpp
    ${CMAKE_CURRENT_LIST_DIR}/http_client.cpp ${CMAKE_CURRENT_LIST_DIR}/sandbox_program.cpp
    ${CMAKE_CURRENT_LIST_DIR}/unavailable.cpp)
target_link_libraries(pawl_server_e2e PRIVATE pawl_providers pawl_test_support)
# Only for the files that use them: an absolute path in a command line is a ccache miss in every other clone.
get_target_property(all_server_cases pawl_server_e2e SOURCES)
foreach(case ${all_server_cases})
    file(STRINGS ${case} uses_a_path REGEX "PAWL_(PROGRAM|SOURCE_DIR|FULL_DISK_LIBRARY)" LIMIT_COUNT 1)
    if(uses_a_path)
        set_property(SOURCE ${case} APPEND PROPERTY COMPILE_DEFINITIONS
            PAWL_PROGRAM="$<TARGET_FILE:pawl>" PAWL_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
            PAWL_FULL_DISK_LIBRARY="$<TARGET_FILE:pawl_full_disk>")
    endif()
endforeach()
add_dependencies(pawl_server_e2e pawl)
# Preloaded into a PostgreSQL that no sanitizer has seen.
add_library(pawl_full_disk MODULE ${CMAKE_CURRENT_LIST_DIR}/full_disk_preload.cpp)
set_target_properties(pawl_full_disk PROPERTIES PREFIX "")
target_compile_options(pawl_full_disk PRIVATE -fno-sanitize=all)
target_link_options(pawl_full_disk PRIVATE -fno-sanitize=all)
target_link_libraries(pawl_full_disk PRIVATE ${CMAKE_DL_LIBS})
add_dependencies(pawl_server_e2e pawl_full_disk)
foreach(group Receive Crash Faults Notify Pay Server)
    add_test(NAME e2e.${group}
        COMMAND pawl_server_e2e --gtest_brief=1 --gtest_filter=${group}*.*:*/${group}*.*)
    set_tests_properties(e2e.${group} PROPERTIES LABELS e2e TIMEOUT 600 COST 60)
endforeach()
