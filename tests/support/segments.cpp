#include "tests/support/segments.hpp"

#include "intents/sql.hpp"

namespace pawl::testing {
namespace sql = intents::sql;

void Segments::open_next() {
    db::Statement::run(session_, sql::OpenSegment{.segment = newest()});
}

void Segments::seal_all() {
    while (sealing_.step(session_)) {
    }
}

void Segments::load() {
    while (filters.load_next(session_)) {
    }
}

void Segments::seal_with_a_lie(std::int64_t segment) {
    const intents::KeyFilter denies_all(segment, {});
    const std::string bytes = denies_all.to_bytes();
    const std::string before = known()->token;
    const std::string token = intents::token_of(before, intents::KeyFilter::checksum_of(bytes));
    db::Statement::run(session_, sql::SealSegment{.segment = segment,
                                                  .token_before = before,
                                                  .token = token,
                                                  .keys = 0,
                                                  .filter = bytes,
                                                  .doubles = db::Texts()});
    load();
}

std::int64_t Segments::newest() {
    return db::Statement::run(session_, sql::NewestSegment{}).only().segment();
}

std::int64_t Segments::sealed() {
    constexpr db::Query count{"test_sealed",
                              "SELECT count(*) FROM segments WHERE sealed_at IS NOT NULL"};
    return db::Statement::run(session_, count).number();
}

}  // namespace pawl::testing
