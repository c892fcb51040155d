#include "payments/idempotency.hpp"

#include "payments/sql.hpp"

namespace pawl::payments {
namespace {

db::Params in_scope(const KeyScope& scope) {
    return db::Params().text(scope.principal).text(scope.route).text(scope.key);
}

db::Params use_of(const KeyScope& scope, const KeyUse& wanted, Time now) {
    db::Params params = in_scope(scope);
    params.bytes(wanted.fingerprint).text(wanted.subject).time(wanted.wait_until);
    params.time(now).time(wanted.expires_at);
    return params;
}

KeyUse to_use(const db::Row& row) {
    KeyUse use;
    use.fingerprint = row.bytes(0);
    use.subject = row.str(1);
    use.wait_until = row.time(2);
    use.expires_at = row.time(3);
    if (const auto status = row.maybe_number(4)) {
        use.answer = {static_cast<int>(*status), row.bytes(5), row.bytes(6)};
    }
    return use;
}

}  // namespace

std::optional<KeyUse> take_key(db::Transaction& transaction, const KeyScope& scope,
                               const KeyUse& wanted, Time now) {
    const db::Params params = use_of(scope, wanted, now);
    // Waits for whoever is writing the same key just now, until that transaction has ended.
    if (transaction.run(sql::insert_key, params).affected() == 1) return std::nullopt;
    auto taken = find_key(transaction, scope);
    if (!taken) throw db::Failure(db::FailureKind::retry, "", "the key was reaped just now");
    // Past its lifetime, and answered: as good as never used. An unfinished one is never given up.
    if (taken->answer && taken->expires_at <= now &&
        transaction.run(sql::renew_key, params).affected() == 1) {
        return std::nullopt;
    }
    return taken;
}

std::optional<KeyUse> find_key(db::Transaction& transaction, const KeyScope& scope) {
    const db::Rows rows = transaction.run(sql::find_key, in_scope(scope));
    if (rows.empty()) return std::nullopt;
    return to_use(rows[0]);
}

std::int64_t answer_subject(db::Transaction& transaction, const std::string& subject,
                            const StoredAnswer& answer, Time now) {
    db::Params params = db::Params().text(subject).number(answer.status);
    params.bytes(answer.headers).bytes(answer.body).time(now);
    return transaction.run(sql::answer_subject, params).affected();
}

StoredAnswer answer_key(db::Transaction& transaction, const KeyScope& scope,
                        const StoredAnswer& answer, Time now) {
    db::Params params = in_scope(scope);
    params.number(answer.status).bytes(answer.headers).bytes(answer.body).time(now);
    if (transaction.run(sql::answer_key, params).affected() == 1) return answer;
    const auto use = find_key(transaction, scope);
    if (!use || !use->answer) {
        throw db::Failure(db::FailureKind::retry, "", "the key was reaped just now");
    }
    return *use->answer;
}

void give_up_key(db::Transaction& transaction, const KeyScope& scope) {
    transaction.run(sql::give_up_key, in_scope(scope));
}

bool take_over_wait(db::Transaction& transaction, const KeyScope& scope, Time wait_until,
                    Time now) {
    const db::Params params = in_scope(scope).time(wait_until).time(now);
    return transaction.run(sql::take_over_wait, params).affected() == 1;
}

std::map<std::size_t, StoredAnswer> find_answers(db::Transaction& transaction,
                                                 const std::vector<KeyScope>& scopes) {
    std::vector<std::string> principals, routes, keys;
    for (const KeyScope& scope : scopes) {
        principals.push_back(scope.principal);
        routes.push_back(scope.route);
        keys.push_back(scope.key);
    }
    const auto params = db::Params().texts(principals).texts(routes).texts(keys);
    std::map<std::size_t, StoredAnswer> found;
    for (const db::Row row : transaction.run(sql::find_answers, params)) {
        found[static_cast<std::size_t>(row.number(0)) - 1] = {static_cast<int>(row.number(1)),
                                                              row.bytes(2), row.bytes(3)};
    }
    return found;
}

std::int64_t reap_keys(db::Session& session, std::int64_t keys_max, Time now) {
    const auto params = db::Params().time(now).number(keys_max);
    return db::Statement::run(session, sql::reap_keys, params).affected();
}

}  // namespace pawl::payments
