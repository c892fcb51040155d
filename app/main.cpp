// The program. Everything it does is a command; cli.cpp lists them.
#include <cstdio>
#include <exception>

#include "app/cli.hpp"

int main(int argc, char** argv) {
    try {
        return pawl::app::run_cli(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "pawl: internal error: %s; please report it\n", error.what());
        return pawl::app::exit_code(pawl::ErrorKind::internal);
    }
}
