#include "controllers/http/http_edge.hpp"

#include <drogon/HttpAppFramework.h>

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <unordered_map>

#include "base/log.hpp"
#include "controllers/http/http_edge_listening.hpp"
#include "controllers/http/http_edge_mailbox.hpp"
#include "controllers/http/http_edge_reply.hpp"
#include "controllers/http/http_gate.hpp"
#include "controllers/http/problem.hpp"

namespace pawl::http {
namespace {

using namespace std::chrono_literals;

Request to_request(ForwardedRequest& handed) {
    Request request;
    request.method = std::move(handed.request.method);
    request.target = std::move(handed.request.target);
    request.headers = std::move(handed.request.headers);
    request.body = std::move(handed.request.body);
    request.received_at = handed.received_at;
    request.remote = std::move(handed.remote);
    request.listener = handed.listener;
    request.reservation = std::move(handed.reservation);
    return request;
}

Reply to_reply(const FramingRefusal& refusal) {
    if (refusal.status == 503) return unavailable(refusal.code, refusal.detail);
    return problem(refusal.status, refusal.code, refusal.detail);
}

// Answers by listener and status. A look-up by labels costs a lock and a copy of the labels; after
// the first answer of a status its counter is at hand.
class AnswerCounters {
  public:
    explicit AnswerCounters(Family<Counter>& family) : family_(family) {}
    Counter& of(Listener listener, int status) {
        const bool admin = listener == Listener::admin;
        const auto make = [&]() -> Counter& {
            return family_.with({admin ? "admin" : "public", std::to_string(status)});
        };
        if (status < 0 || status >= statuses) return make();
        auto& known = known_[admin ? 1 : 0][static_cast<std::size_t>(status)];
        Counter* counter = known.load(std::memory_order_relaxed);
        if (counter == nullptr) known.store(counter = &make(), std::memory_order_relaxed);
        return *counter;
    }

  private:
    static constexpr int statuses = 600;
    Family<Counter>& family_;
    std::array<std::array<std::atomic<Counter*>, statuses>, 2> known_{};
};

}  // namespace

// Callbacks capture `this`: Drogon runs none of them once stop() has joined its threads, and
// answers that come after that find the lifeline closed.
struct Edge::Inner {
    Inner(EdgeOptions o, Routes r, const Clock& c, Metrics& m);

    Result<void> reserve_ports();
    void configure();
    void take_over();
    std::size_t loop_count() const;
    void before_listening(int fd);
    void on_request(drogon::AdviceCallback&& done);
    Responder::Send send_through(const ForwardedRequest& handed, drogon::AdviceCallback&& done);
    Responder::Hop to_this_thread() const;

