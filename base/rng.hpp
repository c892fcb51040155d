// Random generators, passed in. SecureRng draws from the operating system (tokens, ids); SeededRng
// repeats itself for a seed (jitter in tests, shuffles, generated deliveries). Neither is shared by
// threads.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace pawl {

class Rng {
  public:
    virtual ~Rng() = default;
    virtual std::uint64_t next() = 0;
    std::uint64_t below(std::uint64_t bound);  // uniform in [0, bound), without modulo bias
};

class SecureRng final : public Rng {
  public:
    std::uint64_t next() override;
};

class SeededRng final : public Rng {
  public:
    explicit SeededRng(std::uint64_t seed);
    std::uint64_t next() override;

  private:
    std::array<std::uint64_t, 4> state_;
};

// `bytes` random bytes in unpadded base64url: for tokens and ids.
std::string random_token(Rng& rng, std::size_t bytes);
std::string uuid_v4(Rng& rng);

}  // namespace pawl
