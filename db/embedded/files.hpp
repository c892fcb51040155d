// Durable file operations of the embedded cluster, with a sentence for each kind of disk error. Any
// thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/process.hpp"
#include "base/result.hpp"

namespace pawl::db::cluster {

// "cannot <operation> <path>: Permission denied: <remedy>"
Error cannot(const std::string& what, const std::string& path, int error_number);

// Written to a temporary file, synced, and renamed: readers see the old text or the new.
Result<void> replace_file(const std::string& path, const std::string& text);
Result<void> append_file(const std::string& path, const std::string& text);
std::string read_file(const std::string& path);  // empty when there is none

// Syncs the file system that `directory` is on.
Result<void> sync_file_system(const std::string& directory);
Result<void> sync_directory(const std::string& directory);

// Opens a regular file with one name, or makes it; refuses a link. Another user that owns the data
// directory could otherwise lead root's server to a file of a third.
Result<process::Fd> open_no_link(const std::string& path, int flags, unsigned mode);

// Gives the files of a start with sudo to the owner of the directory.
void give_to_owner_of(const std::string& directory, int fd);

std::uint64_t free_mb(const std::string& path);  // megabytes; a large number if it is unknown

// The last lines of a log from `offset` on, on one line.
std::string tail(const std::string& path, std::uint64_t offset);
std::string tail_of(const std::string& text);
std::uint64_t size_of(const std::string& path);

// Keeps one older part and empties the file, to which PostgreSQL keeps appending.
void cut_log(const std::string& path, std::uint64_t bytes_max);

}  // namespace pawl::db::cluster
