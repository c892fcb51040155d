# Our gateway against the real `pawl sandbox`, with nothing between them: no server, no database.
add_executable(gateway_e2e ${CMAKE_CURRENT_LIST_DIR}/gateway_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/sandbox_program.cpp ${CMAKE_CURRENT_LIST_DIR}/http_client.cpp
    ${PROJECT_SOURCE_DIR}/tests/support/free_port.cpp)
target_link_libraries(gateway_e2e PRIVATE pawl_outbound pawl_gtest pawl_test_options)
target_compile_definitions(gateway_e2e PRIVATE
    PAWL_PROGRAM="$<TARGET_FILE:pawl>" PAWL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_dependencies(gateway_e2e pawl)
add_test(NAME e2e.Gateway COMMAND gateway_e2e --gtest_brief=1)
set_tests_properties(e2e.Gateway PROPERTIES LABELS e2e TIMEOUT 180)
