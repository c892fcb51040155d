// Folder for large temporary files of tests. No state.
#pragma once

#include <filesystem>
#include <string>

namespace pawl::testing {

// In memory where there is room: a kill does the same there, and fsync is free.
inline std::string scratch_root() {
    constexpr std::uintmax_t room_min = std::uintmax_t{1} << 30;
    std::error_code failed;
    const auto room = std::filesystem::space("/dev/shm", failed).available;
    return !failed && room > room_min ? "/dev/shm" : "/tmp";
}

}  // namespace pawl::testing
