# The embedded cluster against real kills, full disks and closed directories. One test for ctest a
# suite, so that the suites can run side by side.
add_executable(pawl_embedded_e2e ${CMAKE_CURRENT_LIST_DIR}/embedded_case.cpp
    ${CMAKE_CURRENT_LIST_DIR}/embedded_test.cpp ${CMAKE_CURRENT_LIST_DIR}/embedded_kill_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/embedded_refusal_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/embedded_share_test.cpp)
target_link_libraries(pawl_embedded_e2e PRIVATE pawl_db pawl_gtest)
foreach(suite EmbeddedCluster EmbeddedClusterKilled EmbeddedClusterRefuses EmbeddedClusterShared)
    add_test(NAME e2e.${suite}
        COMMAND pawl_embedded_e2e --gtest_brief=1 --gtest_filter=${suite}.*)
    set_tests_properties(e2e.${suite} PROPERTIES LABELS e2e TIMEOUT 600 COST 60)
endforeach()
