// The few file operations that the embedded cluster needs done durably, and the sentence for each
// way in which a disk says no. Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/process.hpp"
#include "base/result.hpp"

namespace pawl::db::cluster {

// "cannot <what> <path>: Permission denied: <what to do>"
Error cannot(const std::string& what, const std::string& path, int error_number);

// Written beside it, synced, and renamed over it: readers see the old text or the new.
Result<void> replace_file(const std::string& path, const std::string& text);
Result<void> append_file(const std::string& path, const std::string& text);
std::string read_file(const std::string& path);  // empty when there is none

// Everything written so far to the file system that `directory` is on is on the disk.
Result<void> sync_file_system(const std::string& directory);
Result<void> sync_directory(const std::string& directory);

// Opens a regular file with one name, or makes it; refuses a link. Another user who owns the data
// directory could otherwise lead root's server to a file that is not theirs.
Result<process::Fd> open_no_link(const std::string& path, int flags, unsigned mode);

// Started with sudo once, the files should still belong to whoever owns the directory.
void give_to_owner_of(const std::string& directory, int fd);

std::uint64_t free_mb(const std::string& path);  // megabytes; a lot when nobody can tell

// The last lines of a log from `offset` on, on one line.
std::string tail(const std::string& path, std::uint64_t offset);
std::string tail_of(const std::string& text);
std::uint64_t size_of(const std::string& path);

// Keeps one older part and empties the file, which PostgreSQL goes on appending to.
void cut_log(const std::string& path, std::uint64_t bytes_max);

}  // namespace pawl::db::cluster