    EdgeOptions options;
    const Routes routes;
    ReservedPort open_port;
    ReservedPort admin_port;
    Gate gate;
    Listening listening;
    AnswerCounters requests;
    Counter& unanswered;
    std::shared_ptr<Lifeline> lifeline = std::make_shared<Lifeline>();
    // Fixed before any thread reads it.
    std::unordered_map<const trantor::EventLoop*, std::shared_ptr<Mailbox>> mailboxes;
    std::filesystem::path scratch;
    std::thread thread;
    std::optional<std::chrono::steady_clock::time_point> give_up;  // once it drains
};

Edge::Inner::Inner(EdgeOptions o, Routes r, const Clock& c, Metrics& m)
    : options(std::move(o)),
      routes(std::move(r)),
      gate(options.gate, c, m,
           [this](const trantor::InetAddress& local) {
               return options.admin && local.toPort() == admin_port.port() ? Listener::admin
                                                                           : Listener::open;
           }),
      requests(m.counter("pawl_http_requests_total", "Answers by listener and status.",
                         {"listener", "status"})),
      unanswered(m.counter("pawl_http_unanswered_total",
                           "Requests that a bug left without an answer; each got a 500.")
                     .alone()) {}

Result<void> Edge::Inner::reserve_ports() {
    const auto reserve = [](const std::optional<ListenAddress>& address,
                            ReservedPort& port) -> Result<void> {
        if (!address) return {};
        auto taken = ReservedPort::take(*address);
        if (!taken) return taken.error();
        port = std::move(*taken);
        return {};
    };
    if (auto open = reserve(options.open, open_port); !open) return open;
    if (auto admin = reserve(options.admin, admin_port); !admin) return admin;
    if (!options.open && !options.admin) return invalid("there is no address to listen on");
    // Listeners are told apart by their port.
    if (options.open && options.admin && open_port.port() == admin_port.port()) {
        return invalid("the public and the admin listener need different ports");
    }
    return {};
}

// Switches off or bounds everything that Drogon does with a request by itself.
void Edge::Inner::configure() {
    auto& app = drogon::app();
    if (options.open) app.addListener(options.open->ip, open_port.port());
    if (options.admin) app.addListener(options.admin->ip, admin_port.port());
    scratch = std::filesystem::temp_directory_path() /
              ("pawl-" + std::to_string(::getpid()));  // Drogon insists on making folders
    app.enableReusePort(true);                         // the port was checked before
    app.setUploadPath(scratch.string())
        .setThreadNum(loop_count())
        .disableSigtermHandling()
        .enableServerHeader(false)
        .enableGzip(false)
        .enableBrotli(false)
        .setIdleConnectionTimeout(0)  // the gate has deadlines of its own
        .setKeepaliveRequestsNumber(0)
        .setPipeliningRequestsNumber(0)
        // The gate counts, and those that make room are still counted by Drogon for a moment.
        .setMaxConnectionNum(2 * (options.gate.open.connections + options.gate.admin.connections))
        .setClientMaxBodySize(options.gate.connection.framing.body_bytes)
        .setClientMaxMemoryBodySize(options.gate.connection.framing.body_bytes)
        .setBeforeListenSockOptCallback([this](int fd) { before_listening(fd); })
        .setAfterAcceptSockOptCallback(give_up_on_silent_peers);
    take_over();
}

// Operators have an IO thread of their own: nothing that is done for providers keeps them waiting,
// nor the probe of /healthz on their port, and the other way round.
std::size_t Edge::Inner::loop_count() const {
    return options.threads + (options.open && options.admin ? 1 : 0);
}

// Drogon listens on every port in every IO thread. The sockets of a port that is not the thread's
// are closed again before anything is accepted there.
void Edge::Inner::before_listening(int fd) {
    auto* const loop = trantor::EventLoop::getEventLoopOfCurrentThread();
    const bool for_admin = loop == drogon::app().getIOLoop(loop_count() - 1);
    const bool both = options.open && options.admin;
    if (both && for_admin != (bound_port(fd) == admin_port.port())) {
        loop->queueInLoop([fd] { close_listening(fd); });  // behind its listen()
    } else {
        listening.add(fd);
    }
}

// From here on Pawl's own code decides: the gate about connections, the routes about requests.
void Edge::Inner::take_over() {
    auto& app = drogon::app();
    app.setConnectionCallback(
        [this](const trantor::TcpConnectionPtr& socket) { gate.on_connection(socket); });
    app.registerPreRoutingAdvice(
        [this](const drogon::HttpRequestPtr&, drogon::AdviceCallback&& done,
               drogon::AdviceChainCallback&&) { on_request(std::move(done)); });
    app.registerBeginningAdvice([this] {
        std::vector<trantor::EventLoop*> loops;
        for (std::size_t i = 0; i < loop_count(); ++i) {
            loops.push_back(drogon::app().getIOLoop(i));
            mailboxes.emplace(loops.back(), std::make_shared<Mailbox>(loops.back(), lifeline));
            const bool for_admin = i == options.threads;
            loops.back()->queueInLoop(
                [for_admin] { pthread_setname_np(pthread_self(), for_admin ? "admin-io" : "io"); });
        }
        gate.watch(loops);
    });
}

Responder::Send Edge::Inner::send_through(const ForwardedRequest& handed,
                                          drogon::AdviceCallback&& done) {
    return [this, life = lifeline, listener = handed.listener, answered = handed.answered,
            done = std::move(done)](Reply reply) {
        std::shared_lock lock(life->mutex);
        if (!life->open) return;
        requests.of(listener, reply.status).add();
        done(to_drogon(std::move(reply), listener));
        answered();
    };
}

Responder::Hop Edge::Inner::to_this_thread() const {
    return [box = mailboxes.at(trantor::EventLoop::getEventLoopOfCurrentThread())](
               std::function<void()> work) { box->post(std::move(work)); };
}

void Edge::Inner::on_request(drogon::AdviceCallback&& done) {
    auto handed = Gate::take_forwarded();
    if (!handed) {  // cannot be: Drogon has been fed past the gate
        return done(to_drogon(problem(500, "internal", "request: not routed; report this bug"),
                              Listener::admin));
    }
    const Responder respond(send_through(*handed, std::move(done)), unanswered, to_this_thread());
    if (handed->refusal) return respond(to_reply(*handed->refusal));
    routes.dispatch(to_request(*handed), respond);
}

Edge::Edge(EdgeOptions options, Routes routes, const Clock& clock, Metrics& metrics)
    : inner_(std::make_unique<Inner>(std::move(options), std::move(routes), clock, metrics)) {}

Edge::~Edge() {
    stop();
}

std::uint16_t Edge::open_port() const {
    return inner_->open_port.port();
}
std::uint16_t Edge::admin_port() const {
    return inner_->admin_port.port();
}

Result<void> Edge::start() {
    Inner& in = *inner_;
    if (auto reserved = in.reserve_ports(); !reserved) return reserved;
    redirect_drogons_log();
    in.configure();
    in.thread = std::thread([] {
        pthread_setname_np(pthread_self(), "drogon");
        drogon::app().run();
    });
    // One a thread: `threads` of the public port, or of the only one, and one more of the other.
    if (!in.listening.wait_for(in.loop_count(), 10s)) {
        return Error{ErrorKind::internal, "the server threads did not begin to listen"};
    }
    std::error_code ignored;
    std::filesystem::remove_all(in.scratch, ignored);
    return {};
}

void Edge::drain() {
    Inner& in = *inner_;
    if (!in.thread.joinable() || in.give_up) return;
    in.give_up = std::chrono::steady_clock::now() + in.options.drain_within;
    in.listening.close();
    in.gate.drain();
}

void Edge::stop() {
    Inner& in = *inner_;
    if (!in.thread.joinable()) return;
    drain();
    const auto give_up = *in.give_up;
    const auto wait_while = [give_up](const auto& condition) {
        while (condition() && std::chrono::steady_clock::now() < give_up) {
            std::this_thread::sleep_for(5ms);
        }
    };
    // Requests on an open connection are answered 503 for as long as the edge drains.
    wait_while([&in] { return in.gate.in_flight() > 0; });
    in.gate.hang_up();
    wait_while([&in] { return in.gate.connections() > 0; });
    if (in.gate.connections() > 0) {
        log::warn("connections cut at the end of the drain time",
                  {{"connections", in.gate.connections()}});
    }
    {
        std::unique_lock lock(in.lifeline->mutex);
        in.lifeline->open = false;
    }
    in.gate.stop();
    drogon::app().quit();
    in.thread.join();
}

}  // namespace pawl::http
