// The API's description, held to itself and to the routes that the wiring names. Whether answers
// are as it says is shown by tests/e2e/api_openapi_test.cpp.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "base/json.hpp"
#include "controllers/http/api_document.hpp"
#include "controllers/http/schema.hpp"
#include "controllers/v1/openapi.hpp"
#include "ledger/outcome.hpp"

namespace pawl::http {
namespace {

json::Document document() {
    static const std::string text = openapi_for({}, {});  // the document points into it
    auto parsed = json::Document::parse(text);
    if (!parsed) ADD_FAILURE() << parsed.error().message;
    return std::move(*parsed);
}

std::optional<json::Value> at(const json::Value& value, const std::string& pointer) {
    return value.at(json::Pointer::parse(pointer).value());
}

void collect_refs(const json::Value& value, std::set<std::string>& into) {
    for (const json::Value& child : value.children()) {
        if (child.key() == "$ref") into.insert(*child.text());
        if (child.kind() == json::Kind::object || child.kind() == json::Kind::array) {
            collect_refs(child, into);
        }
    }
}

// Accounts that a request may name: those of customers and merchants, and in an entry a clearing
// account.
TEST(OpenApi, SystemAccountsAndBlanksAtTheEndsAreRefusedInEveryRequest) {
    struct Named {
        const char *method, *path, *member;
        bool clearing = false;
    };
    const Named named[] = {
        {"PUT", "/v1/orders/{order}", "account"},
        {"POST", "/admin/v1/intents/{provider}/{event_id}/assign", "account"},
        {"POST", "/admin/v1/transfers", "account"},
        {"POST", "/admin/v1/transfers", "debit_account", true},
        {"POST", "/admin/v1/transfers", "credit_account", true},
    };
    for (const Named& one : named) {
        const Operation& operation = shipped_operation(one.method, one.path);
        const Schema& account = *operation.body->properties.at(one.member);
        for (const char* good :
             {"user:42", "a", "a b", "bank", "my bank:x", "x:clearing:y", "\xc3\xa9"}) {
            EXPECT_FALSE(account.mismatch_of_text(good))
                << one.path << " " << one.member << " " << good;
        }
        for (const char* bad :
             {"bank:main", "fees:stripe", "bank:", " a", "a ", "a\t", "a\nb", ""}) {
            EXPECT_TRUE(account.mismatch_of_text(bad))
                << one.path << " " << one.member << " " << bad;
        }
        EXPECT_EQ(!account.mismatch_of_text("stripe:clearing"), one.clearing) << one.path;
    }
}

std::string source(const std::string& path) {
    std::ifstream file(std::string(PAWL_SOURCE_DIR) + "/" + path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// Patterns as routes are added: a name is the same as a name of all the rest.
std::set<std::string> wired_patterns() {
    std::set<std::string> patterns;
    for (const char* path :
         {"app/wiring.cpp", "controllers/admin/table.cpp", "controllers/v1/table.cpp"}) {
        const std::string text = source(path);
        const std::regex literal("\"(/[a-z][^\"]*)\"");
        for (std::sregex_iterator it(text.begin(), text.end(), literal), end; it != end; ++it) {
            patterns.insert(std::regex_replace((*it)[1].str(), std::regex("\\*\\}"), "}"));
        }
    }
    return patterns;
}

TEST(OpenApi, IsStrictJsonOfVersion31) {
    const auto parsed = document();
    EXPECT_EQ(at(parsed.root(), "/openapi")->text(), "3.1.0");
}

TEST(OpenApi, NamesTheAddressOfThePublicListener) {
    const std::pair<ListenAddress, const char*> cases[] = {
        {{"127.0.0.1", 9000}, "http://127.0.0.1:9000"},
        {{"0.0.0.0", 8080}, "http://127.0.0.1:8080"},
        {{"::", 8090}, "http://[::1]:8090"}};
    for (const auto& [address, url] : cases) {
        const auto served = json::Document::parse(openapi_for(address, {"127.0.0.1", 7}));
        ASSERT_TRUE(served);
        EXPECT_EQ(at(served->root(), "/servers/0/url")->text(), url);
        EXPECT_EQ(at(served->root(), "/paths/~1v1~1idempotency/servers/0/url")->text(), url);
        EXPECT_EQ(at(served->root(), "/paths/~1metrics/servers/0/url")->text(),
                  "http://127.0.0.1:7");
    }
}

TEST(OpenApi, EveryReferenceLeadsSomewhereAndEverySchemaIsUsed) {
    const auto parsed = document();
    std::set<std::string> refs;
    collect_refs(parsed.root(), refs);
    for (const std::string& ref : refs) EXPECT_TRUE(at(parsed.root(), ref.substr(1))) << ref;
    for (const auto& schema : at(parsed.root(), "/components/schemas")->children()) {
        EXPECT_TRUE(refs.contains("#/components/schemas/" + std::string(schema.key())))
            << schema.key();
    }
}

TEST(OpenApi, EveryOperationHasANameOfItsOwnAndSaysWhatItTakes) {
    const auto parsed = document();
    std::set<std::string> names;
    for (const auto& path : at(parsed.root(), "/paths")->children()) {
        for (const auto& operation : path.children()) {
            if (operation.key() == "servers") continue;
            const auto name = at(operation, "/operationId");
            ASSERT_TRUE(name) << path.key();
            EXPECT_TRUE(names.insert(*name->text()).second) << *name->text();
            EXPECT_TRUE(at(operation, "/responses")) << path.key();
        }
    }
}

TEST(OpenApi, EveryOperationTakesTheParametersOfItsPath) {
    for (const Operation& operation : shipped_document()->operations()) {
        std::set<std::string> wanted, described;
        for (const Parameter& one : operation.parameters) {
            if (one.in == Parameter::In::path) described.insert(one.name);
        }
        const std::regex name("\\{([^}]*)\\}");
        for (std::sregex_iterator it(operation.path.begin(), operation.path.end(), name), end;
             it != end; ++it) {
            wanted.insert((*it)[1].str());
        }
        EXPECT_EQ(described, wanted) << operation.id;
    }
}

const Schema& schema_of(const Operation& operation, std::string_view parameter) {
    for (const Parameter& one : operation.parameters) {
        if (one.name == parameter) return *one.schema;
    }
    throw std::logic_error("no such parameter");
}

TEST(OpenApi, RefusesTheIdOfAnActWithABlankAtAnEnd) {
    const auto parsed = document();
    SchemaCompiler compiler(parsed.root());
    const char* const members[] = {"NewTransfer/properties/reference",
                                   "Assignment/properties/effect_key",
                                   "Resolution/properties/reference"};
    for (const char* member : members) {
        const auto schema = compiler.compile(
            *at(parsed.root(), std::string("/components/schemas/") + member), "it");
        ASSERT_TRUE(schema) << member;
        const auto fits = [&](const std::string& text) {
            const std::string quoted = '"' + text + '"';  // the value points into it
            const auto value = json::Document::parse(quoted);
            return value && !(*schema)->mismatch(value->root());
        };
        for (const char* id : {"T", "T-1", "T 1", "demo/capture/p 1", "\\u00e4"}) {
            EXPECT_TRUE(fits(id)) << member << ": " << id;
        }
        for (const char* id : {"", " ", "T-1 ", " T-1", "T-1\\t", "T\\n1", "T-1\\u007f"}) {
            EXPECT_FALSE(fits(id)) << member << ": " << id;
        }
    }
}

TEST(OpenApi, NamesTheStatusesAndOutcomesThatThereAre) {
    const Operation& list = shipped_operation("GET", "/admin/v1/intents");
    const auto texts = [](std::span<const std::string_view> names) {
        return std::vector<std::string>(names.begin(), names.end());
    };
    EXPECT_EQ(schema_of(list, "status").words, texts(ledger::status_names()));
    EXPECT_EQ(schema_of(list, "outcome").words, texts(ledger::outcome_names()));
}

TEST(OpenApi, DescribesEveryPathThatTheWiringNames) {
    const auto parsed = document();
    std::set<std::string> described;
    for (const auto& path : at(parsed.root(), "/paths")->children()) {
        described.emplace(path.key());
    }
    const auto wired = wired_patterns();
    EXPECT_GE(wired.size(), 20U);
    for (const std::string& pattern : wired) {
        if (pattern.starts_with("/console")) continue;  // display pages
        EXPECT_TRUE(described.contains(pattern))
            << pattern << ": describe it in controllers/v1/openapi.json, and ask it in "
            << "tests/e2e/api_openapi_test.cpp";
    }
}

}  // namespace
}  // namespace pawl::http
