// The key of the hash chain, in a file of the data directory: made when it is first needed,
// readable by its owner only. One key a line; the first writes, each verifies.
#pragma once

#include <string>

#include "base/hash_chain.hpp"

namespace pawl::db {

// The folder of the chain below the data directory, made with mode 0700 where it is missing.
Result<std::string> make_chain_folder(const std::string& data_dir);
Result<chain::Keys> keys_in(const std::string& folder);

}  // namespace pawl::db
