#include "intents/verify/chain_keys.hpp"

#include "base/encoding.hpp"
#include "base/hash_chain.hpp"
#include "db/chain/writer.hpp"
#include "intents/sql.hpp"

namespace pawl::intents {

std::set<std::string> unknown_chain_keys(db::Session& session) {
    const db::ChainWriter* chain = session.options().chain.get();
    std::set<std::string> unknown;
    for (const auto row : db::Statement::run(session, sql::NewestLinks{})) {
        const auto link = chain::Link::parse(row.chain_hash());
        if (!link || (chain != nullptr && chain->keys().find(link->key) != nullptr)) continue;
        unknown.insert(to_hex(link->key));
    }
    if (chain == nullptr) return unknown;
    for (const db::FoundHead& head : db::read_heads(chain->folder(), chain->keys())) {
        if (!head.unknown_key.empty()) unknown.insert(head.unknown_key);
    }
    return unknown;
}

}  // namespace pawl::intents
