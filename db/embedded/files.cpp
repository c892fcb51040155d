#include "db/embedded/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <vector>

namespace pawl::db::cluster {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t tail_lines_max = 6;
constexpr std::size_t tail_bytes_max = 8192;

// Status of the nearest existing part of the path.
uid_t owner_near(fs::path path) {
    struct stat found {};
    while (stat(path.c_str(), &found) != 0 && path.has_relative_path()) path = path.parent_path();
    return found.st_uid;
}

std::string remedy_for_access(const std::string& path) {
    const uid_t owner = owner_near(path);
    const std::string us = std::to_string(geteuid());
    if (owner == geteuid()) {
        return ": let user " + us +
               " write there, or set PAWL_DATA_DIR to a directory where it may";
    }
    return ": run it as the user of the server (it is user " + std::to_string(owner) +
           "'s, and this is user " + us + "), or set PAWL_DATA_DIR to a directory of this user";
}

std::string remedy(int error_number, const std::string& path) {
    switch (error_number) {
        case EACCES:
        case EPERM:
            return remedy_for_access(path);
        case EROFS:
            return ": set PAWL_DATA_DIR to a directory on a disk that can be written";
        case ENOSPC:
        case EDQUOT:
            return ": free some space, or set PAWL_DATA_DIR to another disk";
        case ENOTDIR:
        case EEXIST:
            return ": a file is in the way; move it, or set PAWL_DATA_DIR elsewhere";
        default:
            return "";
    }
}

Result<void> write_all(const std::string& path, int flags, const std::string& text) {
    process::Fd fd(open(path.c_str(), flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    if (!fd.open()) return cannot("write", path, errno);
    give_to_owner_of(fs::path(path).parent_path().string(), fd.get());
    auto put = write(fd.get(), text.data(), text.size());
    if (put < 0) return cannot("write", path, errno);
    if (static_cast<std::size_t>(put) < text.size()) return cannot("write", path, ENOSPC);
    if (fsync(fd.get()) != 0) return cannot("sync", path, errno);
    return {};
}

}  // namespace

Error cannot(const std::string& what, const std::string& path, int error_number) {
    return unreachable("cannot " + what + " " + path + ": " + process::reason(error_number) +
                       remedy(error_number, path));
}

Result<void> replace_file(const std::string& path, const std::string& text) {
    auto fresh = path + ".new";
    auto written = write_all(fresh, O_TRUNC, text);
    if (!written) return written;
    if (rename(fresh.c_str(), path.c_str()) != 0) return cannot("replace", path, errno);
    return {};
}

Result<void> append_file(const std::string& path, const std::string& text) {
    return write_all(path, O_APPEND, text);
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Result<void> sync_file_system(const std::string& directory) {
    process::Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // One journal commit for a thousand new files, where an fsync for each takes seconds.
    if (fd.open() && syncfs(fd.get()) == 0) return {};
    return cannot("sync", directory, errno);
}

Result<void> sync_directory(const std::string& directory) {
    process::Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (fd.open() && fsync(fd.get()) == 0) return {};
    return cannot("sync", directory, errno);
}

void give_to_owner_of(const std::string& directory, int fd) {
    struct stat owner {};
    if (geteuid() != 0 || stat(directory.c_str(), &owner) != 0 || owner.st_uid == 0) return;
    [[maybe_unused]] auto ignored = fchown(fd, owner.st_uid, owner.st_gid);
}

std::uint64_t free_mb(const std::string& path) {
    struct statvfs disk {};
    if (statvfs(path.c_str(), &disk) != 0) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize >> 20;
}

std::string tail_of(const std::string& text) {
    std::istringstream lines(text);
    std::vector<std::string> kept;
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) continue;
        kept.push_back(line);
        if (kept.size() > tail_lines_max) kept.erase(kept.begin());
    }
    std::string joined;
    for (const auto& line : kept) joined += (joined.empty() ? "" : " | ") + line;
    return joined;
}

std::string tail(const std::string& path, std::uint64_t offset) {
    auto size = size_of(path);
    if (size < offset) offset = 0;  // the file was truncated
    if (size - offset > tail_bytes_max) offset = size - tail_bytes_max;
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(offset));
    std::ostringstream text;
    text << file.rdbuf();
    return tail_of(text.str());
}

std::uint64_t size_of(const std::string& path) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0 ? static_cast<std::uint64_t>(found.st_size) : 0;
}

Result<process::Fd> open_no_link(const std::string& path, int flags, unsigned mode) {
    process::Fd fd(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode));
    if (!fd.open() && errno != ELOOP) return cannot("write in the data directory", path, errno);
    struct stat found {};
    if (!fd.open() || fstat(fd.get(), &found) != 0 || !S_ISREG(found.st_mode) ||
        found.st_nlink != 1) {
        return invalid(path + " is a link or not a regular file; remove it");
    }
    return fd;
}

void cut_log(const std::string& path, std::uint64_t bytes_max) {
    if (size_of(path) <= bytes_max) return;
    std::error_code absent;
    if (fs::is_symlink(path, absent) || fs::is_symlink(path + ".1", absent)) return;
    std::error_code ignored;
    fs::copy_file(path, path + ".1", fs::copy_options::overwrite_existing, ignored);
    fs::resize_file(path, 0, ignored);
}

}  // namespace pawl::db::cluster
