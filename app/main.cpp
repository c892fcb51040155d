// The program. Every operation is a command; cli.cpp lists them.
#include <cstdio>
#include <exception>

#include "app/cli.hpp"
#include "outbound/http_client.hpp"

int main(int argc, char** argv) {
    try {
        pawl::outbound::start_http();  // before there is a second thread
        return pawl::app::run_cli(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "pawl: internal error: %s; please report it\n", error.what());
        return pawl::app::exit_code(pawl::ErrorKind::internal);
    }
}
