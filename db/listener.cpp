#include "db/listener.hpp"

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
    bool heard = false;

    void connect() {
        connection.emplace(with_transport_options(options));
        connection->listen(channel, [this](const pqxx::notification&) { heard = true; });
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
        state_->heard = false;
        const auto seconds = std::chrono::floor<std::chrono::seconds>(longest);
        const auto rest = std::chrono::microseconds(longest - seconds);
        state_->connection->await_notification(seconds.count(), static_cast<long>(rest.count()));
        return state_->heard;
    } catch (const std::exception& broken) {
        // Nothing is lost with it but the signal; the next call connects again.
        state_->connection.reset();
        throw Failure(FailureKind::unreachable, "", broken.what());
    }
}

void notify(Session& session, const std::string& channel) {
    Statement::run(session, sql::notify, Params().text(channel));
}

}  // namespace pawl::db
