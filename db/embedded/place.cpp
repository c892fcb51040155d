#include "db/embedded/place.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <vector>

#include "db/embedded/files.hpp"

namespace pawl::db::cluster {
namespace {

namespace fs = std::filesystem;
using process::Identity;
using How = Identity::How;

std::optional<Identity> user(const char* name, How how) {
    passwd found{};
    passwd* entry = nullptr;
    char buffer[4096];
    if (getpwnam_r(name, &found, buffer, sizeof buffer, &entry) != 0 || !entry) return {};
    return Identity{how, found.pw_uid, found.pw_gid};
}

bool known(uid_t uid) {
    passwd found{};
    passwd* entry = nullptr;
    char buffer[4096];
    return getpwuid_r(uid, &found, buffer, sizeof buffer, &entry) == 0 && entry;
}

// initdb wants a user that the machine knows by name, also inside a namespace.
std::optional<Identity> namespaced(const EmbeddedOptions& options) {
    if (!options.allow_namespace) return {};
    auto postgres = user("postgres", How::mapped);
    return postgres ? postgres : user("nobody", How::mapped);
}

bool works(const std::optional<Identity>& identity, const std::string& directory) {
    return identity && identity->uid != 0 && process::can_use(*identity, directory, false);
}

void settle(Place& place, const std::string& base) {
    place.base = base;
    place.cluster = base + "/postgres";
}

std::string as_user(const Identity& identity) {
    return "user " + std::to_string(identity.uid);
}

// The cluster exists: its files' owner must run it.
Result<Place> keep(Place place, const struct stat& files, const EmbeddedOptions& options) {
    if (geteuid() != 0) {
        if (files.st_uid == geteuid()) return place;
        return refused("the cluster in " + place.cluster + " belongs to user " +
                       std::to_string(files.st_uid) + " and this is user " +
                       std::to_string(geteuid()) + ": run pawl as that user or as root");
    }
    std::optional<Identity> identity = Identity{How::drop, files.st_uid, files.st_gid};
    if (files.st_uid == 0) identity = namespaced(options);
    if (!works(identity, place.base)) {
        auto whose =
            files.st_uid == 0 ? std::string("root, in a user namespace,") : as_user(*identity);
        return refused("the server of " + place.cluster + " must run as " + whose +
                       " and cannot: let it pass into " + place.base +
                       ", or move the data directory to where it can");
    }
    place.identity = *identity;
    return place;
}

Result<Place> fall_back(Place place, const EmbeddedOptions& options) {
    auto identity = user("postgres", How::drop);
    if (!identity) identity = user("nobody", How::drop);
    auto base = options.fallback_dir + "/" + place.name;
    std::error_code failed;
    fs::create_directories(base, failed);
    if (failed) return cannot("make", base, failed.value());
    chmod(options.fallback_dir.c_str(), 0711);
    chmod(base.c_str(), 0711);
    if (!works(identity, base)) {
        return refused("PostgreSQL refuses to run as root, and no other user can enter " +
                       place.data_dir + " or " + base +
                       ": set PAWL_DATA_DIR to a directory that user postgres can enter");
    }
    settle(place, base);
    place.identity = *identity;
    place.note = "the data directory cannot be entered by " + as_user(*identity) +
                 ", which runs PostgreSQL for root: the cluster is elsewhere";
    return place;
}

Result<Place> choose_for_root(Place place, const EmbeddedOptions& options) {
    if (auto postgres = user("postgres", How::drop); works(postgres, place.data_dir)) {
        place.identity = *postgres;
        return place;
    }
    if (auto inside = namespaced(options); works(inside, place.data_dir)) {
        place.identity = *inside;
        place.note = "PostgreSQL refuses to run as root: it runs in a user namespace of its own";
        return place;
    }
    struct stat owner {};
    stat(place.data_dir.c_str(), &owner);
    for (auto identity : {std::optional(Identity{How::drop, owner.st_uid, owner.st_gid}),
                          user("nobody", How::drop)}) {
        if (!works(identity, place.data_dir)) continue;
        place.identity = *identity;
        place.note = "PostgreSQL refuses to run as root: it runs as another user";
        return place;
    }
    return fall_back(std::move(place), options);
}

std::string hash_of(const std::string& text) {
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a: a short name, not a secret
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    char digits[17];
    snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash));
    return digits;
}

// Below /tmp any user may have made a directory of that name: only Pawl's own is used.
bool made_private(const std::string& directory, const Place& place) {
    bool fresh = mkdir(directory.c_str(), 0700) == 0;
    if (fresh && geteuid() == 0) {
        if (chown(directory.c_str(), place.owner_uid(), place.owner_gid()) != 0) return false;
    }
    struct stat found {};
    if (lstat(directory.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return false;
    if (found.st_uid != place.owner_uid()) return false;
    return chmod(directory.c_str(), 0700) == 0 && process::can_use(place.identity, directory, true);
}

}  // namespace

uid_t Place::owner_uid() const {
    return identity.how == How::drop ? identity.uid : geteuid();
}
gid_t Place::owner_gid() const {
    return identity.how == How::drop ? identity.gid : getegid();
}
bool Place::created() const {
    return access((cluster + "/PG_VERSION").c_str(), F_OK) == 0;
}

Result<Place> choose_place(const std::string& data_dir, const Notes& notes,
                           const EmbeddedOptions& options) {
    Place place;
    place.data_dir = data_dir;
    place.name = "pawl-" + hash_of(data_dir);
    settle(place, data_dir);
    bool elsewhere = !notes.cluster.empty() && !place.created();
    if (elsewhere) settle(place, fs::path(notes.cluster).parent_path().string());
    struct stat files {};
    if (stat(place.cluster.c_str(), &files) == 0) return keep(std::move(place), files, options);
    if (elsewhere && place.base != data_dir) {
        return refused("the cluster of " + data_dir + " was in " + notes.cluster +
                       " and does not exist: restore it, or remove " + data_dir +
                       " to begin with an empty one");
    }
    settle(place, data_dir);
    if (geteuid() == 0) return choose_for_root(std::move(place), options);
    // A container's user may have no name.
    auto inside = known(geteuid()) ? std::nullopt : namespaced(options);
    if (works(inside, data_dir)) place.identity = *inside;
    return place;
}

Result<std::string> make_socket_dir(const Place& place) {
    auto us = std::to_string(geteuid());
    std::vector<std::string> candidates = {"/run/user/" + us + "/" + place.name};
    if (geteuid() == 0) candidates = {"/run/" + place.name};
    candidates.push_back("/tmp/" + place.name + "-" + us);
    candidates.push_back("/var/tmp/" + place.name + "-" + us);
    for (const auto& directory : candidates) {
        if (made_private(directory, place)) return directory;
    }
    return unreachable("cannot make a private directory for the database's socket, neither " +
                       candidates.front() + " nor " + candidates[1] +
                       ": remove what is there, or let user " + us + " write in /tmp");
}

}  // namespace pawl::db::cluster
