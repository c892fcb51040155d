// A provider file that is edited after money moved, at the real program: which changes stop the
// start, and how `formerly` finds what was posted under the earlier keys.
#include <gtest/gtest.h>

#include "tests/e2e/demo_sender.hpp"
#include "tests/e2e/server.hpp"
#include "tests/support/database.hpp"

namespace pawl::testing {
namespace {

constexpr const char* posted_shape = R"(formerly = [["demo", "capture", "/payment_id"]])";

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

struct Edit {
    const char* name;
    const char* from;
    const char* to;
};

const Edit reshapes[] = {
    {"books", R"(books        = "demo")", R"(books        = "demo2")"},
    {"kind", R"(["capture", "/payment_id"])", R"(["payin", "/payment_id"])"},
    {"pointer", R"(["capture", "/payment_id"])", R"(["capture", "/id"])"},
};

class ReceiveShapes : public ::testing::Test {
  protected:
    void SetUp() override {
        shipped = read_text(file());
        server.start();
        EXPECT_EQ(outcome({"e1", "P", "user:1", 1000}), "applied");
    }
    std::string file() { return server.options().config + "/providers/demo.toml"; }
    // The rule that posts captures is the first of the file.
    void edit(const Edit& what, const std::string& formerly = "") {
        std::string text = shipped;
        text.replace(text.find(what.from), std::string(what.from).size(), what.to);
        if (!formerly.empty()) text.insert(text.find("order      ="), formerly + "\n");
        write_text(file(), text);
    }
    void restart() {
        server.kill_now();
        server.start();
    }
    std::string refusal() { return server.refusal(); }
    std::string outcome(const Payment& payment) {
        const std::string body = DemoSender(server.port()).send(payment).body;
        const std::string member = R"("outcome":")";
        const auto at = body.find(member);
        if (at == std::string::npos) return body;
        return body.substr(at + member.size(),
                           body.find('"', at + member.size()) - at - member.size());
    }
    std::string balance() { return database.value("SELECT sum(amount) FROM balances"); }
    std::string pawl(std::vector<std::string> arguments) {
        return server.command(std::move(arguments));
    }

    Folder folder;
    TestDatabase database;
    Server server{{.data_dir = folder / "data",
                   .database_url = database.url(),
                   .config = copied_config(folder)}};
    std::string shipped;
};

TEST_F(ReceiveShapes, AChangedShapeStopsTheStartAndNamesTheLineThatIsMissing) {
    for (const Edit& one : reshapes) {
        edit(one);
        const std::string refused = refusal();
        for (const char* part : {"demo.toml:", "provider \"demo\" has posted", posted_shape}) {
            EXPECT_TRUE(says(refused, part)) << one.name << ": " << part << " is not in:\n"
                                             << refused;
        }
    }
    for (const char* command : {"lint", "doctor"}) {
        std::vector<std::string> arguments = {command, "--dev"};
        if (std::string(command) == "lint") arguments.emplace_back("--database");
        const std::string found = pawl(arguments);
        EXPECT_TRUE(says(found, posted_shape)) << command << found;
    }
    write_text(file(), shipped);
    EXPECT_TRUE(says(pawl({"lint", "--dev", "--database"}), "; 0 errors")) << "it is as it was";
    restart();
    EXPECT_EQ(outcome({"e2", "P", "user:1", 1000}), "duplicate_effect");
    EXPECT_EQ(balance(), "1000");
}

TEST_F(ReceiveShapes, WithFormerlyAPaymentIsNotPostedAgainUnderTheNewShape) {
    for (const Edit& one : reshapes) {
        const std::string name = one.name;
        edit(one, posted_shape);
        restart();
        EXPECT_EQ(outcome({name + "1", "P", "user:1", 1000}), "duplicate_effect") << name;
        EXPECT_EQ(outcome({name + "2", "P", "user:1", 999}), "quarantined") << name;
        EXPECT_EQ(outcome({name + "3", "Q" + name, "user:1", 5}), "applied") << name;
        const bool by_event_id = name == "pointer";
        if (by_event_id) continue;  // each event is then a payment by itself
        EXPECT_EQ(outcome({name + "4", "Q" + name, "user:1", 5}), "duplicate_effect") << name;
        // Both shapes have posted by now: the file may return to neither of them alone.
        edit(one);
        EXPECT_TRUE(says(refusal(), posted_shape)) << name;
        database.run("DELETE FROM posted_shapes WHERE key NOT LIKE '[\"demo\", \"capture\"%'");
    }
    EXPECT_EQ(balance(), "1015");
}

TEST_F(ReceiveShapes, ARedeliveryUnderCorrectedRulesIsADuplicate) {
    const Payment first{"e1", "P", "user:1", 1000};
    edit({"currency", R"(currency   = "/currency")", R"(currency   = "USD")"});
    std::string text = read_text(file());
    text.replace(text.find(R"(object   = "/payment_id")"), 24, R"(object   = "/account")");
    write_text(file(), text);
    restart();
    std::string resent = body_of(first);
    resent.insert(resent.size() - 1, R"(,"attempt":2)");
    const auto answer = DemoSender(server.port()).send_bytes("e1", resent);
    EXPECT_TRUE(says(answer.body, R"("outcome":"applied","duplicate":true)")) << answer.body;
    std::string other = body_of({"e1", "P", "user:1", 1001});
    other.insert(other.size() - 1, R"(,"attempt":3)");
    EXPECT_TRUE(says(DemoSender(server.port()).send_bytes("e1", other).body, "id_conflict"));
    EXPECT_EQ(balance(), "1000");
}

}  // namespace
}  // namespace pawl::testing
