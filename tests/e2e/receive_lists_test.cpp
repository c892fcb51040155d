// The lists of the admin API over a real socket: every filter, pages without loss or doubles while
// new rows arrive, and invalid queries answered as the client's mistake.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/encoding.hpp"
#include "base/json.hpp"
#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/foreign_clients.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

constexpr const char* token = "pawl_test_admin_token_0123456789";
constexpr std::string_view another_secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

struct Page {
    int status = 0;
    std::string code;
    std::vector<std::string> names;  // of its items, by the member that was asked for
    std::string next;                // empty: there is none
};

Page page_of(const Response& answer, const std::string& member) {
    Page page{answer.status, answer.code(), {}, ""};
    const auto document = json::Document::parse(answer.body);
    if (!document) return page;
    const auto at = [&](const std::string& pointer) -> std::optional<std::string> {
        const auto value = document->root().at(json::Pointer::parse(pointer).value());
        return value ? value->text() : std::nullopt;
    };
    for (int i = 0;; ++i) {
        const auto name = at("/items/" + std::to_string(i) + "/" + member);
        if (!name) break;
        page.names.push_back(*name);
    }
    page.next = at("/next").value_or("");
    return page;
}

class ReceiveLists : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { shared_ = std::make_unique<Shared>(); }
    static void TearDownTestSuite() { shared_.reset(); }

    struct Shared {
        Shared() {
            server.start();
            deliver({.id = "a1", .account = "user:a"});
            deliver({.id = "a2", .payment = "pay_a1", .account = "user:a"});  // the same effect
            deliver({.id = "b1", .account = "user:b", .amount = -1});
            deliver({.id = "c1", .account = "user:c", .type = "payment.created"});
            deliver({.id = "d1", .payment = "pay_look", .account = "user:d"});
            for (int i = 1; i <= 5; ++i) {
                database.run("UPDATE webhook_intents SET received_at = '2026-01-0" +
                             std::to_string(i) + "T12:00:00Z' WHERE event_id = '" + order[i - 1] +
                             "'");
            }
        }
        void deliver(const Payment& payment) const {
            EXPECT_EQ(DemoSender(server.port()).send(payment).status, 200);
        }
        static constexpr const char* order[] = {"a1", "a2", "b1", "c1", "d1"};  // oldest first
        Folder folder;
        TestDatabase database;
        Server server{{.data_dir = folder / "data",
                       .database_url = database.url(),
                       .config = copied_config(folder),
                       .admin_token = token}};
    };
    static Response get(const std::string& path) {
        HttpClient client(shared_->server.admin_port());
        return client.request("GET", "/admin/v1/" + path,
                              {{"Authorization", std::string("Bearer ") + token}}, "");
    }
    static Page intents(const std::string& query) {
        return page_of(get("intents?" + query), "event_id");
    }
    static Page rejections(const std::string& query) {
        return page_of(get("rejections?" + query), "delivery_id");
    }
    static Page accounts(const std::string& query) {
        return page_of(get("accounts?" + query), "account");
    }
    // Every page of a list; `between` happens after each.
    static std::vector<std::string> all_pages(const std::function<Page(const std::string&)>& list,
                                              const std::string& query,
                                              const std::function<void()>& between) {
        std::vector<std::string> all;
        std::string cursor;
        do {
            const Page page = list(query + cursor);
            EXPECT_EQ(page.status, 200) << page.code;
            all.insert(all.end(), page.names.begin(), page.names.end());
            between();
            cursor = page.next.empty() ? "" : "&cursor=" + page.next;
        } while (!cursor.empty() && all.size() < 1000);
        return all;
    }
    static void forge(const std::string& id, bool unsigned_too = false) {
        const std::string body = body_of({.id = id});
        const auto headers = signed_headers(id, body, now(), another_secret);
        DemoSender sender(shared_->server.port());
        EXPECT_EQ(sender.post(unsigned_too ? providers::Headers() : headers, body).status, 401);
    }
    static std::string refused() {
        return shared_->database.value("SELECT count(*) FROM rejections");
    }
    static inline std::unique_ptr<Shared> shared_;
};

using Names = std::vector<std::string>;

TEST_F(ReceiveLists, EachFilterOfIntentsLeavesWhatItNames) {
    const std::pair<const char*, Names> cases[] = {
        {"provider=demo&status=done&outcome=applied&account=user:a&type=payment.captured", {"a1"}},
        {"provider=demo&to=2026-01-06T00:00:00Z", {"d1", "c1", "b1", "a2", "a1"}},
        {"provider=nobody", {}},
        {"status=quarantined", {"b1"}},
        {"status=parked", {}},
        {"outcome=duplicate_effect", {"a2"}},
        {"outcome=ignored", {"c1"}},
        {"type=payment.created", {"c1"}},
        {"account=user:a", {"a2", "a1"}},
        {"account=user%3Ad", {"d1"}},
        {"object=pay_look", {"d1"}},
        {"q=look", {"d1"}},
        {"q=bad_amount", {"b1"}},
        {"q=%25", {}},
        {"from=2026-01-03T12:00:00Z&to=2026-01-05T12:00:00Z", {"c1", "b1"}},
        {"from=2026-01-05T12:00:00Z&to=2026-01-06T00:00:00%2B00:00", {"d1"}},
        {"to=2026-01-01T12:00:00Z", {}},
    };
    for (const auto& [query, expected] : cases) {
        const Page page = intents(query);
        EXPECT_EQ(page.status, 200) << query << " " << page.code;
        EXPECT_EQ(page.names, expected) << query;
    }
}

