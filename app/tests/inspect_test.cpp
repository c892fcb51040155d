// `pawl inspect`: descriptions of deliveries, and their verdicts.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "app/cli.hpp"
#include "app/inspect/delivery.hpp"
#include "base/json.hpp"
#include "providers/provider.hpp"
#include "settings/tests/config_folder.hpp"
#include "settings/well_known.hpp"

namespace pawl::app {
namespace {

const std::string body =
    R"({"id":"evt_1","type":"payment.captured","payment_id":"pay_1","account":"user:42",)"
    R"("amount":1050,"currency":"usd","sequence":7})";

struct Said {
    int code;
    std::string out;
    std::string err;

    // A member of the answer as text; "null" where there is none.
    std::string operator[](const char* pointer) const {
        const auto document = json::Document::parse(out);
        if (!document) return "no JSON: " + out + err;
        const auto value = document->root().at(json::Pointer::parse(pointer).value());
        if (!value) return "nothing there";
        return value->text().value_or(std::string(value->raw()));
    }
};

// The demo provider as in config_folder.hpp, with its published secret.
class Inspect : public testing::Test {
  protected:
    Inspect() {
        folder_.spoil("${env:DEMO_SECRET}", std::string(demo_secret));
        write(body);
    }

    void write(const std::string& bytes) const { folder_.write("body.json", bytes); }

    std::vector<std::string> signed_arguments(const std::string& bytes = body) const {
        providers::ProviderConfig config = folder_.load(true).settings.providers.at(0).config;
        const auto provider = providers::Provider::create(config).value();
        std::vector<std::string> arguments;
        const Time at = parse_rfc3339("2026-01-01T00:00:00Z").value();
        const auto headers = provider.sign({"msg_1", bytes, at});
        for (const auto& [name, value] : *headers) {
            arguments.insert(arguments.end(), {"--header", name + ": " + value});
        }
        arguments.insert(arguments.end(), {"--at", "2026-01-01T00:01:00Z"});
        return arguments;
    }

    Said run(std::vector<std::string> arguments) const {
        const std::vector<std::string> first = {"pawl",
                                                "--config",
                                                folder_.path().string(),
                                                "inspect",
                                                "--provider",
                                                "demo",
                                                "--body",
                                                (folder_.path() / "body.json").string()};
        arguments.insert(arguments.begin(), first.begin(), first.end());
        std::vector<const char*> pointers;
        for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
        std::FILE* const out = std::tmpfile();
        std::FILE* const err = std::tmpfile();
        Context context;
        context.out = Terminal(out, false, false);
        context.err = Terminal(err, false, false);
        Said said{run_cli(static_cast<int>(pointers.size()), pointers.data(), context),
                  contents(out), contents(err)};
        return said;
    }

    static std::string contents(std::FILE* file) {
        std::rewind(file);
        std::array<char, 8192> text{};
        std::string all(text.data(), std::fread(text.data(), 1, text.size(), file));
        std::fclose(file);
        return all;
    }

