// Wrong configurations given to the real program: one sentence on stderr that names file, line and
// remedy, and the exit code that tells a script whether trying again can help.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;

struct Ended {
    int code = -1;
    std::string said;  // both streams
};

class ConfigProgram : public testing::Test {
  protected:
    void SetUp() override {
        std::string name = (fs::temp_directory_path() / "pawl-e2e-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        fs::copy(PAWL_SOURCE_DIR "/config", folder_ / "config", fs::copy_options::recursive);
    }
    void TearDown() override {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }

    void write(const std::string& file, const std::string& text) const {
        std::ofstream(folder_ / "config" / file) << text;
    }
    void replace(const std::string& file, const std::string& from, const std::string& to) const {
        std::ifstream in(folder_ / "config" / file);
        std::string text{std::istreambuf_iterator<char>(in), {}};
        ASSERT_NE(text.find(from), std::string::npos);
        write(file, text.replace(text.find(from), from.size(), to));
    }

    // Everything that the outside may set is taken away first.
    Ended run(const std::string& arguments, const std::string& variables = {}) const {
        const std::string line = "cd " + folder_.string() + " && env -i PATH=/usr/bin:/bin " +
                                 "PAWL_DATA_DIR=" + folder_.string() + "/data " + variables + " " +
                                 PAWL_PROGRAM + " " + arguments + " 2>&1 </dev/null";
        std::FILE* pipe = ::popen(line.c_str(), "r");
        Ended ended;
        std::array<char, 4096> part{};
        while (std::fgets(part.data(), part.size(), pipe) != nullptr) ended.said += part.data();
        const int status = ::pclose(pipe);
        ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return ended;
    }

    void expect_refused(const std::string& says, const std::string& arguments = "serve --dev",
                        const std::string& variables = {}) const {
        const Ended ended = run(arguments, variables);
        EXPECT_EQ(ended.code, 2) << ended.said;
        EXPECT_EQ(ended.said, says + "\n");
    }

    fs::path folder_;
};

TEST_F(ConfigProgram, unknown_key) {
    replace("providers/demo.toml", "retention", "retension");
    expect_refused(
        "config/providers/demo.toml:9:1: unknown key \"retension\"; did you mean \"retention\"?");
}

TEST_F(ConfigProgram, missing_secret) {
    expect_refused(
        "config/providers/demo.toml:7:1: \"secrets\" has no value: variable PAWL_DEMO_SECRET is "
        "not set; set PAWL_DEMO_SECRET, or try things out with --dev",
        "serve");
}

TEST_F(ConfigProgram, published_secret_outside_development) {
    expect_refused(
        "config/providers/demo.toml:7:1: provider \"demo\" uses a secret published in the Standard "
        "Webhooks documentation (anybody could sign with it); use the secret that the provider "
        "made for you, or start with --dev",
        "serve", "PAWL_DEMO_SECRET=whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
}

TEST_F(ConfigProgram, unreadable_secret_file) {
    replace("providers/demo.toml", "${env:PAWL_DEMO_SECRET}", "${file:secrets/demo}");
    expect_refused(
        "config/providers/demo.toml:7:1: \"secrets\" has no value: file config/secrets/demo cannot "
        "be read: No such file or directory; put the value there, readable for this user only");
}

TEST_F(ConfigProgram, bad_toml) {
    write("pawl.toml", "[server]\nlisten = 127.0.0.1:80\n");
    const Ended ended = run("serve --dev");
    EXPECT_EQ(ended.code, 2);
    EXPECT_TRUE(ended.said.starts_with("config/pawl.toml:2:")) << ended.said;
    EXPECT_TRUE(ended.said.ends_with("(texts stand in quotes)\n")) << ended.said;
}

TEST_F(ConfigProgram, wrong_type) {
    write("pawl.toml", "[receive]\nqueue_max = \"many\"\n");
    expect_refused(
        "config/pawl.toml:2:1: \"queue_max\" in [receive] is a text; write a whole number without "
        "quotes");
}

TEST_F(ConfigProgram, two_providers_with_one_name) {
    fs::copy(folder_ / "config/providers/demo.toml", folder_ / "config/providers/other.toml");
    expect_refused(
        "config/providers/other.toml:4:1: provider \"demo\" is also defined at "
        "config/providers/demo.toml:4:1; give one of them another name, or remove its file");
}

TEST_F(ConfigProgram, bad_duration) {
    replace("providers/demo.toml", "\"3d\"", "\"3 days\"");
    expect_refused(
        "config/providers/demo.toml:8:1: \"retry_window\" is no duration: \"3 days\"; write it "
        "like \"250ms\", \"10s\", \"5m\", \"72h\" or \"3d\"");
}

TEST_F(ConfigProgram, bad_listen_address) {
    expect_refused(
        "PAWL_LISTEN: \"localhost\" is no address to listen on; write ADDRESS:PORT with a numeric "
        "address and a port of 1 to 65535, like \"127.0.0.1:8080\"",
        "serve --dev", "PAWL_LISTEN=localhost");
}

TEST_F(ConfigProgram, unknown_preset) {
    replace("providers/demo.toml", "standard-webhooks", "standard-webhook");
    expect_refused(
        "config/providers/demo.toml:6:1: \"scheme\" is \"standard-webhook\", which is no preset; "
        "did you mean \"standard-webhooks\"?");
}

TEST_F(ConfigProgram, unknown_effect) {
    replace("providers/demo.toml", "\"credit\"", "\"credti\"");
    expect_refused(
        "config/providers/demo.toml:21:1: \"effect\" in [[rule]] 1 is \"credti\", which is not "
        "known; did you mean \"credit\"?");
}

TEST_F(ConfigProgram, a_rule_that_would_lose_money_is_not_served) {
    replace("providers/demo.toml", "[\"capture\", \"/payment_id\"]", "[\"capture\"]");
    const Ended ended = run("serve --dev");
    EXPECT_EQ(ended.code, 2) << ended.said;
    EXPECT_TRUE(ended.said.starts_with("config/providers/demo.toml:")) << ended.said;
    EXPECT_NE(ended.said.find("the effect_key is the same for every event"), std::string::npos)
        << ended.said;
    EXPECT_EQ(std::count(ended.said.begin(), ended.said.end(), '\n'), 1) << ended.said;
    EXPECT_EQ(run("lint --dev").code, 1);
}

TEST_F(ConfigProgram, no_configuration_directory) {
    expect_refused(
        "PAWL_CONFIG: \"/nowhere\" is no directory that can be read; name the directory that holds "
        "pawl.toml and providers/",
        "serve --dev", "PAWL_CONFIG=/nowhere");
}

TEST_F(ConfigProgram, lint_tells_wrong_from_unparsable) {
    EXPECT_EQ(run("lint --dev").code, 0);
    EXPECT_EQ(run("lint").code, 1);
    write("pawl.toml", "[server\n");
    EXPECT_EQ(run("lint --dev").code, 2);
}

TEST_F(ConfigProgram, wrong_usage_is_one_sentence) {
    expect_refused("pawl: `pawl` does not know \"srve\"; did you mean \"serve\"?", "srve");
}

}  // namespace
