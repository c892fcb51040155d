#include "payments/idempotency.hpp"

#include "payments/sql.hpp"

namespace pawl::payments {
namespace {

// Writes a use of a key: a new one, or one in place of another whose lifetime is over.
template <class Statement>
bool write(db::Transaction& transaction, const KeyScope& scope, const KeyUse& wanted, Time now) {
    const auto written = transaction.run(Statement{.principal = scope.principal,
                                                   .route = scope.route,
                                                   .key = scope.key,
                                                   .fingerprint = wanted.fingerprint,
                                                   .subject = wanted.subject,
                                                   .wait_until = wanted.wait_until,
                                                   .now = now,
                                                   .expires_at = wanted.expires_at});
    return written.affected() == 1;
}

KeyUse to_use(const sql::FindKey::Row& row) {
    KeyUse use;
    use.fingerprint = row.fingerprint();
    use.subject = row.subject();
    use.wait_until = row.wait_until();
    use.expires_at = row.expires_at();
    if (const auto status = row.status()) {
        use.answer = {*status, row.headers().value_or(""), row.body().value_or("")};
    }
    return use;
}

}  // namespace

std::optional<KeyUse> take_key(db::Transaction& transaction, const KeyScope& scope,
                               const KeyUse& wanted, Time now) {
    // Waits for the transaction that is writing the same key, until it has ended.
    if (write<sql::InsertKey>(transaction, scope, wanted, now)) return std::nullopt;
    auto taken = find_key(transaction, scope);
    if (!taken) throw db::Failure(db::FailureKind::retry, "", "the key was reaped just now");
    // Past its lifetime, and answered: as good as never used. An unfinished one is never given up.
    if (taken->answer && taken->expires_at <= now &&
        write<sql::RenewKey>(transaction, scope, wanted, now)) {
        return std::nullopt;
    }
    return taken;
}

std::optional<KeyUse> find_key(db::Transaction& transaction, const KeyScope& scope) {
    const auto rows = transaction.run(
        sql::FindKey{.principal = scope.principal, .route = scope.route, .key = scope.key});
    if (rows.empty()) return std::nullopt;
    return to_use(rows[0]);
}

std::int64_t answer_subject(db::Transaction& transaction, const std::string& subject,
                            const StoredAnswer& answer, Time now) {
    const auto answered = transaction.run(sql::AnswerSubject{.subject = subject,
                                                             .status = answer.status,
                                                             .headers = answer.headers,
                                                             .body = answer.body,
                                                             .now = now});
    return answered.affected();
}

StoredAnswer answer_key(db::Transaction& transaction, const KeyScope& scope,
                        const StoredAnswer& answer, Time now) {
    const auto answered = transaction.run(sql::AnswerKey{.principal = scope.principal,
                                                         .route = scope.route,
                                                         .key = scope.key,
                                                         .status = answer.status,
                                                         .headers = answer.headers,
                                                         .body = answer.body,
                                                         .now = now});
    if (answered.affected() == 1) return answer;
    const auto use = find_key(transaction, scope);
    if (!use || !use->answer) {
        throw db::Failure(db::FailureKind::retry, "", "the key was reaped just now");
    }
    return *use->answer;
}

void give_up_key(db::Transaction& transaction, const KeyScope& scope) {
    transaction.run(
        sql::GiveUpKey{.principal = scope.principal, .route = scope.route, .key = scope.key});
}

bool take_over_wait(db::Transaction& transaction, const KeyScope& scope, Time wait_until,
                    Time now) {
    const auto taken = transaction.run(sql::TakeOverWait{.principal = scope.principal,
                                                         .route = scope.route,
                                                         .key = scope.key,
                                                         .wait_until = wait_until,
                                                         .now = now});
    return taken.affected() == 1;
}

std::map<std::size_t, StoredAnswer> find_answers(db::Transaction& transaction,
                                                 const std::vector<KeyScope>& scopes) {
    db::Texts principals, routes, keys;
    for (const KeyScope& scope : scopes) {
        principals.add(scope.principal);
        routes.add(scope.route);
        keys.add(scope.key);
    }
    std::map<std::size_t, StoredAnswer> found;
    for (const auto row : transaction.run(sql::FindAnswers{.principal = std::move(principals),
                          .route = std::move(routes),
                          .key = std::move(keys)})) {
        found[static_cast<std::size_t>(row.place()) - 1] = {row.status().value(), row.headers(),
                                                            row.body().value_or("")};
    }
    return found;
}

std::int64_t reap_keys(db::Session& session, std::int64_t keys_max, Time now) {
    const sql::ReapKeys reap{.before = now, .keys_max = keys_max};
    return db::Statement::run(session, reap).affected();
}

}  // namespace pawl::payments
