// Preloaded into PostgreSQL: while the file that PAWL_TEST_FULL_DISK names is there, no other file
// may grow, as on a disk without a free block (ENOSPC). Existing blocks may be overwritten, as on a
// real one. Needs no right to mount. Functions of libc, on every thread of that process.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdlib>

namespace {

template <class Function>
Function real(const char* name) {
    return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

bool disk_is_full() {
    static const char* const sign = std::getenv("PAWL_TEST_FULL_DISK");
    return sign != nullptr && ::access(sign, F_OK) == 0;
}

// Sockets, pipes and the server's output are not files of the cluster.
bool refused(int file, off_t end) {
    if (file <= STDERR_FILENO || !disk_is_full()) return false;
    const int before = errno;
    struct stat now {};
    const bool grows = ::fstat(file, &now) == 0 && S_ISREG(now.st_mode) && end > now.st_size;
    errno = grows ? ENOSPC : before;
    return grows;
}

off_t size_of(const iovec* parts, int count) {
    off_t size = 0;
    for (int i = 0; i < count; ++i) size += static_cast<off_t>(parts[i].iov_len);
    return size;
}

using Write = ssize_t (*)(int, const void*, size_t);
using PositionedWrite = ssize_t (*)(int, const void*, size_t, off_t);
using PositionedParts = ssize_t (*)(int, const iovec*, int, off_t);
using Reserve = int (*)(int, off_t, off_t);

}  // namespace

extern "C" {

ssize_t write(int file, const void* bytes, size_t count) {
    static const auto go_on = real<Write>("write");
    const off_t at = file > STDERR_FILENO ? ::lseek(file, 0, SEEK_CUR) : -1;
    if (at >= 0 && refused(file, at + static_cast<off_t>(count))) return -1;
    return go_on(file, bytes, count);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t at) {
    static const auto go_on = real<PositionedWrite>("pwrite");
    return refused(file, at + static_cast<off_t>(count)) ? -1 : go_on(file, bytes, count, at);
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off_t at) {
    return pwrite(file, bytes, count, at);
}

ssize_t pwritev(int file, const iovec* parts, int count, off_t at) {
    static const auto go_on = real<PositionedParts>("pwritev");
    return refused(file, at + size_of(parts, count)) ? -1 : go_on(file, parts, count, at);
}

ssize_t pwritev64(int file, const iovec* parts, int count, off_t at) {
    return pwritev(file, parts, count, at);
}

int posix_fallocate(int file, off_t at, off_t count) {
    static const auto go_on = real<Reserve>("posix_fallocate");
    return refused(file, at + count) ? ENOSPC : go_on(file, at, count);
}

int posix_fallocate64(int file, off_t at, off_t count) {
    return posix_fallocate(file, at, count);
}

}  // extern "C"