TEST_F(ReceiveLists, PagesOfIntentsLoseAndDoubleNothingWhileNewOnesArrive) {
    for (int i = 0; i < 12; ++i) {
        shared_->deliver({.id = "page" + std::to_string(i), .account = "user:pages"});
    }
    // Half of them in the same microsecond: a time alone does not identify a row.
    shared_->database.run(
        "UPDATE webhook_intents SET received_at = '2026-01-01T11:00:00.000001Z' "
        "WHERE event_id ~ '^page[0-5]$'");
    Names expected;
    for (const char* id : {"page11", "page10", "page9", "page8", "page7", "page6", "page5", "page4",
                           "page3", "page2", "page1", "page0"}) {
        expected.emplace_back(id);
    }
    int arrived = 0;
    const auto arrive = [&] {
        shared_->deliver({.id = "new" + std::to_string(++arrived), .account = "user:pages"});
    };
    for (const char* size : {"1", "3", "12", "500"}) {
        const std::string query = std::string("account=user:pages&limit=") + size;
        Names all = all_pages(intents, query, arrive);
        // The events before this round are first.
        ASSERT_GE(all.size(), expected.size());
        const Names last(all.end() - static_cast<std::ptrdiff_t>(expected.size()), all.end());
        EXPECT_EQ(last, expected) << size;
        EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size()) << size;
    }
    EXPECT_GT(arrived, 16);
}

TEST_F(ReceiveLists, RejectionsAreFilteredAndPagedWhileNewOnesArrive) {
    for (int i = 0; i < 7; ++i) forge("forged" + std::to_string(i), i == 3);
    ASSERT_TRUE(eventually([] { return refused() == "7"; }));
    EXPECT_EQ(rejections("provider=demo").names.size(), 7U);
    EXPECT_EQ(rejections("provider=nobody").names.size(), 0U);
    EXPECT_EQ(rejections("diagnosis=header_missing").names.size(), 1U);
    EXPECT_EQ(rejections("diagnosis=wrong_secret&provider=demo").names.size(), 6U);
    const Names before = rejections("limit=500").names;
    shared_->database.run(
        "UPDATE rejections SET received_at = (SELECT max(received_at) FROM rejections)");
    const Names same_time = rejections("limit=500").names;
    EXPECT_TRUE(std::is_permutation(before.begin(), before.end(), same_time.begin()));
    int more = 7;
    const Names all = all_pages(rejections, "limit=2", [&] {
        forge("more" + std::to_string(more++));
        ASSERT_TRUE(eventually([&] { return refused() == std::to_string(more); }));
    });
    EXPECT_EQ(all, same_time);
}

TEST_F(ReceiveLists, AccountsArePagedWhileNewOnesArrive) {
    for (const char* account : {"list:b", "list:d", "list:f", "list:h"}) {
        shared_->deliver({.id = std::string("e") + account, .account = account});
        shared_->deliver({.id = std::string("f") + account, .account = account, .currency = "EUR"});
    }
    int more = 0;
    // One row before the cursor, and one that is still to come.
    const Names all = all_pages(accounts, "limit=3", [&] {
        const std::string n = std::to_string(++more);
        shared_->deliver({.id = "acc" + n, .account = "a:" + n});
        shared_->deliver({.id = "zcc" + n, .account = "z:" + n});
    });
    for (const char* account : {"list:b", "list:d", "list:f", "list:h"}) {
        EXPECT_EQ(std::count(all.begin(), all.end(), account), 2) << account;
    }
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_EQ(std::count(all.begin(), all.end(), "demo:clearing"), 0);
}

std::string cursor_of(const std::string& parts) {
    return to_base64url(parts);
}

TEST_F(ReceiveLists, ACursorThatIsNoneOfTheListsIsTheCallersMistake) {
    const std::string of_accounts = accounts("limit=1").next;
    const std::string of_intents = intents("limit=1").next;
    ASSERT_NE(of_accounts, "");
    ASSERT_NE(of_intents, "");
    const std::string cases[] = {"x",
                                 "%00",
                                 "%ff",
                                 "bm90IG91cnM",
                                 of_accounts + "x",
                                 cursor_of("yesterday\x1f"
                                           "demo\x1f"
                                           "a1\x1f"),
                                 cursor_of("yesterday\x1f"
                                           "1\x1f"),
                                 cursor_of("2026-01-01T00:00:00Z\x1f"
                                           "one\x1f"),
                                 cursor_of("2026-01-01T00:00:00Z\x1f"
                                           "99999999999999999999\x1f"),
                                 cursor_of("2026-01-01T00:00:00Z\x1f\xff\x1f"
                                           "a1\x1f"),
                                 cursor_of("user:\xff\x1fUSD\x1f"),
                                 cursor_of(std::string("2026-01-01T00:00:00Z\x1f"
                                                       "a\0b\x1f"
                                                       "c\x1f",
                                                       27))};
    for (const char* list : {"intents", "rejections", "accounts"}) {
        for (const std::string& cursor : cases) {
            const auto answer = get(std::string(list) + "?cursor=" + cursor);
            if (cursor == of_accounts + "x" && answer.status == 200) continue;
            EXPECT_EQ(answer.status, 400) << list << " " << cursor << " " << answer.body;
        }
    }
    EXPECT_EQ(intents("cursor=" + of_accounts).code, "bad_cursor");
    EXPECT_EQ(rejections("cursor=" + of_accounts).code, "bad_cursor");
    EXPECT_EQ(rejections("cursor=" + of_intents).code, "bad_cursor");
    EXPECT_EQ(accounts("cursor=" + of_intents).code, "bad_cursor");
    EXPECT_EQ(get("audit?cursor=x").code(), "bad_cursor");
}

