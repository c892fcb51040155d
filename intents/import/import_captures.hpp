// Posts the payments of a file of captures as an operator's entries, one batch in one transaction,
// under the locks and by the decision of events: a payment whose webhook arrives at the same time
// is posted once. On the caller's session.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "db/session.hpp"
#include "intents/import/standing.hpp"

namespace pawl::intents {

// A capture and its returns take three locks, and events parked on them more: a transaction stays
// far below the locks that a server has room for, and holds up deliveries for milliseconds.
inline constexpr std::size_t import_batch_max = 200;

// A line that was not imported.
struct LeftOut {
    std::int64_t line = 0;
    std::string payment_key;
    Judgement why;
};

struct BatchImported {
    std::int64_t imported = 0;
    std::vector<LeftOut> left_out;
};

// One run of the command. The reference of each of its acts begins with its id.
struct ImportRun {
    std::string id;
    std::string principal;
    std::string reason;
    std::string file;  // its name, for the audit log
};
std::string new_import_id();

// Reads only, without a lock: the lines that an import would leave out, and the number of others.
BatchImported preview_batch(db::Session& session, std::span<const ImportedPayment> lines);

// Commits one act with its audit row, or nothing where every line is left out.
BatchImported import_batch(db::Session& session, std::span<const ImportedPayment> lines,
                           const ImportRun& run, Time now);

}  // namespace pawl::intents
