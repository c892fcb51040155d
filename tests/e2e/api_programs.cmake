# The merchant's API of the real program, with the sandbox as the payment provider.
file(GLOB api_cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/api_*.cpp)
add_executable(pawl_api_e2e ${api_cases}
    ${CMAKE_CURRENT_LIST_DIR}/demo_sender.cpp ${CMAKE_CURRENT_LIST_DIR}/embedded_case.cpp
    ${CMAKE_CURRENT_LIST_DIR}/http_client.cpp
    ${CMAKE_CURRENT_LIST_DIR}/openapi_document.cpp ${CMAKE_CURRENT_LIST_DIR}/sandbox_program.cpp
    ${CMAKE_CURRENT_LIST_DIR}/server.cpp)
target_link_libraries(pawl_api_e2e PRIVATE pawl_controllers pawl_test_support)
target_compile_definitions(pawl_api_e2e PRIVATE
    PAWL_PROGRAM="$<TARGET_FILE:pawl>" PAWL_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
add_dependencies(pawl_api_e2e pawl)
add_test(NAME e2e.Api COMMAND pawl_api_e2e --gtest_brief=1)
set_tests_properties(e2e.Api PROPERTIES LABELS e2e TIMEOUT 600 COST 60)