TEST_F(ReceiveLists, LimitsTimesAndTextsThatAreNoneAreTheCallersMistake) {
    for (const char* list : {"intents", "rejections", "accounts"}) {
        const std::string path = std::string(list) + "?limit=";
        for (const char* limit : {"0", "501", "-1", "1.5", "abc", "", "99999999999999999999"}) {
            EXPECT_EQ(get(path + limit).code(), "bad_limit") << path << limit;
        }
        EXPECT_EQ(get(path + "500").status, 200);
        EXPECT_EQ(get(path + "1").status, 200);
    }
    for (const char* time :
         {"from=yesterday", "to=2026-13-01T00:00:00Z", "from=", "to=1767225600"}) {
        EXPECT_EQ(get(std::string("intents?") + time).code(), "bad_time") << time;
    }
    for (const char* text : {"q=%00", "q=%ff", "account=a%00", "type=%c3", "q=%zz"}) {
        EXPECT_EQ(get(std::string("intents?") + text).status, 400) << text;
    }
    EXPECT_EQ(get("rejections?diagnosis=%ff").status, 400);
    EXPECT_EQ(get("accounts/%ff").status, 400);
    EXPECT_EQ(get("intents/demo/%ff").status, 400);
}

TEST_F(ReceiveLists, FiltersAndValuesThatDoNotExistAreTheCallersMistake) {
    for (const char* list : {"intents", "rejections", "accounts", "audit", "jobs", "workflows"}) {
        for (const char* query :
             {"?stauts=done", "?limit=1&nothing=", "?%73tauts", "?limit=1&&=x"}) {
            EXPECT_EQ(get(std::string(list) + query).code(), "unknown_parameter") << list << query;
        }
        EXPECT_EQ(get(std::string(list) + "?").status, 200) << list;
        EXPECT_EQ(get(std::string(list) + "?limit=1&").status, 200) << list;
    }
    for (const char* query :
         {"intents?status=nonsense", "intents?outcome=nonsense",
          "intents?status=done&outcome=", "jobs?state=nonsense", "workflows?status=nonsense"}) {
        EXPECT_EQ(get(query).code(), "unknown_value") << query;
    }
    EXPECT_NE(get("intents?status=nonsense").body.find("pending, done, parked, quarantined"),
              std::string::npos);
    for (const char* query : {"intents?status=parked", "intents?outcome=applied_late",
                              "jobs?state=running", "workflows?status=needs_review"}) {
        EXPECT_EQ(get(query).status, 200) << query;
    }
}

TEST_F(ReceiveLists, EveryListOfRowsWithATimeTakesAPeriod) {
    shared_->deliver({.id = "timed", .account = "t:1"});
    for (const char* list : {"intents", "rejections", "audit", "jobs", "workflows"}) {
        const std::string ended = std::string(list) + "?to=2020-01-01T00:00:00Z";
        EXPECT_NE(get(ended).body.find("\"items\":[]"), std::string::npos) << get(ended).body;
        const std::string ahead = std::string(list) + "?from=2999-01-01T00:00:00Z";
        EXPECT_NE(get(ahead).body.find("\"items\":[]"), std::string::npos) << get(ahead).body;
        EXPECT_EQ(get(std::string(list) + "?from=yesterday").code(), "bad_time") << list;
    }
    const std::string within = "&from=2020-01-01T00:00:00Z&to=2999-01-01T00:00:00Z";
    EXPECT_EQ(intents("q=timed" + within).names.size(), 1U);
}

TEST_F(ReceiveLists, AListWithoutALimitHasFiftyItems) {
    for (int i = 0; i < 60; ++i) {
        shared_->deliver({.id = "many" + std::to_string(i), .account = "m:" + std::to_string(i)});
    }
    const Page page = intents("q=many");
    EXPECT_EQ(page.names.size(), 50U);
    EXPECT_NE(page.next, "");
    const Page rest = intents("q=many&cursor=" + page.next);
    EXPECT_EQ(rest.names.size(), 10U);
    EXPECT_EQ(rest.next, "");
    EXPECT_EQ(accounts("").names.size(), 50U);
}

}  // namespace
}  // namespace pawl::testing
