// Runs a LLVMFuzzerTestOneInput without libFuzzer: every file of a corpus, then seeded mutations
// of them for a number of rounds or seconds. The same seed repeats the same inputs; without one, a
// new one is drawn, or taken from PAWL_TEST_SEED. A child process does the work, and the input that
// it is at lies in memory that both share: whatever ends it, the input is saved for a rerun.
//   http_gate_fuzz CORPUS|INPUT [--runs N] [--seconds S] [--seed X]
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
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

constexpr std::size_t input_bytes_max = 200'000;
constexpr unsigned one_input_s_max = 60;  // longer is a hang

// The child's present input. Shared by two processes.
struct Current {
    long done;  // mutations before this input
    std::size_t size;
    char bytes[input_bytes_max];
};

std::vector<std::string> read_corpus(const char* place) {
    std::vector<std::filesystem::path> paths;
    if (!std::filesystem::is_directory(place)) {
        paths.emplace_back(place);
    } else {
        for (const auto& entry : std::filesystem::directory_iterator(place)) {
            paths.push_back(entry.path());
        }
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

// Bytes that readers of HTTP and JSON often mistake.
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
    switch (random() % 8) {
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
        case 6: {  // pipelines, also long ones
            const std::string once = bytes;
            const std::size_t most = random() % 16 == 0 ? 200 : 3;
            for (std::size_t i = below(random, most); i > 0; --i) bytes += once;
            break;
        }
        default: {
            const std::string& other = corpus[below(random, corpus.size())];
            bytes = bytes.substr(0, at) + other.substr(below(random, other.size() + 1));
        }
    }
}

void run(const std::string& bytes, Current& current) {
    current.size = std::min(bytes.size(), sizeof current.bytes);
    std::memcpy(current.bytes, bytes.data(), current.size);
    alarm(one_input_s_max);
    // A copy of exactly this size, so that a sanitizer sees a read past its end.
    const std::vector<std::uint8_t> exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

struct Plan {
    std::vector<std::string> corpus;
    long runs;
    long seconds;
    std::uint64_t seed;
};

void fuzz(const Plan& plan, Current& current) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(plan.seconds);
    for (const std::string& bytes : plan.corpus) run(bytes, current);
    Random random(plan.seed);
    while (plan.seconds > 0 ? std::chrono::steady_clock::now() < end : current.done < plan.runs) {
        std::string bytes = plan.corpus[below(random, plan.corpus.size())];
        for (std::size_t i = 1 + below(random, 8); i > 0; --i) {
            mutate(bytes, plan.corpus, random);
            if (bytes.size() > input_bytes_max) break;
        }
        if (bytes.size() > input_bytes_max) continue;
        run(bytes, current);
        ++current.done;
    }
}

int report(const Plan& plan, const Current& current, int status, const char* program) {
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        std::printf("%ld mutations, nothing broken\n", current.done);
        return 0;
    }
    const auto path = std::filesystem::absolute(std::filesystem::path(program).filename().string() +
                                                "-" + std::to_string(plan.seed) + "-" +
                                                std::to_string(current.done) + ".input");
    std::ofstream(path, std::ios::binary)
        .write(current.bytes, static_cast<std::streamsize>(current.size));
    if (WIFSIGNALED(status)) std::printf("ended by: %s\n", strsignal(WTERMSIG(status)));
    std::printf("the input is saved; this runs it alone:\n  %s %s --runs 0\n", program,
                path.c_str());
    std::printf(
        "it was the one after %ld mutations; this runs them all again:\n"
        "  --seed %llu --runs %ld\n",
        current.done, static_cast<unsigned long long>(plan.seed), current.done + 1);
    return 1;
}

const char* option(int argc, char** argv, const char* name, const char* otherwise) {
    for (int i = 2; i + 1 < argc; ++i) {
        if (std::strcmp(argv[i], name) == 0) return argv[i + 1];
    }
    return otherwise;
}

// Not base/rng: a fuzzer may be linked without Pawl's libraries.
std::uint64_t new_seed() {
    std::uint64_t seed = 0;
    if (getentropy(&seed, sizeof seed) != 0) std::abort();
    return seed;
}

std::uint64_t seed_of(int argc, char** argv) {
    const char* given = option(argc, argv, "--seed", std::getenv("PAWL_TEST_SEED"));
    return given == nullptr ? new_seed() : std::strtoull(given, nullptr, 10);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s CORPUS|INPUT [--runs N] [--seconds S] [--seed X]\n",
                     argv[0]);
        return 2;
    }
    const Plan plan{read_corpus(argv[1]), std::atol(option(argc, argv, "--runs", "2000")),
                    std::atol(option(argc, argv, "--seconds", "0")), seed_of(argc, argv)};
    void* const shared =
        mmap(nullptr, sizeof(Current), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) std::abort();
    auto& current = *static_cast<Current*>(shared);
    std::printf("%zu inputs, PAWL_TEST_SEED=%llu\n", plan.corpus.size(),
                static_cast<unsigned long long>(plan.seed));
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);  // a timeout of ctest ends both
        fuzz(plan, current);
        std::fflush(stdout);
        std::_Exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    return report(plan, current, status, argv[0]);
}
