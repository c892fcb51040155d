# The real program with wrong configurations: config_test starts pawl.
add_executable(config_e2e ${CMAKE_CURRENT_LIST_DIR}/config_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/config_examples_test.cpp)
target_link_libraries(config_e2e PRIVATE pawl_base pawl_gtest pawl_test_options)
target_compile_definitions(config_e2e PRIVATE
    PAWL_PROGRAM="$<TARGET_FILE:pawl>" PAWL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_dependencies(config_e2e pawl)
gtest_discover_tests(config_e2e TEST_PREFIX "config." DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS e2e TIMEOUT 240)
