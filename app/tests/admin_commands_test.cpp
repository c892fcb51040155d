// The admin commands cover the admin API: every operation has one, and answers are shown as text.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/admin_answer.hpp"
#include "controllers/http/api_document.hpp"

namespace pawl::app {
namespace {

TEST(AdminCommands, EveryOperationOfTheAdminApiHasOne) {
    std::set<std::string> commanded = {"POST /admin/v1/verify"};  // pawl verify, with its progress
    for (const Verb& verb : admin_verbs()) {
        const std::string name = std::string(verb.method) + " " + std::string(verb.path);
        const bool in_parts = !verb.form.empty() || verb.items != "items";
        EXPECT_TRUE(commanded.insert(name).second || in_parts) << name;
    }
    std::set<std::string> described;
    for (const http::Operation& one : http::shipped_document()->operations()) {
        if (one.path.starts_with("/admin/v1/")) described.insert(one.method + " " + one.path);
    }
    EXPECT_EQ(commanded, described);
}

TEST(AdminCommands, TheFormsOfABodyHaveAllItsMembersTogether) {
    std::map<std::string, std::set<std::string_view>> of_forms;
    for (const Verb& verb : admin_verbs()) {
        const auto& operation = http::shipped_operation(verb.method, verb.path);
        for (const FormMember& one : verb.form) of_forms[operation.id].insert(one.name);
        const auto given = [&](const std::string& name) {
            return std::any_of(verb.form.begin(), verb.form.end(), [&](const FormMember& one) {
                return one.name == name && one.given != Given::if_known;
            });
        };
        if (verb.form.empty()) continue;
        for (const std::string& name : operation.body->required) EXPECT_TRUE(given(name)) << name;
    }
    EXPECT_EQ(of_forms.size(), 1U);
    for (const auto& [id, members] : of_forms) {
        for (const http::Operation& one : http::shipped_document()->operations()) {
            if (one.id != id) continue;
            std::set<std::string_view> described;
            for (const auto& property : one.body->properties) described.insert(property.first);
            EXPECT_EQ(members, described) << id;
        }
    }
}

TEST(AdminCommands, AListHasColumnsAndTheyAreMembersOfItsItems) {
    for (const Verb& verb : admin_verbs()) {
        const auto& operation = http::shipped_operation(verb.method, verb.path);
        const auto& answer = *operation.answers.at(200).at("application/json");
        const auto items = answer.properties.find(verb.items);
        const bool list = items != answer.properties.end();
        EXPECT_EQ(list, !verb.columns.empty()) << verb.noun << " " << verb.verb;
        for (const Column& column : verb.columns) {
            EXPECT_TRUE(items->second->items->properties.contains(column.member)) << column.member;
        }
    }
}

std::string shown(const Verb& verb, int status, const std::string& body, int code) {
    std::FILE* const out = std::tmpfile();
    Context context;
    context.out = Terminal(out, false, false);
    context.err = context.out;
    const Time now = parse_rfc3339("2026-11-20T12:00:00Z").value();
    EXPECT_EQ(show_answer(verb, {status, "application/json", {}, body}, {false, now}, context),
              code);
    std::rewind(out);
    std::array<char, 4096> text{};
    std::string said(text.data(), std::fread(text.data(), 1, text.size(), out));
    std::fclose(out);
    return said;
}

const Verb& verb_of(std::string_view noun, std::string_view name) {
    return *std::find_if(admin_verbs().begin(), admin_verbs().end(),
                         [&](const Verb& verb) { return verb.noun == noun && verb.verb == name; });
}

TEST(AdminAnswer, IsATableWithMoneyAgesAndNoControlCharacters) {
    const std::string said = shown(
        verb_of("intents", "list"), 200,
        R"({"items":[{"received_at":"2026-11-20T11:57:00.5Z","provider":"demo",)"
        R"("event_id":"evt\u001b]0;x\u0007","type":"a","outcome":"applied","account":"user:1",)"
        R"("amount":5000,"currency":"JPY","note":null},{"received_at":"2026-11-13T00:00:00Z",)"
        R"("provider":"demo","event_id":"e2","type":"a","outcome":"applied","account":null,)"
        R"("amount":5000,"currency":"USD","note":null}],"next":"abc"})",
        0);
    for (const char* part :
         {"2026-11-20 11:57:00 (2m ago)", "2026-11-13 00:00:00 (7d ago)", "5000 JPY", "50.00 USD",
          "--cursor abc", R"($'evt\x1b\x5d0\x3bx\x07')"}) {
        EXPECT_NE(said.find(part), std::string::npos) << part << "\n" << said;
    }
    EXPECT_EQ(said.find('\x1b'), std::string::npos);
}

TEST(AdminAnswer, HasTheExitCodeOfItsStatus) {
    const std::string problem = R"({"detail":"no such thing"})";
    const Verb& retry = verb_of("intents", "retry");
    for (const auto& [status, code] : {std::pair(400, 2), {404, 1}, {409, 1}, {500, 3}, {503, 3}}) {
        EXPECT_EQ(shown(retry, status, problem, code), "pawl: no such thing\n");
    }
    shown(retry, 200, R"({"status":"done","outcome":"applied"})", 0);
    shown(retry, 200, R"({"status":"quarantined","outcome":"quarantined"})", 1);
}

}  // namespace
}  // namespace pawl::app