    test::ConfigFolder folder_;
};

TEST_F(Inspect, AnAuthenticDeliveryIs0AndShowsAllThatWouldBeRead) {
    const Said said = run(signed_arguments());
    EXPECT_EQ(said.code, 0) << said.out << said.err;
    const std::array<std::pair<const char*, const char*>, 16> expected{{
        {"/authentic", "true"},
        {"/diagnosis", "ok"},
        {"/detail", "signed by a listed secret"},
        {"/would_answer", "200"},
        {"/batch", "false"},
        {"/events/0/event_id", "evt_1"},
        {"/events/0/type", "payment.captured"},
        {"/events/0/object", "pay_1"},
        {"/events/0/sequence", "7"},
        {"/events/0/action", "credit"},
        {"/events/0/account", "user:42"},
        {"/events/0/amount", "1050"},
        {"/events/0/currency", "USD"},
        {"/events/0/effect_key", "demo/capture/pay_1"},
        {"/events/0/needs", "[]"},
        {"/events/0/quarantine", "null"},
    }};
    for (const auto& [pointer, value] : expected) EXPECT_EQ(said[pointer], value) << pointer;
}

// The note says what this installation would do; the rest is what one of the event's mode reads.
TEST_F(Inspect, AnEventOfTheOtherModeIsNamedSoAndReadAllTheSame) {
    folder_.write("providers/demo.toml",
                  test::replaced(test::replaced(test::good_provider, "${env:DEMO_SECRET}",
                                                std::string(demo_secret)),
                                 "[read]", "[read]\nlive = {\"/live\" = [\"true\"]}"));
    const struct {
        const char* served;
        const char* live;
        const char* answer;
        const char* note;
        const char* effect_key;
    } cases[] = {
        {"live", "true", "200", "null", "demo/capture/pay_1"},
        {"live", "false", "200", "test_mode", "demo-test/capture/pay_1"},
        {"test", "false", "200", "null", "demo-test/capture/pay_1"},
        {"test", "true", "503", "live_mode", "demo/capture/pay_1"},
    };
    for (const auto& one : cases) {
        folder_.write("pawl.toml", std::string("[server]\nmode = \"") + one.served + "\"\n");
        const std::string bytes = test::replaced(
            body, "\"sequence\"", std::string("\"live\":") + one.live + ",\"sequence\"");
        write(bytes);
        const Said said = run(signed_arguments(bytes));
        EXPECT_EQ(said.code, 0) << said.err;
        EXPECT_EQ(said["/mode"], one.served);
        EXPECT_EQ(said["/would_answer"], one.answer) << one.served << one.live;
        EXPECT_EQ(said["/events/0/note"], one.note) << one.served << one.live;
        EXPECT_EQ(said["/events/0/effect_key"], one.effect_key) << one.served << one.live;
        EXPECT_EQ(said["/events/0/amount"], "1050");
    }
}

TEST_F(Inspect, AForgedDeliveryIs1WithItsDiagnosis) {
    auto arguments = signed_arguments();
    arguments.back() = "2026-01-01T00:10:00Z";
    const Said late = run(arguments);
    EXPECT_EQ(late.code, 1);
    EXPECT_EQ(late["/authentic"], "false");
    EXPECT_EQ(late["/diagnosis"], "timestamp_too_old");
    EXPECT_EQ(late["/would_answer"], "401");
    EXPECT_EQ(late["/events"], "[]");

    write(body + " ");
    EXPECT_EQ(run(signed_arguments())["/diagnosis"], "body_altered");
    EXPECT_EQ(run({})["/diagnosis"], "header_missing");
    EXPECT_EQ(run({}).code, 1);
}

TEST_F(Inspect, AQuarantineIsAuthenticAndNamed) {
    std::string file =
        test::replaced(test::good_provider, "${env:DEMO_SECRET}", std::string(demo_secret));
    folder_.write("providers/demo.toml", test::replaced(file, "\"/amount\"", "\"/gone\""));
    const Said said = run(signed_arguments());
    EXPECT_EQ(said.code, 0);
    EXPECT_EQ(said["/events/0/quarantine"], "bad_amount");
    EXPECT_EQ(said["/events/0/amount"], "null");
}

TEST_F(Inspect, MoneyWithoutTheFieldThatDecidesIsNamed) {
    const std::string file =
        test::replaced(test::good_provider, "${env:DEMO_SECRET}", std::string(demo_secret));
    folder_.write("providers/demo.toml",
                  test::replaced(file, "effect = \"credit\"",
                                 "where = {\"/status\" = [\"paid\"]}\neffect = \"credit\""));
    const Said said = run(signed_arguments());
    EXPECT_EQ(said.code, 0);
    EXPECT_EQ(said["/events/0/quarantine"], "shape_changed");
}

TEST_F(Inspect, WrongUsageIs2) {
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"--header", "no colon"},
             {"--at", "yesterday"},
             {"--provider", "nobody"},
             {"--fetched", "nothing"},
             {"--fetched", "https://x/key=/nowhere"},
             {"--body", "/nowhere/body"},
             {"--body", "/"},
         }) {
        const Said said = run(arguments);
        EXPECT_EQ(said.code, 2) << arguments[1] << said.out;
        EXPECT_TRUE(said.out.empty());
        EXPECT_TRUE(said.err.starts_with("pawl: ")) << said.err;
    }
}

TEST_F(Inspect, AnotherProvidersFaultIsNotItsBusiness) {
    const auto arguments = signed_arguments();
    folder_.write("providers/broken.toml", "name = \"broken\"\nsecrets = [\"${env:GONE}\"]\n");
    EXPECT_EQ(run(arguments).code, 0);
    folder_.write("providers/demo.toml", "name = \"demo\"\n");
    EXPECT_EQ(run(arguments).code, 2);
}

TEST(DescribedDelivery, EqualsTheDeliveryThatAServerReceives) {
    test::ConfigFolder folder;
    folder.write("body", "\r\nraw\n");
    DescribedDelivery described;
    described.provider = "demo";
    described.body = (folder.path() / "body").string();
    described.headers = {"A:1", "a:  two: three ", "Empty:"};
    const Time now(std::chrono::seconds(5));
    auto delivery = read_delivery(described, now).value();
    EXPECT_EQ(delivery.method, "POST");
    EXPECT_EQ(delivery.url, "/webhooks/demo");
    EXPECT_EQ(delivery.body, "\r\nraw\n");
    EXPECT_EQ(delivery.received_at, now);
    EXPECT_EQ(delivery.headers,
              (providers::Headers{{"A", "1"}, {"a", "two: three"}, {"Empty", ""}}));
    described.url = "https://shop.example/hooks?x=1";
    EXPECT_EQ(read_delivery(described, now)->url, "/hooks?x=1");
    described.url = "https://shop.example";
    EXPECT_EQ(read_delivery(described, now)->url, "/");
}

TEST(DescribedDelivery, AFetchedUrlsOwnEqualsSignsStay) {
    test::ConfigFolder folder;
    folder.write("key", "PEM");
    const auto file = (folder.path() / "key").string();
    const auto fetched = read_fetched("https://x/key?id=1=" + file);
    ASSERT_TRUE(fetched.ok()) << fetched.error().message;
    EXPECT_EQ(fetched->first, "https://x/key?id=1");
    EXPECT_EQ(fetched->second, "PEM");
    EXPECT_EQ(read_fetched("plaid:jwk=" + file)->first, "plaid:jwk");
}

}  // namespace
}  // namespace pawl::app
