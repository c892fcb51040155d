// The real program in a folder with the shipped configuration and nothing of the machine's
// environment: what it says on both streams, and the code that it ends with. One thread.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace pawl::testing {

struct Ended {
    int code = -1;
    std::string said;  // both streams
};

class ConfigProgram : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string name = (std::filesystem::temp_directory_path() / "pawl-e2e-XXXXXX").string();
        ASSERT_NE(::mkdtemp(name.data()), nullptr);
        folder_ = name;
        std::filesystem::copy(PAWL_SOURCE_DIR "/config", folder_ / "config",
                              std::filesystem::copy_options::recursive);
    }
    void TearDown() override {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
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

    Ended run(const std::string& arguments, const std::string& variables = {}) const {
        return shell(variables + " " PAWL_PROGRAM " " + arguments);
    }
    // A line for the shell, of which only the first command has a closed standard input.
    Ended shell(const std::string& line) const {
        std::ofstream(folder_ / "line.sh") << line << '\n';
        const std::string command = "cd " + folder_.string() + " && env -i PATH=/usr/bin:/bin " +
                                    "PAWL_DATA_DIR=" + folder_.string() +
                                    "/data sh line.sh 2>&1 </dev/null";
        std::FILE* pipe = ::popen(command.c_str(), "r");
        Ended ended;
        std::array<char, 4096> part{};
        while (std::fgets(part.data(), part.size(), pipe) != nullptr) ended.said += part.data();
        const int status = ::pclose(pipe);
        ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        return ended;
    }

    std::filesystem::path folder_;
};

}  // namespace pawl::testing
