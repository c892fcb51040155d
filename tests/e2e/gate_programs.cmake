# The gate and the edge alone, over real sockets: gate_test starts gate_server.
add_executable(gate_server gate_server.cpp)
target_link_libraries(gate_server PRIVATE pawl_controllers)
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/gate_test.cpp)
    file(GLOB gate_cases CONFIGURE_DEPENDS gate_*_test.cpp gate_test.cpp gate_client.cpp)
    add_executable(gate_e2e ${gate_cases})
    target_link_libraries(gate_e2e PRIVATE pawl_base pawl_gtest)
    target_compile_definitions(gate_e2e PRIVATE GATE_SERVER="$<TARGET_FILE:gate_server>")
    add_dependencies(gate_e2e gate_server)
    gtest_discover_tests(gate_e2e TEST_PREFIX "gate." DISCOVERY_TIMEOUT 60
        PROPERTIES LABELS e2e TIMEOUT 180)
endif()
