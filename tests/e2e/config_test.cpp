// Wrong configurations given to the real program: one sentence on stderr that names file, line and
// remedy, and the exit code that shows a script whether a retry can help.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>

#include "base/process.hpp"
#include "tests/e2e/config_case.hpp"

namespace pawl::testing {
namespace {

namespace fs = std::filesystem;

class ConfigRefusal : public ConfigProgram {
  protected:
    void expect_refused(const std::string& says, const std::string& arguments = "serve --dev",
                        const std::string& variables = {}) const {
        const Ended ended = run(arguments, variables);
        EXPECT_EQ(ended.code, 2) << ended.said;
        EXPECT_EQ(ended.said, says + "\n");
    }
};

TEST_F(ConfigRefusal, UnknownKey) {
    replace("providers/demo.toml", "retention", "retension");
    expect_refused(
        "config/providers/demo.toml:10:1: unknown key \"retension\"; did you mean \"retention\"?");
}

TEST_F(ConfigRefusal, MissingSecret) {
    replace("providers/demo.toml", "\"if_secrets\"", "true");
    expect_refused(
        "config/providers/demo.toml:8:1: \"secrets\" has no value: variable PAWL_DEMO_SECRET is "
        "not set; set PAWL_DEMO_SECRET, or try things out with --dev",
        "serve");
}

TEST_F(ConfigRefusal, PublishedSecretOutsideDevelopment) {
    expect_refused(
        "config/providers/demo.toml:8:1: provider \"demo\" uses a secret published in the Standard "
        "Webhooks documentation (every sender could sign with it); use the secret that the "
        "provider "
        "made for you, or start with --dev",
        "serve", "PAWL_DEMO_SECRET=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
}

TEST_F(ConfigRefusal, UnknownMode) {
    expect_refused("PAWL_MODE: \"production\" is not a mode; write live or test", "serve --dev",
                   "PAWL_MODE=production");
}

TEST_F(ConfigRefusal, UnreadableSecretFile) {
    replace("providers/demo.toml", "\"if_secrets\"", "true");
    replace("providers/demo.toml", "${env:PAWL_DEMO_SECRET}", "${file:secrets/demo}");
    expect_refused(
        "config/providers/demo.toml:8:1: \"secrets\" has no value: file config/secrets/demo cannot "
        "be read: No such file or directory; put the value there, readable for this user only");
}

TEST_F(ConfigRefusal, BadToml) {
    write("pawl.toml", "[server]\nlisten = 127.0.0.1:80\n");
    const Ended ended = run("serve --dev");
    EXPECT_EQ(ended.code, 2);
    EXPECT_TRUE(ended.said.starts_with("config/pawl.toml:2:")) << ended.said;
    EXPECT_TRUE(ended.said.ends_with("(texts stand in quotes)\n")) << ended.said;
}

TEST_F(ConfigRefusal, WrongType) {
    write("pawl.toml", "[receive]\nqueue_max = \"many\"\n");
    expect_refused(
        "config/pawl.toml:2:1: \"queue_max\" in [receive] is a text; write a whole number without "
        "quotes");
}

TEST_F(ConfigRefusal, TwoProvidersWithOneName) {
    fs::copy(folder_ / "config/providers/demo.toml", folder_ / "config/providers/other.toml");
    expect_refused(
        "config/providers/other.toml:5:1: provider \"demo\" is also defined at "
        "config/providers/demo.toml:5:1; give one of them another name, or remove its file");
}

TEST_F(ConfigRefusal, BadDuration) {
    replace("providers/demo.toml", "\"3d\"", "\"3 days\"");
    expect_refused(
        "config/providers/demo.toml:9:1: \"retry_window\" is not a duration: \"3 days\"; write it "
        "like \"250ms\", \"10s\", \"5m\", \"72h\" or \"3d\"");
}

TEST_F(ConfigRefusal, BadListenAddress) {
    expect_refused(
        "PAWL_LISTEN: \"localhost\" is not an address to listen on; write ADDRESS:PORT with a "
        "numeric "
        "address and a port of 1 to 65535, like \"127.0.0.1:8080\"",
        "serve --dev", "PAWL_LISTEN=localhost");
}

TEST_F(ConfigRefusal, OneAddressForBothListeners) {
    const std::pair<const char*, const char*> cases[] = {
        {"PAWL_ADMIN_LISTEN", "PAWL_LISTEN=127.0.0.1:9000 PAWL_ADMIN_LISTEN=127.0.0.1:9000"},
        {"PAWL_LISTEN", "PAWL_LISTEN=127.0.0.1:8081"}};
    for (const auto& [place, variables] : cases) {
        const std::string given = variables;
        expect_refused(std::string(place) + ": both listeners are given " +
                           given.substr(given.rfind('=') + 1) +
                           "; set PAWL_LISTEN and PAWL_ADMIN_LISTEN to addresses that differ",
                       "serve --dev", given);
    }
}

TEST_F(ConfigRefusal, DevelopmentOnAnOpenListener) {
    expect_refused(
        "PAWL_LISTEN: --dev accepts published secrets, and the public listener is open to the "
        "network at 0.0.0.0:8080 (any host there could post money); listen on 127.0.0.1, or set "
        "the "
        "secrets and start without --dev",
        "serve --dev", "PAWL_LISTEN=0.0.0.0:8080");
}

TEST_F(ConfigRefusal, UnknownPreset) {
    replace("providers/demo.toml", "standard-webhooks", "standard-webhook");
    expect_refused(
        "config/providers/demo.toml:7:1: \"scheme\" is \"standard-webhook\", which is not a "
        "preset; "
        "did you mean \"standard-webhooks\"?");
}

TEST_F(ConfigRefusal, UnknownEffect) {
    replace("providers/demo.toml", "\"credit\"", "\"credti\"");
    expect_refused(
        "config/providers/demo.toml:22:1: \"effect\" in [[rule]] 1 is \"credti\", which is not "
        "known; did you mean \"credit\"?");
}

TEST_F(ConfigRefusal, ARuleThatWouldLoseMoneyIsNotServed) {
    replace("providers/demo.toml", "[\"capture\", \"/payment_id\"]", "[\"capture\"]");
    const Ended ended = run("serve --dev");
    EXPECT_EQ(ended.code, 2) << ended.said;
    EXPECT_TRUE(ended.said.starts_with("config/providers/demo.toml:")) << ended.said;
    EXPECT_NE(ended.said.find("the effect_key is the same for every event"), std::string::npos)
        << ended.said;
    EXPECT_EQ(std::count(ended.said.begin(), ended.said.end(), '\n'), 1) << ended.said;
    EXPECT_EQ(run("lint --dev").code, 1);
}

TEST_F(ConfigRefusal, NoConfigurationDirectory) {
    expect_refused(
        "PAWL_CONFIG: \"/nowhere\" is not a readable directory; name the directory that holds "
        "pawl.toml and providers/",
        "serve --dev", "PAWL_CONFIG=/nowhere");
}

TEST_F(ConfigRefusal, LintSeparatesWrongFromUnparsable) {
    EXPECT_EQ(run("lint --dev").code, 0);
    EXPECT_EQ(run("lint").code, 0);
    replace("providers/demo.toml", "\"if_secrets\"", "true");
    EXPECT_EQ(run("lint").code, 1);
    write("pawl.toml", "[server\n");
    EXPECT_EQ(run("lint --dev").code, 2);
}

TEST_F(ConfigRefusal, WrongUsageIsOneSentence) {
    expect_refused("pawl: `pawl`: unknown argument \"srve\"; did you mean \"serve\"?", "srve");
}

// A socket that listens, as another program's would.
struct TakenPort {
    TakenPort() {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size);
        ::listen(socket.get(), 1);
        ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
        text = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    }
    const process::Fd socket{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    std::string text;
};

TEST_F(ConfigRefusal, ATakenPortIsFoundBeforeADatabaseIsCreated) {
    const TakenPort taken;
    const std::pair<std::string, std::string> cases[] = {
        {"serve --dev", "PAWL_ADMIN_LISTEN=127.0.0.1:1 PAWL_LISTEN="},
        {"serve --dev --roles work", "PAWL_ADMIN_LISTEN="}};
    for (const auto& [arguments, variable] : cases) {
        const Ended ended = run(arguments, variable + taken.text);
        EXPECT_EQ(ended.code, 3) << ended.said;
        EXPECT_EQ(ended.said, "pawl: cannot listen on " + taken.text +
                                  ": Address already in use; stop what listens there, or choose "
                                  "another port (PAWL_LISTEN, PAWL_ADMIN_LISTEN)\n");
        EXPECT_FALSE(fs::exists(folder_ / "data"));
    }
}

}  // namespace
}  // namespace pawl::testing
