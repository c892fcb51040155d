// Seals every segment of a database but the newest, as a server's upkeep would: for bench/fill.
// One thread, one session.
#include <cstdio>

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "db/session.hpp"
#include "intents/segments/sealing.hpp"

int main(int argc, char** argv) {
    using namespace pawl;
    if (argc != 2) {
        std::fputs("usage: pawl_seal URL\n", stderr);
        return 2;
    }
    log::start(log::Level::info, log::Format::text);
    db::SessionOptions options;
    options.url = argv[1];
    options.name = "seal";
    options.finds_by_key = true;
    options.statement_timeout = std::chrono::seconds(60);
    constexpr std::int64_t opens_none = INT64_MAX;
    try {
        db::Session session(options);
        Metrics metrics;
        intents::SegmentFilters filters;
        intents::Sealing sealing(opens_none, filters, metrics);
        while (sealing.step(session)) {
        }
    } catch (const db::Failure& failure) {
        std::fprintf(stderr, "pawl_seal: %s\n", failure.what());
        return 3;
    }
    return 0;
}
