# Compile options of every target in this tree. Third-party headers come as SYSTEM and are exempt.
option(PAWL_WERROR "Warnings are errors (CI)" OFF)
option(PAWL_FAULT_POINTS "Compile the named fault points in (never in release)" OFF)
option(PAWL_BUILD_TESTS "Build the tests" ON)

add_library(pawl_options INTERFACE)
target_compile_features(pawl_options INTERFACE cxx_std_20)
target_compile_options(pawl_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
    -UNDEBUG)  # asserts stay on, in release too
if(PAWL_WERROR)
    target_compile_options(pawl_options INTERFACE -Werror)
    # g++ sees uninitialised members in moved std::variants where there are none.
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        target_compile_options(pawl_options INTERFACE -Wno-error=maybe-uninitialized)
    endif()
endif()
if(PAWL_FAULT_POINTS)
    target_compile_definitions(pawl_options INTERFACE PAWL_FAULT_POINTS=1)
endif()

# Tests write tables of designated initialisers and leave out what a case is not about.
add_library(pawl_test_options INTERFACE)
target_compile_options(pawl_test_options INTERFACE -Wno-missing-field-initializers)
