#include "db/chain/keys.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <sstream>

#include "base/crypto.hpp"
#include "base/encoding.hpp"
#include "db/embedded/files.hpp"
#include "db/embedded/home.hpp"

namespace pawl::db {
namespace {

constexpr std::size_t key_bytes = 32;

// Under a name of its own first: another process sees the whole key, or none.
Result<void> make_key(const std::string& folder, const std::string& path) {
    const std::string made = path + "." + std::to_string(::getpid());
    ::unlink(made.c_str());
    auto fd = cluster::open_no_link(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (!fd) return fd.error();
    cluster::give_to_owner_of(folder, fd->get());
    const std::string line = to_hex(crypto::random_bytes(key_bytes)) + "\n";
    const bool written =
        ::write(fd->get(), line.data(), line.size()) == static_cast<ssize_t>(line.size()) &&
        ::fsync(fd->get()) == 0;
    const int failed =
        written && (::link(made.c_str(), path.c_str()) == 0 || errno == EEXIST) ? 0 : errno;
    ::unlink(made.c_str());
    if (failed != 0) return cluster::cannot("write the chain's key", path, failed);
    return cluster::sync_directory(folder);
}

}  // namespace

Result<std::string> make_chain_folder(const std::string& data_dir) {
    auto home = cluster::make_data_dir(data_dir);
    if (!home) return home.error();
    const std::string folder = *home + "/chain";
    if (::mkdir(folder.c_str(), 0700) == 0) {
        const process::Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (fd.open()) cluster::give_to_owner_of(*home, fd.get());
    } else if (errno != EEXIST) {
        return cluster::cannot("make the folder of the chain", folder, errno);
    }
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        return cluster::cannot("write into the folder of the chain", folder, errno);
    }
    return folder;
}

Result<chain::Keys> keys_in(const std::string& folder) {
    const std::string path = folder + "/key";
    struct stat found {};
    if (::stat(path.c_str(), &found) != 0) {
        if (auto made = make_key(folder, path); !made) return made.error();
        if (::stat(path.c_str(), &found) != 0) {
            return cluster::cannot("read the chain's key", path, errno);
        }
    }
    if ((found.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return invalid("chain key " + path + ": open to others; chmod 600, and replace the key");
    }
    const process::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.open()) return cluster::cannot("read the chain's key", path, errno);
    std::istringstream lines(cluster::read_file(path));
    std::vector<std::string> secrets;
    for (std::string line; std::getline(lines, line);) {
        if (!line.empty()) secrets.push_back(line);
    }
    return chain::Keys::from(secrets);
}

}  // namespace pawl::db
