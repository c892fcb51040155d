# Compiler and linker flags that harden the shipped program; the preset `release` includes this file
# right after project(). The available flags depend on the architecture, so the preset cannot list
# them.
include(CheckCXXCompilerFlag)

add_compile_options(-fstack-protector-strong -fstack-clash-protection -fPIE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
add_compile_definitions(_GLIBCXX_ASSERTIONS)
add_link_options(-pie LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)

# Indirect jumps may only land where a jump is meant to land: one flag on x86, another on ARM.
foreach(flag -fcf-protection -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "PAWL_HAS${flag}" has)
    check_cxx_compiler_flag(${flag} ${has})
    if(${has})
        add_compile_options(${flag})
    endif()
endforeach()
