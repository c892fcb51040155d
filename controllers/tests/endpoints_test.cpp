// Routes, endpoints, access and problems: everything a handler sees, without any HTTP.
#include <gtest/gtest.h>

#include "controllers/access.hpp"
#include "controllers/health.hpp"
#include "controllers/http/listen_address.hpp"
#include "controllers/http/problem.hpp"
#include "controllers/http/routes.hpp"
#include "controllers/metrics_page.hpp"

namespace pawl::http {
namespace {

struct Answers {
    std::vector<Reply> all;
    Counter unanswered;
    Responder responder() {
        return Responder([this](Reply reply) { all.push_back(std::move(reply)); }, unanswered);
    }
};

Request request(std::string method, std::string target, Listener listener = Listener::open) {
    Request made;
    made.method = std::move(method);
    made.target = std::move(target);
    made.listener = listener;
    return made;
}

Handler says(const std::string& text) {
    return [text](const RequestPtr& asked, const Responder& respond) {
        std::string body = text;
        for (const auto& [name, value] : asked->params) body += " " + name + "=" + value;
        respond({200, "text/plain", {}, body});
    };
}

Reply dispatched(const Routes& routes, Request asked) {
    Answers answers;
    routes.dispatch(std::move(asked), answers.responder());
    EXPECT_EQ(answers.all.size(), 1U);
    return answers.all.at(0);
}

Routes table() {
    Routes routes;
    routes.add({"POST", "/webhooks/{provider}", ServedOn::open, says("hook")});
    routes.add({"GET", "/intents/{provider}/{event}", ServedOn::admin, says("one")});
    routes.add({"GET", "/intents", ServedOn::admin, says("list")});
    routes.add({"PUT", "/intents", ServedOn::admin, says("put")});
    routes.add({"GET", "/console/{path*}", ServedOn::admin, says("file")});
    routes.add({"POST", "/throw", ServedOn::open, [](const RequestPtr&, Responder) { throw 1; }});
    return routes;
}

TEST(Routes, FindsTheHandlerAndDecodesTheParameters) {
    const Routes routes = table();
    EXPECT_EQ(dispatched(routes, request("POST", "/webhooks/demo?x=1")).body, "hook provider=demo");
    EXPECT_EQ(dispatched(routes, request("GET", "/intents/a/x%2Fy%20", Listener::admin)).body,
              "one event=x/y  provider=a");
    EXPECT_EQ(dispatched(routes, request("HEAD", "/intents", Listener::admin)).body, "list");
    EXPECT_EQ(dispatched(routes, request("GET", "/console/js/a.js", Listener::admin)).body,
              "file path=js/a.js");
    EXPECT_EQ(dispatched(routes, request("GET", "/console/", Listener::admin)).body, "file path=");
}

TEST(Routes, RefusesWhatIsNotThere) {
    const Routes routes = table();
    EXPECT_EQ(dispatched(routes, request("POST", "/webhooks/")).status, 404);
    EXPECT_EQ(dispatched(routes, request("POST", "/webhooks/a/b")).status, 404);
    EXPECT_EQ(dispatched(routes, request("POST", "//webhooks/a")).status, 404);
    EXPECT_EQ(dispatched(routes, request("OPTIONS", "*")).status, 404);
    EXPECT_EQ(dispatched(routes, request("GET", "/intents")).status, 404);  // admin's
    EXPECT_EQ(dispatched(routes, request("POST", "/webhooks/%zz")).status, 400);
    EXPECT_EQ(dispatched(routes, request("POST", "/webhooks/%00")).status, 400);
    const Reply reply = dispatched(routes, request("DELETE", "/intents", Listener::admin));
    EXPECT_EQ(reply.status, 405);
    EXPECT_EQ(reply.headers.at(0),
              (std::pair<std::string, std::string>("Allow", "GET, HEAD, PUT")));
    EXPECT_EQ(dispatched(routes, request("POST", "/throw")).status, 500);
}

TEST(Routes, APathBelongsToTheFirstPatternThatMatchesIt) {
    Routes routes;
    routes.add({"POST", "/e/{id*}/retry", ServedOn::open, says("retry")});
    routes.add({"GET", "/e/{id*}", ServedOn::open, says("get")});
    EXPECT_EQ(dispatched(routes, request("POST", "/e/a/b%2Fc/retry")).body, "retry id=a/b/c");
    EXPECT_EQ(dispatched(routes, request("GET", "/e/a/b")).body, "get id=a/b");
    EXPECT_EQ(dispatched(routes, request("GET", "/e/a%2Fretry")).body, "get id=a/retry");
    const Reply reply = dispatched(routes, request("GET", "/e/a/retry"));
    EXPECT_EQ(reply.status, 405);
    EXPECT_EQ(reply.headers.at(0), (std::pair<std::string, std::string>("Allow", "POST")));
}

TEST(Responder, AnswersExactlyOnce) {
    Answers answers;
    {
        const Responder respond = answers.responder();
        respond({200, "a", {}, ""});
        respond({201, "b", {}, ""});
    }
    ASSERT_EQ(answers.all.size(), 1U);
    EXPECT_EQ(answers.all[0].status, 200);
    EXPECT_EQ(answers.unanswered.value(), 0U);
}

TEST(Responder, Answers500WhenTheLastCopyGoesUnused) {
    Answers answers;
    auto first = std::make_unique<Responder>(answers.responder());
    auto second = std::make_unique<Responder>(*first);
    first.reset();
    EXPECT_TRUE(answers.all.empty());
    second.reset();
    ASSERT_EQ(answers.all.size(), 1U);
    EXPECT_EQ(answers.all[0].status, 500);
    EXPECT_EQ(answers.unanswered.value(), 1U);
}

TEST(Request, GivesHeadersAndQueryValues) {
    Request asked;
    asked.headers = {{"X-Sig", "a"}, {"x-sig", "b"}};
    asked.query = "a=1&b=x%26y+z&a=2&flag&bad=%z";
    EXPECT_EQ(asked.header("X-SIG"), "a");
    EXPECT_FALSE(asked.header("other"));
    EXPECT_EQ(asked.query_value("a"), "1");
    EXPECT_EQ(asked.query_value("b"), "x&y z");
    EXPECT_EQ(asked.query_value("flag"), "");
    EXPECT_FALSE(asked.query_value("bad"));
    EXPECT_FALSE(asked.query_value("c"));
    EXPECT_EQ(asked.query_pairs().size(), 5U);
    EXPECT_EQ(asked.query_pairs().at(4), Request::QueryPair("bad", std::nullopt));
}

TEST(Problem, QuotesWhateverItIsGiven) {
    const Reply hostile = problem(400, "bad", "a\"\\\n\x01\xc3\xa4\xff\xed\xa0\x80");
    EXPECT_TRUE(hostile.body.ends_with(
        "\"a\\\"\\\\\\n\\u0001\xc3\xa4\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"}"))
        << hostile.body;
    const Reply reply = unavailable("queue_full", "Later.", 2);
    EXPECT_EQ(reply.body, R"({"type":"urn:pawl:problem:queue_full","title":"Service Unavailable",)"
                          R"("status":503,"code":"queue_full","detail":"Later."})");
    EXPECT_EQ(reply.headers.at(0).second, "2");
}

Reply called(const Handler& handler, HeaderLines headers) {
    Answers answers;
    auto asked = std::make_shared<Request>();
    asked->headers = std::move(headers);
    handler(asked, answers.responder());
    EXPECT_EQ(answers.all.size(), 1U);
    return answers.all.at(0);
}

TEST(Access, DemandsATokenAndARole) {
    const Authenticate check =
        [](std::string_view token) -> Result<std::optional<access::TokenIdentity>> {
        if (token == "down") return unreachable("no database");
        if (token == "v")
            return std::optional(access::TokenIdentity{"ann", access::TokenRole::viewer});
        if (token == "o")
            return std::optional(access::TokenIdentity{"bob", access::TokenRole::operating});
        if (token == "a")
            return std::optional(access::TokenIdentity{"shop", access::TokenRole::api});
        return std::optional<access::TokenIdentity>();
    };
    const Handler who = [](const RequestPtr& asked, const Responder& respond) {
        respond({200, "text/plain", {}, asked->principal->name});
    };
    const auto status = [&](access::TokenRole role, HeaderLines headers) {
        return called(behind_token(check, role, who), std::move(headers)).status;
    };
    using Lines = HeaderLines;
    EXPECT_EQ(status(access::TokenRole::viewer, {}), 401);
    EXPECT_EQ(status(access::TokenRole::viewer, Lines{{"Authorization", "Basic v"}}), 401);
    EXPECT_EQ(status(access::TokenRole::viewer, Lines{{"Authorization", "Bearer x"}}), 401);
    EXPECT_EQ(status(access::TokenRole::viewer, Lines{{"Authorization", "Bearer down"}}), 503);
    EXPECT_EQ(status(access::TokenRole::viewer,
                     Lines{{"Authorization", "Bearer v"}, {"authorization", "Bearer o"}}),
              401)
        << "two: it is not said which counts";
    EXPECT_EQ(status(access::TokenRole::viewer, Lines{{"authorization", "bearer v"}}), 200);
    EXPECT_EQ(status(access::TokenRole::viewer, Lines{{"Authorization", "Bearer o"}}), 200);
    EXPECT_EQ(status(access::TokenRole::viewer, Lines{{"Authorization", "Bearer a"}}), 403);
    EXPECT_EQ(status(access::TokenRole::operating, Lines{{"Authorization", "Bearer v"}}), 403);
    EXPECT_EQ(status(access::TokenRole::api, Lines{{"Authorization", "Bearer o"}}), 403);
    EXPECT_EQ(called(behind_token(check, access::TokenRole::operating, who),
                     {{"Authorization", "Bearer o"}})
                  .body,
              "bob");
}

TEST(Access, NotesEveryRejectionWithItsReasonAndTheTokensPrincipal) {
    const Authenticate check =
        [](std::string_view token) -> Result<std::optional<access::TokenIdentity>> {
        if (token == "down") return unreachable("no database");
        if (token != "v") return std::optional<access::TokenIdentity>();
        return std::optional(access::TokenIdentity{"ann", access::TokenRole::viewer});
    };
    std::string noted;
    const auto note = [&noted](const Request&, const std::string& principal,
                               const std::string& reason) {
        noted += principal + "|" + reason + ";";
    };
    for (const char* token : {"", "Bearer x", "Bearer v", "Bearer down"}) {
        HeaderLines headers;
        if (*token != '\0') headers.emplace_back("Authorization", token);
        called(behind_token(check, access::TokenRole::operating, says("x"), note), headers);
    }
    EXPECT_EQ(noted, "|token missing;|token unknown, expired or revoked;ann|role not allowed;");
    called(behind_token(check, access::TokenRole::viewer, says("x"), note),
           {{"Authorization", "Bearer v"}});
    EXPECT_EQ(std::count(noted.begin(), noted.end(), ';'), 3) << "a valid one is not noted";
}

TEST(Access, AFullExecutorIsA503) {
    Executor executor("test", 1, 0);
    const Reply reply = called(on_executor(executor, says("x")), {});
    EXPECT_EQ(reply.status, 503);
    EXPECT_EQ(reply.headers.at(0).first, "Retry-After");
}

TEST(Readiness, NamesWhatIsNotReady) {
    std::string missing = "cannot connect";
    const Handler ready = readiness({{"database", [&] { return missing; }}});
    EXPECT_EQ(called(ready, {}).status, 503);
    EXPECT_EQ(called(ready, {}).body,
              R"({"ready":false,"checks":[{"name":"database","ready":false,)"
              R"("detail":"cannot connect"}]})");
    missing.clear();
    EXPECT_EQ(called(ready, {}).status, 200);
}

TEST(ListenAddress, ReadsTheUsualSpellings) {
    EXPECT_EQ(parse_listen_address("127.0.0.1:8080")->text(), "127.0.0.1:8080");
    EXPECT_EQ(parse_listen_address("localhost:80")->text(), "127.0.0.1:80");
    EXPECT_EQ(parse_listen_address(":80")->text(), "0.0.0.0:80");
    EXPECT_EQ(parse_listen_address("[::1]:80")->text(), "[::1]:80");
    for (const char* wrong : {"", "8080", "1.2.3.4", "a:b", "1.2.3.4:70000", "1.2.3:80", "x:80"}) {
        EXPECT_FALSE(parse_listen_address(wrong).ok()) << wrong;
    }
}

TEST(ReservedPort, FindsAFreePortAndKeepsIt) {
    const auto port = ReservedPort::take({"127.0.0.1", 0});
    ASSERT_TRUE(port.ok());
    EXPECT_NE(port->port(), 0);
    const auto elsewhere = ReservedPort::take({"192.0.2.1", 0});
    ASSERT_FALSE(elsewhere.ok());
    EXPECT_EQ(elsewhere.error().kind, ErrorKind::invalid);
}

}  // namespace
}  // namespace pawl::http
