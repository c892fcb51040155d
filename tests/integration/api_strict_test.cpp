// The API is as strict as its document: what does not fit an operation is 400 and changes nothing,
// and whatever fits it is answered as the document says. The seed of a failure repeats it;
// PAWL_STRICT_CASES says how many requests are drawn.
#include <cstdlib>

#include "tests/integration/api_document_case.hpp"
#include "tests/support/events.hpp"

namespace pawl::testing {
namespace {

using http::Operation;

class ApiStrict : public Api {
  protected:
    ApiStrict() {
        db::Session session = database.session();
        commit(session,
               {deliver({event({.id = "evt_1", .effect = "capture/1"}),
                         event({.id = "a/b", .effect = "refund/1", .needs = {"capture/2"}}),
                         unreadable("no_rule", "x")})});
        put_order("o1");
        payment_ = member(pay("o1", "k1"), "payment_id");
        const auto refund = ask({"POST",
                                 "/v1/payments/" + payment_ + "/refunds",
                                 R"({"amount":1})",
                                 {{"Idempotency-Key", "r1"}, {"Prefer", "wait=5"}}});
        known_ = {{"order", {"o1", "o2", "o3"}},
                  {"payment", {payment_}},
                  {"refund", {member(refund, "refund_id")}},
                  {"account", {"user:42", "demo:clearing"}},
                  {"provider", {"demo"}},
                  {"event_id", {"evt_1", "a/b"}},
                  {"id", {"1", "2", "3"}},
                  {"cursor", {"1", "2"}}};
    }

    http::Reply asked_of(const Operation& operation, const Asked& asked) {
        return ask(asked, operation.path.starts_with("/admin") ? "operator" : "shop");
    }
    // Every row of every table, so that a change of any is seen.
    std::string state() const {
        return database.value(
            "SELECT string_agg(table_name || ' ' || (xpath('/row/c/text()', query_to_xml("
            "'SELECT count(*) || '' '' || coalesce(sum(hashtext(t::text)), 0) AS c FROM pawl.' ||"
            " quote_ident(table_name) || ' t', false, true, '')))[1]::text, ';' ORDER BY "
            "table_name) FROM information_schema.tables WHERE table_schema = 'pawl' AND "
            "table_type = 'BASE TABLE' AND table_name <> 'proofs'");
    }
    static std::vector<Operation> operations() {
        std::vector<Operation> all;
        for (const Operation& one : http::shipped_document()->operations()) {
            const bool api = one.path.starts_with("/v1/") || one.path.starts_with("/admin/v1/");
            if (api) all.push_back(one);
        }
        return all;
    }

    std::map<std::string, std::vector<std::string>> known_;
    std::string payment_;
};

TEST_F(ApiStrict, RoutesAndDocumentHaveTheSameOperations) {
    std::set<std::string> routed, described;
    for (std::string name : routes().operations()) {
        if (const auto star = name.find("*}"); star != std::string::npos) name.erase(star, 1);
        EXPECT_TRUE(routed.insert(name).second) << name;
    }
    for (const Operation& one : operations()) described.insert(one.method + " " + one.path);
    EXPECT_EQ(routed, described);
    EXPECT_GE(routed.size(), 30U);
}

TEST_F(ApiStrict, InvalidRequestIs400AndChangesNothing) {
    SeededRng rng(19);
    std::size_t asked = 0;
    for (const Operation& operation : operations()) {
        const Asked whole = drawn_request(operation, {known_, true}, rng);
        const std::string before = state();
        for (const BrokenRequest& broken : broken_requests(operation, whole)) {
            const auto reply = asked_of(operation, broken.asked);
            EXPECT_EQ(reply.status, 400) << operation.id << ": " << broken.reason << ": "
                                         << broken.asked.target << " " << broken.asked.body << "\n"
                                         << reply.body;
            EXPECT_EQ(reply.content_type, "application/problem+json");
            ++asked;
        }
        EXPECT_EQ(state(), before) << operation.id;
    }
    RecordProperty("requests", static_cast<int>(asked));
    EXPECT_GT(asked, 1000U);
}

// These depend on what the document cannot state: configured gateways, ISO 4217, other pages, what
// an operator may say when.
bool may_be_refused(const http::Reply& reply) {
    static const std::set<std::string> codes = {
        "400 invalid_order", "400 bad_cursor",    "400 bad_instruction", "400 bad_assignment",
        "400 bad_body",      "400 bad_reference", "400 bad_account",     "400 nothing_to_correct"};
    return codes.contains(code(reply));
}

std::size_t drawn_cases() {
    const char* const wanted = std::getenv("PAWL_STRICT_CASES");
    return wanted != nullptr ? std::strtoul(wanted, nullptr, 10) : 2000;
}

// Every third request is broken in one way; the others fit.
TEST_F(ApiStrict, DrawnRequestsAreAnsweredAsTheDocumentSays) {
    const std::size_t cases = drawn_cases();
    const auto all = operations();
    std::map<int, std::size_t> statuses;
    for (std::size_t seed = 0; seed < cases; ++seed) {
        SeededRng rng(seed);
        const Operation& operation = all[rng.below(all.size())];
        if (operation.id == "verify" && rng.below(50) != 0) continue;  // it reads every table
        Asked asked = drawn_request(operation, {known_}, rng);
        const bool broken = rng.below(3) == 0;
        if (broken) {
            auto ways = broken_requests(operation, drawn_request(operation, {known_, true}, rng));
            asked = ways[rng.below(ways.size())].asked;
        }
        const auto reply = asked_of(operation, asked);
        ++statuses[reply.status];
        const std::string shown = "seed " + std::to_string(seed) + ": " + asked.method + " " +
                                  asked.target + " " + asked.body;
        ASSERT_LT(reply.status, 500) << shown << "\n" << reply.body;
        ASSERT_EQ(complaint(operation, reply), "") << shown;
        ASSERT_EQ(reply.status == 400, broken || may_be_refused(reply)) << shown << reply.body;
        if (operation.id == "startPayment" && reply.status < 300) {
            known_["payment"].push_back(member(reply, "payment_id"));
        }
    }
    for (const auto& [status, count] : statuses) {
        RecordProperty("status_" + std::to_string(status), static_cast<int>(count));
    }
    EXPECT_GT(statuses[200], cases / 20);
    EXPECT_GT(statuses[400], cases / 20);
}

}  // namespace
}  // namespace pawl::testing
