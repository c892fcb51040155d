// A text that is read when the program starts, in builds for `make mutations`: of a file named from
// the folder of the program. Never freed.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace pawl::db {

inline std::string_view text_of(const char* file) {
    const auto program = std::filesystem::read_symlink("/proc/self/exe");
    std::ifstream in(program.parent_path() / file, std::ios::binary);
    return *new std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace pawl::db
