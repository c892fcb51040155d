// Lists of the admin API over its handlers: what an operator sees of the state, page by page.
#include "base/json.hpp"
#include "tests/integration/api_case.hpp"
#include "tests/support/events.hpp"

namespace pawl::testing {
namespace {

class AdminLists : public Api {
  protected:
    http::Reply get(const std::string& target) { return ask({"GET", target, "", {}}, "viewer"); }
    // A member of the answer as its JSON.
    static std::string raw(const http::Reply& reply, const std::string& pointer) {
        const auto document = json::Document::parse(reply.body);
        const auto value = document->root().at(json::Pointer::parse(pointer).value());
        return value ? std::string(value->raw()) : "";
    }
    http::Reply change(const std::string& target) {
        return ask({"POST", target, R"({"reason":"amounts look wrong"})", {}}, "operator");
    }
};

TEST_F(AdminLists, ProvidersShowThePauseWithItsOperatorReasonAndNumberOfEvents) {
    EXPECT_EQ(raw(get("/admin/v1/providers"), "/items/0/paused"), "false");
    EXPECT_EQ(change("/admin/v1/providers/demo/pause").status, 200);
    db::Session session = database.session();
    commit(session, {deliver({event({.id = "e1", .effect = "capture/1"})})});
    const auto paused = get("/admin/v1/providers");
    for (const auto& [name, value] : {std::pair("provider", "\"demo\""),
                                      {"configured", "true"},
                                      {"enabled", "true"},
                                      {"paused", "true"},
                                      {"paused_by", "\"olga\""},
                                      {"reason", "\"amounts look wrong\""},
                                      {"waiting", "1"}}) {
        EXPECT_EQ(raw(paused, std::string("/items/0/") + name), value) << name;
    }
    EXPECT_EQ(change("/admin/v1/providers/demo/resume").status, 200);
    EXPECT_EQ(raw(get("/admin/v1/providers"), "/items/0/paused_at"), "null");
}

TEST_F(AdminLists, ProvidersArePagedByNameAndAPausedOneWithoutAFileIsAmongThem) {
    database.run(
        "INSERT INTO provider_pauses VALUES ('a', now(), 'ana', 'test'), "
        "('z', now(), 'ana', 'test')");
    std::string names, target = "/admin/v1/providers?limit=1";
    for (int page = 0; page < 3; ++page) {
        const auto reply = get(target);
        names += member(reply, "items/0/provider") + raw(reply, "/items/0/configured") + " ";
        target = "/admin/v1/providers?limit=1&cursor=" + member(reply, "next");
    }
    EXPECT_EQ(names, "afalse demotrue zfalse ");
    EXPECT_EQ(member(get("/admin/v1/providers?limit=3"), "next"), "(null)");
    EXPECT_EQ(code(get("/admin/v1/providers?cursor=bm9uZQ")), "400 bad_cursor");
}

}  // namespace
}  // namespace pawl::testing
