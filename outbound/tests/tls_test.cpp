// TLS against a real server with an untrusted certificate: the machine's own `openssl`.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <thread>

#include "base/process.hpp"
#include "outbound/http_client.hpp"
#include "outbound/tests/loopback_server.hpp"

namespace pawl::outbound {
namespace {

using namespace std::chrono_literals;

constexpr const char* openssl = "/usr/bin/openssl";

// A port that was free a moment ago.
std::string free_port() {
    const test::LoopbackServer taken([](const std::string&) { return test::Reaction{}; });
    const std::string url = taken.url("");
    return url.substr(url.rfind(':') + 1);
}

class Tls : public ::testing::Test {
  protected:
    void SetUp() override {
        if (!std::filesystem::exists(openssl)) GTEST_SKIP() << "there is no " << openssl;
        std::string name = (std::filesystem::temp_directory_path() / "pawl-tls-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        process::Command make;
        make.argv = {
            openssl,    "req",           "-x509",   "-newkey",
            "rsa:2048", "-nodes",        "-keyout", key(),
            "-out",     certificate(),   "-days",   "2",
            "-subj",    "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"};
        const auto made = process::run(make, 20s);
        ASSERT_TRUE(made.ok() && made->succeeded) << (made ? made->output : made.error().message);
        process::Command serve;
        serve.argv = {openssl,       "s_server", "-accept", port_,  "-cert",
                      certificate(), "-key",     key(),     "-www", "-quiet"};
        auto child = process::spawn(serve);
        ASSERT_TRUE(child.ok());
        server_ = std::move(*child);
    }
    void TearDown() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    std::string key() const { return folder_ + "/key.pem"; }
    std::string certificate() const { return folder_ + "/certificate.pem"; }

    std::string folder_;
    std::string port_ = free_port();
    process::Child server_;
};

TEST_F(Tls, AnUntrustedCertificateIsRefusedBeforeAnythingIsSent) {
    HttpRequest request;
    request.method = "POST";
    request.url = "https://localhost:" + port_ + "/";
    request.body = "secret";
    request.within = 2000ms;
    request.allow_private = true;
    HttpFailure failure;
    // Until the server listens, connections are refused, which says nothing about certificates.
    for (int i = 0; i < 200; ++i) {
        const HttpResult outcome = send(request);
        ASSERT_TRUE(std::holds_alternative<HttpFailure>(outcome)) << "it was believed";
        failure = std::get<HttpFailure>(outcome);
        if (failure.what.find("certificate") != std::string::npos || !failure.sent_nothing) break;
        std::this_thread::sleep_for(20ms);
    }
    EXPECT_NE(failure.what.find("certificate"), std::string::npos) << failure.what;
    EXPECT_TRUE(failure.sent_nothing);
}

}  // namespace
}  // namespace pawl::outbound
