#include "intents/verify/accepted.hpp"

#include <fmt/core.h>

#include "access/audit.hpp"
#include "base/json.hpp"
#include "db/chain/writer.hpp"
#include "db/embedded/files.hpp"
#include "intents/verify/chain_keys.hpp"
#include "intents/verify/chain_proof.hpp"

namespace pawl::intents {
namespace {

constexpr std::string_view magic = "PCA1";
constexpr std::size_t digest_bytes = 32;
constexpr std::string_view chain_invariant = "_chain_is_unbroken";

std::string path_in(const std::string& folder) {
    return folder + "/accepted";
}

std::string digest_of(const Breach& breach) {
    return crypto::digest(crypto::Hash::sha256, breach.subject + "\n" + breach.what);
}

std::set<std::string> read(const std::string& folder, const chain::Keys& keys) {
    const std::string file = db::cluster::read_file(path_in(folder));
    const std::size_t head = magic.size() + 4;
    if (!file.starts_with(magic) || file.size() < head + digest_bytes) return {};
    const std::string_view body = std::string_view(file).substr(0, file.size() - digest_bytes);
    const crypto::HmacKey* key = keys.find(body.substr(magic.size(), 4));
    if (key == nullptr || !crypto::equal(key->sign(body), file.substr(body.size()))) return {};
    std::set<std::string> digests;
    for (std::size_t at = head; at + digest_bytes <= body.size(); at += digest_bytes) {
        digests.emplace(body.substr(at, digest_bytes));
    }
    return digests;
}

// The unknown keys under which the proof found rows, or heads.
std::set<std::string> unknown_keys_of(const Proof& proof) {
    std::set<std::string> keys;
    for (const Invariant& one : proof.invariants) {
        for (const Breach& breach : one.breaches) {
            const std::string_view subject = breach.subject;
            if (one.name.ends_with(chain_invariant) && subject.starts_with(chain_key_subject)) {
                keys.emplace(subject.substr(chain_key_subject.size()));
            }
        }
    }
    return keys;
}

Result<void> write(const std::string& folder, const chain::Keys& keys,
                   const std::set<std::string>& digests) {
    std::string out = std::string(magic) + keys.current();
    for (const std::string& digest : digests) out += digest;
    out += keys.writing().sign(out);
    return db::cluster::replace_file(path_in(folder), out);
}

}  // namespace

std::vector<Breach> take_accepted(const db::ChainWriter& chain, std::vector<Breach>& breaches) {
    if (breaches.empty()) return {};
    const auto digests = read(chain.folder(), chain.keys());
    std::vector<Breach> accepted, others;
    for (Breach& breach : breaches) {
        const bool known = digests.contains(digest_of(breach));
        (known ? accepted : others).push_back(std::move(breach));
    }
    breaches = std::move(others);
    return accepted;
}

Result<std::size_t> accept_breaks(db::Session& session, const Proof& proof,
                                  const std::string& principal, const std::string& reason,
                                  const std::set<std::string>& lost_keys) {
    const db::ChainWriter* chain = session.options().chain.get();
    if (chain == nullptr) return invalid("chain: no key is set; there is nothing to accept");
    std::set<std::string> unknown = unknown_chain_keys(session);
    unknown.merge(unknown_keys_of(proof));
    for (const std::string& key : unknown) {
        if (lost_keys.contains(key)) continue;
        return invalid(fmt::format(
            "chain key {0}: unknown, rows are chained under it; set PAWL_CHAIN_KEY=CURRENT,FORMER, "
            "or add --lost-key {0} if that key is lost and its rows are to be believed",
            key));
    }
    auto digests = read(chain->folder(), chain->keys());
    std::size_t count = 0;
    json::Writer details;
    details.begin_object().key("accepted").begin_array();
    for (const Invariant& one : proof.invariants) {
        if (!one.name.ends_with(chain_invariant)) continue;
        for (const Breach& breach : one.breaches) {
            digests.insert(digest_of(breach));
            details.string(breach.subject + ": " + breach.what);
            ++count;
        }
    }
    if (count == 0) return count;
    const access::AuditEntry entry{principal, "chain.accept", "chain", reason,
                                   details.end_array().end_object().take()};
    db::in_transaction(
        session, [&entry](db::Transaction& transaction) { access::record(transaction, entry); });
    if (auto written = write(chain->folder(), chain->keys(), digests); !written) {
        return written.error();
    }
    return count;
}

}  // namespace pawl::intents
