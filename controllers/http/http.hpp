// Requests and replies as endpoints see them: plain values, no Drogon. A Request is shared and
// never changes once a handler has it. A Responder may be copied and used from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "access/identity.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "base/timer.hpp"
#include "controllers/http/http_framing.hpp"

namespace pawl::http {

enum class Listener : std::uint8_t { open, admin };  // `open` faces the providers

struct Request {
    std::string method;
    std::string target;  // path and query as sent: what some providers sign
    std::string path;    // as sent, without the query
    std::string query;   // as sent, without the question mark
    std::map<std::string, std::string, std::less<>> params;  // from the route, decoded
    HeaderLines headers;                                     // every line, in order
    std::string body;                                        // exactly the bytes sent
    Time received_at;
    std::string remote;  // address and port
    Listener listener = Listener::open;
    std::optional<access::TokenIdentity> principal;  // where the route demands a token
    std::shared_ptr<void> reservation;  // holds this request's share of the memory budget

    // Returns the first line of that name, ignoring case; nullopt if there is none.
    std::optional<std::string_view> header(std::string_view name) const;
    // The first parameter of that name, percent-decoded.
    std::optional<std::string> query_value(std::string_view name) const;
    // Every parameter in order, percent-decoded; nullopt where the escapes are broken.
    using QueryPair = std::pair<std::optional<std::string>, std::optional<std::string>>;
    std::vector<QueryPair> query_pairs() const;
    const std::string& param(std::string_view name) const;  // empty where the pattern has none
};

using RequestPtr = std::shared_ptr<Request>;  // the handler's own: it may move parts of it away

struct Reply {
    int status = 200;
    std::string content_type = "application/json";
    HeaderLines headers;
    std::string body;
};

// Answers one request exactly once. Later answers are dropped; when the last copy goes without an
// answer, the request gets a 500, so that no client waits because of a bug. An answer may come from
// any thread; it is sent on the thread of the request's connection.
class Responder {
  public:
    using Send = std::function<void(Reply)>;
    using Make = std::function<Reply()>;
    // Runs the work on the thread that `send` is for.
    using Hop = std::function<void(std::function<void()>)>;

    // Without a hop `send` is called on the answering thread.
    Responder(Send send, Counter& unanswered, Hop hop = {});
    void operator()(Reply reply) const;
    // Makes the reply on the connection's thread as well: the calling thread continues at once, and
    // memory allocated there is freed there, which is much cheaper.
    void made_by(Make make) const;
    // For races that are not mistakes. Returns true if this answer was the first.
    bool unless_answered(Reply reply) const;
    // Sends this answer at that time, unless another came first. A second call replaces the first;
    // by one thread at a time.
    void answer_by(Timer& timer, Timer::Steady time, Reply reply) const;
    bool answered() const;

  private:
    struct Once;
    std::shared_ptr<Once> once_;
};

using Handler = std::function<void(RequestPtr, Responder)>;

// Decodes %41 to A, and nothing else. Returns nullopt for a broken escape, or a NUL.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace pawl::http
