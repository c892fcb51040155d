#include "tools/send/http_connection.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace pawl::app {

HttpConnection::HttpConnection(HttpConnection&& other) noexcept
    : addresses_(other.addresses_),
      next_address_(other.next_address_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      state_(std::exchange(other.state_, State::closed)),
      request_(std::move(other.request_)),
      written_(other.written_),
      reader_(std::move(other.reader_)),
      reply_(std::move(other.reply_)) {}

bool HttpConnection::open() {
    close();
    const Address& address = (*addresses_)[next_address_ % addresses_->size()];
    descriptor_ =
        ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor_ < 0) return false;
    const int on = 1;  // a request is written at once: waiting for more would only delay it
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const auto* where = reinterpret_cast<const sockaddr*>(&address.storage);
    if (::connect(descriptor_, where, address.length) != 0 && errno != EINPROGRESS) {
        ++next_address_;
        close();
        return false;
    }
    state_ = State::opening;  // also if it is already closed: the owner is notified in one way
    return true;
}

void HttpConnection::close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    state_ = State::closed;
    reader_ = {};
}

HttpConnection::Happened HttpConnection::send(std::string request) {
    request_ = std::move(request);
    written_ = 0;
    state_ = State::busy;
    return write();
}

HttpConnection::Happened HttpConnection::advance() {
    switch (state_) {
        case State::closed:
            return Happened::nothing;
        case State::opening:
            return finish_opening();
        case State::idle:
            return read();  // nothing was asked: only an end can come
        case State::busy:
            break;
    }
    // First, because a refusal may come before the whole request was taken.
    const Happened happened = read();
    return happened == Happened::nothing ? write() : happened;
}

HttpConnection::Happened HttpConnection::finish_opening() {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &size);
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    if (error == 0 &&
        ::getpeername(descriptor_, reinterpret_cast<sockaddr*>(&peer), &length) != 0) {
        return Happened::nothing;  // still on its way
    }
    if (error != 0) {
        ++next_address_;
        return broken();
    }
    state_ = State::idle;
    return Happened::opened;
}

HttpConnection::Happened HttpConnection::write() {
    while (written_ < request_.size()) {
        const ssize_t sent = ::send(descriptor_, request_.data() + written_,
                                    request_.size() - written_, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno == EAGAIN) return Happened::nothing;
        if (sent < 0) return broken();
        written_ += static_cast<std::size_t>(sent);
    }
    return Happened::nothing;
}

HttpConnection::Happened HttpConnection::read() {
    std::array<char, 16384> buffer;
    for (;;) {
        const ssize_t got = ::recv(descriptor_, buffer.data(), buffer.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN ? Happened::nothing : broken();
        const bool end = got == 0;
        if (state_ == State::idle) return broken();  // an end, or bytes that were not requested
        const auto state =
            end ? reader_.at_end() : reader_.feed({buffer.data(), static_cast<std::size_t>(got)});
        if (state == HttpReplyReader::State::malformed) return broken();
        if (state == HttpReplyReader::State::complete) return answered();
    }
}

HttpConnection::Happened HttpConnection::answered() {
    reply_ = reader_.take();
    const bool whole_request_sent = written_ == request_.size();
    state_ = State::idle;
    if (!reply_.keep_alive || !whole_request_sent) close();
    return Happened::answered;
}

HttpConnection::Happened HttpConnection::broken() {
    close();
    return Happened::broken;
}

}  // namespace pawl::app
