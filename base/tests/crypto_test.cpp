#include "base/crypto.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/encoding.hpp"

namespace pawl::crypto {
namespace {

std::string bytes(std::string_view hex) {
    return from_hex(hex).value();
}

TEST(Crypto, DigestsAreThoseOfFips180) {
    EXPECT_EQ(to_hex(digest(Hash::sha1, "abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
    EXPECT_EQ(sha256_hex("abc"),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(to_hex(digest(Hash::sha512, "abc")),
              "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
              "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
    const std::string_view parts[] = {"a", "", "bc"};
    EXPECT_EQ(digest(Hash::sha256, parts), digest(Hash::sha256, "abc"));
}

struct HmacVector {
    Hash hash;
    std::string key;
    std::string message;
    const char* expected;
};

TEST(Crypto, HmacsAreThoseOfRfc4231AndRfc2202) {
    const std::string twenty(20, '\x0b');
    const std::string long_key(131, '\xaa');
    const std::string long_key_message = "Test Using Larger Than Block-Size Key - Hash Key First";
    const HmacVector vectors[] = {
        {Hash::sha1, twenty, "Hi There", "b617318655057264e28bc0b6fb378c8ef146be00"},
        {Hash::sha1, "Jefe", "what do ya want for nothing?",
         "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"},
        {Hash::sha256, twenty, "Hi There",
         "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {Hash::sha256, "Jefe", "what do ya want for nothing?",
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {Hash::sha256, long_key, long_key_message,
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {Hash::sha512, twenty, "Hi There",
         "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
         "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"},
        {Hash::sha512, long_key, long_key_message,
         "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
         "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"},
    };
    for (const auto& vector : vectors) {
        const HmacKey key(vector.hash, vector.key);
        EXPECT_EQ(to_hex(key.sign(vector.message)), vector.expected);
        EXPECT_EQ(to_hex(key.sign(vector.message)), vector.expected) << "a key can be used again";
    }
}

TEST(Crypto, OneHmacKeyServesManyThreadsAtOnce) {
    const HmacKey key(Hash::sha256, "Jefe");
    const std::string expected = key.sign("what do ya want for nothing?");
    std::atomic<int> wrong = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int n = 0; n < 2000; ++n) {
                const std::string_view parts[] = {"what do ya want ", "for nothing?"};
                if (key.sign(parts) != expected) ++wrong;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(wrong, 0);
}

TEST(Crypto, ComparisonSeesEveryByteAndTheLength) {
    EXPECT_TRUE(equal("", ""));
    EXPECT_TRUE(equal("same", "same"));
    EXPECT_FALSE(equal("same", "samf"));
    EXPECT_FALSE(equal("same", "tame"));
    EXPECT_FALSE(equal("same", "sam"));
    EXPECT_FALSE(equal("", "s"));
}

TEST(Crypto, RandomBytesDiffer) {
    EXPECT_EQ(random_bytes(32).size(), 32U);
    EXPECT_NE(random_bytes(32), random_bytes(32));
}

TEST(Crypto, Ed25519IsThatOfRfc8032) {
    const char* vectors[][4] = {
        {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
         "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
         "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
         "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
        {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
         "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
         "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
         "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
    };
    for (const auto& [seed, public_hex, message, signature] : vectors) {
        const auto key = PrivateKey::ed25519(bytes(seed));
        ASSERT_TRUE(key.ok());
        EXPECT_EQ(to_hex(key->public_raw()), public_hex);
        EXPECT_EQ(to_hex(key->sign(bytes(message))), signature);
        const auto verifier = PublicKey::ed25519(bytes(public_hex));
        ASSERT_TRUE(verifier.ok());
        EXPECT_TRUE(verifier->verify(bytes(message), bytes(signature)));
        EXPECT_FALSE(verifier->verify(bytes(message) + "x", bytes(signature)));
        EXPECT_FALSE(verifier->verify(bytes(message), bytes(signature).substr(1)));
        EXPECT_FALSE(verifier->verify(bytes(message), ""));
    }
    EXPECT_FALSE(PublicKey::ed25519("short").ok());
    EXPECT_FALSE(PrivateKey::ed25519("short").ok());
}

// Made with `openssl genrsa 2048` and `openssl dgst -sha256 -sign` over "hello".
constexpr std::string_view rsa_public = R"(-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwn7vfuD1YVQQ3MOUuUTS
CT2m+uAyJJNTd0pxWc5wx6wGs/P9ljDKEB7ToioPpT/wYJZlRp9TZXaM4ZcKNk44
vkkTZUStqjGOIGGPNTQbQDDZ0EoyX2X2JFgLTPUGnPsxffH+gqTcS8XQWjz+3q7w
pJl0PNUcy8tWiXDT6Ap5nJFajJASZpnqOLOhrytp/HfxEsTa1E8IGy3902qWINGc
BGoMDao9MT7xjjICnAhjsXHT0A3gZmwY5elsmIn/0pTvaCwYkNHlB7dHjmwp/XCr
ONAhkQSOmfhu52Du4yUeZvhcRcL8TKlY45nsQHSlB+tdYGYkhGkwIfgkgONquL/Z
ywIDAQAB
-----END PUBLIC KEY-----
)";
constexpr std::string_view rsa_signature =
    "TWxJElxaXFA0z8vaJDBTlkziERigb/oDq34718C+CFRZkVrkWY25j/VcI6xFSa3ESd8j/WFiycVRw9IXJU5LlIn8mCzS"
    "mzz6KpYrLD9KuV7y8rmZjAKtFhFAqi72+TLlapRPj3IpqPD/S6dfltpQL/tDj32W5144j5DQGAC+/rvWWeeL7tVsIhLW"
    "m7G3L8RGYnmozvLMA45qsANAjHbNZi8/SfMRC0fPUpaOIvIZkS+nQb7MABATcb2rOD76EZVj1hjeMDJgIA6yo6YIZ/q/"
    "NLPcU2cLq4PgQWqA57RAK/xyLi+mS3DV0LqPf4VzjQRf/wg+oZEEdbyWmtIT5Poj6Q==";

TEST(Crypto, RsaSignaturesMadeByOpensslVerify) {
    const auto key = PublicKey::from_pem(rsa_public);
    ASSERT_TRUE(key.ok());
    EXPECT_TRUE(key->is_rsa());
    const std::string signature = from_base64(rsa_signature).value();
    EXPECT_TRUE(key->verify("hello", signature));
    EXPECT_FALSE(key->verify("hellO", signature));
    EXPECT_FALSE(key->verify("hello", signature.substr(1)));
    EXPECT_FALSE(key->verify("hello", ""));
}

TEST(Crypto, RsaAndEd25519KeysGoThroughPem) {
    const auto pair = PrivateKey::generate_rsa(2048);
    ASSERT_TRUE(pair.ok());
    const auto key = PublicKey::from_pem(pair->public_pem());
    ASSERT_TRUE(key.ok());
    EXPECT_TRUE(key->verify("m", pair->sign("m")));
    const auto small = PrivateKey::ed25519(std::string(32, 's'));
    ASSERT_TRUE(small.ok());
    const auto small_key = PublicKey::from_pem(small->public_pem());
    ASSERT_TRUE(small_key.ok());
    EXPECT_FALSE(small_key->is_rsa());
    EXPECT_TRUE(small_key->verify("m", small->sign("m")));
}

constexpr std::string_view rsa_1024_public = R"(-----BEGIN PUBLIC KEY-----
MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC5tTuRmRo+4Z1nTkCA0EBZZ5qK
aEEy+vybfxmi1uwD1HX131ONRAG5Ekhx+UfUaZbCI8xxx5I+tXs3G4FAJ5SF0ExN
objnNPk9SKw7SAPtz4xGOMQq6Un1mux3Aoj/l1sCyXoQMKhtvwVv3gjBVMdID5tH
zaoKXi0eNxgKMFG6uwIDAQAB
-----END PUBLIC KEY-----
)";

TEST(Crypto, KeysThatProveNothingAreRefused) {
    EXPECT_FALSE(PublicKey::from_pem("").ok());
    EXPECT_FALSE(PublicKey::from_pem("-----BEGIN PUBLIC KEY-----\nAAAA\n").ok());
    EXPECT_FALSE(PublicKey::from_pem(rsa_1024_public).ok());
    EXPECT_FALSE(PrivateKey::from_pem(rsa_public).ok());
}

}  // namespace
}  // namespace pawl::crypto
