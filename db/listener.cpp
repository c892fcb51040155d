#include "db/listener.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <optional>
#include <pqxx/connection>
#include <pqxx/except>

#include "db/session_state.hpp"
#include "db/sql.hpp"

namespace pawl::db {

struct Listener::State {
    SessionOptions options;
    std::string channel;
    std::optional<pqxx::connection> connection;
    bool notified = false;
    const process::Fd interrupted{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};

    void wait_for_bytes(std::chrono::milliseconds longest) const {
        pollfd either[] = {{connection->sock(), POLLIN, 0}, {interrupted.get(), POLLIN, 0}};
        poll(either, 2, static_cast<int>(longest.count()));
    }

    void connect() {
        connection.emplace(with_transport_options(options));
        connection->listen(channel, [this](const pqxx::notification&) { notified = true; });
    }
};

Listener::Listener(SessionOptions options, std::string channel)
    : state_(std::make_unique<State>()) {
    state_->options = std::move(options);
    state_->channel = std::move(channel);
}

Listener::~Listener() = default;

bool Listener::wait(std::chrono::milliseconds longest) {
    try {
        if (!state_->connection) {
            state_->connect();
            return true;
        }
        state_->notified = false;
        if (state_->connection->get_notifs() == 0) {
            state_->wait_for_bytes(longest);
            state_->connection->get_notifs();
        }
        return state_->notified;
    } catch (const std::exception& broken) {
        // Only the signal is lost with it; the next call connects again.
        state_->connection.reset();
        throw Failure(FailureKind::unreachable, "", broken.what());
    }
}

void Listener::interrupt() {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(state_->interrupted.get(), &one, sizeof one);
}

void notify(Session& session, const std::string& channel) {
    Statement::run(session, sql::Notify{.channel = channel});
}

}  // namespace pawl::db
