// Runs a LLVMFuzzerTestOneInput without libFuzzer: every file of a corpus, then seeded mutations
// of them for a number of rounds or seconds. The same seed repeats the same inputs.
//   http_gate_fuzz CORPUS [--runs N] [--seconds S] [--seed X]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Random = std::mt19937_64;

std::vector<std::string> read_corpus(const char* folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());  // the order must not depend on the disk
    std::vector<std::string> corpus;
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return corpus;
}

std::size_t below(Random& random, std::size_t bound) {
    return bound == 0 ? 0 : random() % bound;
}

// What readers of HTTP and JSON stumble over.
const char* const words[] = {"\r\n",
                             "\r",
                             "\n",
                             "\r\n\r\n",
                             "0\r\n\r\n",
                             "-2",
                             "ffffffffffffffff",
                             "18446744073709551615",
                             "Content-Length: ",
                             "Transfer-Encoding: chunked\r\n",
                             "Host: a\r\n",
                             "Connection: close\r\n",
                             "Expect: 100-continue\r\n",
                             "HTTP/1.0",
                             "HTTP/1.1",
                             "GET / HTTP/1.1\r\n",
                             ";",
                             ":",
                             " ",
                             "\t",
                             "HEAD",
                             "Upgrade: websocket\r\n",
                             "%00",
                             "\xff",
                             "{\"id\":1}"};

// One small change: the kinds that find mistakes in readers of text protocols.
void mutate(std::string& bytes, const std::vector<std::string>& corpus, Random& random) {
    const std::size_t at = below(random, bytes.size() + 1);
    const std::size_t length = below(random, std::min<std::size_t>(bytes.size() - at, 40) + 1);
    switch (random() % 7) {
        case 0:
            if (at < bytes.size()) bytes[at] = static_cast<char>(random());
            break;
        case 1:
            if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
            break;
        case 2:
            bytes.erase(at, length);
            break;
        case 3:
            bytes.insert(at, bytes.substr(at, length));
            break;
        case 4:
            bytes.insert(at, words[random() % std::size(words)]);
            break;
        case 5:
            bytes.insert(at, std::string(1 + below(random, 300), static_cast<char>(random())));
            break;
        default: {
            const std::string& other = corpus[below(random, corpus.size())];
            bytes = bytes.substr(0, at) + other.substr(below(random, other.size() + 1));
        }
    }
}

void run(const std::string& bytes) {
    // A copy of exactly this size, so that a sanitizer sees a read past its end.
    const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

long option(int argc, char** argv, const char* name, long otherwise) {
    for (int i = 2; i + 1 < argc; ++i) {
        if (std::strcmp(argv[i], name) == 0) return std::atol(argv[i + 1]);
    }
    return otherwise;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s CORPUS [--runs N] [--seconds S] [--seed X]\n", argv[0]);
        return 2;
    }
    std::vector<std::string> corpus = read_corpus(argv[1]);
    const long runs = option(argc, argv, "--runs", 2000);
    const long seconds = option(argc, argv, "--seconds", 0);
    const long seed = option(argc, argv, "--seed", 1);
    std::printf("%zu inputs, seed %ld\n", corpus.size(), seed);
    std::fflush(stdout);
    for (const std::string& bytes : corpus) run(bytes);
    Random random(static_cast<std::uint64_t>(seed));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    long done = 0;
    while (seconds > 0 ? std::chrono::steady_clock::now() < end : done < runs) {
        std::string bytes = corpus[below(random, corpus.size())];
        for (std::size_t i = 1 + below(random, 8); i > 0; --i) mutate(bytes, corpus, random);
        if (bytes.size() > 200'000) continue;
        run(bytes);
        ++done;
    }
    std::printf("%ld mutations, nothing broken\n", done);
    std::fflush(stdout);
    std::_Exit(0);
}
