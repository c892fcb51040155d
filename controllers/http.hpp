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

#include "base/clock.hpp"
#include "base/metrics.hpp"

namespace pawl::http {

using HeaderLines = std::vector<std::pair<std::string, std::string>>;

enum class Listener : std::uint8_t { open, admin };  // `open` faces the providers

enum class Role : std::uint8_t { api, viewer, operating };

struct Principal {
    std::string name;
    Role role = Role::viewer;
};

// Where a request came in. Work for it that is done elsewhere may end there, together with that for
// others. `post` may be called from every thread.
class Home {
  public:
    virtual ~Home() = default;
    virtual void post(std::function<void()> work) = 0;
};

struct Request {
    std::string method;
    std::string target;  // path and query as sent: what some providers sign
    std::string path;    // as sent, without the query
    std::string query;   // as sent, without the question mark
    std::map<std::string, std::string, std::less<>> params;  // of the route's pattern, decoded
    HeaderLines headers;                                     // every line, in order
    std::string body;                                        // exactly the bytes sent
    Time received_at;
    std::string remote;  // address and port
    Listener listener = Listener::open;
    std::optional<Principal> principal;  // where the route demands a token
    std::shared_ptr<void> lease;         // holds this request's share of the memory budget
    std::shared_ptr<Home> home;          // nothing: answer from where you are

    // The first line of that name; compared without case.
    std::optional<std::string_view> header(std::string_view name) const;
    // The first parameter of that name, percent-decoded.
    std::optional<std::string> query_value(std::string_view name) const;
    std::vector<std::string> query_names() const;           // of all parameters, percent-decoded
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
// answer, the request gets a 500, so that no client waits for a bug of ours.
class Responder {
  public:
    using Send = std::function<void(Reply)>;

    Responder(Send send, Counter& unanswered);
    void operator()(Reply reply) const;
    // Where somebody else may have been faster, which then is no mistake. True: it was this one.
    bool unless_answered(Reply reply) const;
    bool answered() const;
    const void* id() const { return once_.get(); }  // the same for all copies

  private:
    struct Once;
    std::shared_ptr<Once> once_;
};

using Handler = std::function<void(RequestPtr, Responder)>;

// %41 becomes A, and nothing else changes. Nothing: a broken escape, or a NUL.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace pawl::http
