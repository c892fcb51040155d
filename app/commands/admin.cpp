// The admin API in the terminal: a command is a request to the same handlers, in this process, as
// the principal `terminal:<user>`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <memory>

#include "app/admin_answer.hpp"
#include "app/commands/admin_table.hpp"
#include "app/commands/commands.hpp"
#include "app/database.hpp"
#include "app/job_parts.hpp"
#include "app/recovering.hpp"
#include "app/wiring.hpp"
#include "base/json.hpp"
#include "controllers/admin/table.hpp"

namespace pawl::app {
namespace {

using http::Parameter;

struct Options {
    std::map<std::string, std::string, std::less<>> parameters;  // path and query, by name
    std::map<std::string, std::string, std::less<>> members;     // members of the body
    bool as_json = false;
};

// Every byte but letters, digits, - and _.
std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '-' || c == '_';
        out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

std::string target_of(const http::Operation& operation, const Options& options) {
    std::string path = operation.path, query;
    for (const Parameter& one : operation.parameters) {
        const auto given = options.parameters.find(one.name);
        if (given == options.parameters.end()) continue;
        if (one.in == Parameter::In::path) {
            const std::string place = "{" + one.name + "}";
            path.replace(path.find(place), place.size(), percent_encoded(given->second));
        } else {
            query += (query.empty() ? "?" : "&") + one.name + "=" + percent_encoded(given->second);
        }
    }
    return path + query;
}

// A text for a number that is none in JSON (as 0162) is sent as a string, and refused like any
// other client's.
std::string body_of(const http::Operation& operation, const Options& options) {
    if (!operation.body) return "";
    json::Writer out;
    out.begin_object();
    for (const auto& [name, text] : options.members) {
        const auto& schema = *operation.body->properties.at(name);
        out.key(name);
        const bool is_text = schema.kinds.contains(json::Kind::string) ||
                             schema.mismatch_of_text(text) || !json::Document::parse(text);
        if (is_text) {
            out.string(text);
        } else {
            out.raw(text);
        }
    }
    out.end_object();
    return out.take();
}

// The handlers of the admin API, on a session and a thread of this process.
class InProcess {
  public:
    InProcess(const Settings& settings, intents::Configured configured,
              const db::SessionOptions& session, std::vector<providers::Provider> providers,
              const Clock& clock)
        : sessions_(session, 1) {
        const auto authenticate =
            [](std::string_view) -> Result<std::optional<access::TokenIdentity>> {
            return std::optional(
                access::TokenIdentity{terminal_principal(), access::TokenRole::operating});
        };
        http::add_admin(routes_, {sessions_, blocking_, authenticate},
                        {std::move(providers), std::move(configured), provider_names(settings),
                         [this] { changed_ = true; }, session, verify_, clock});
    }
    ~InProcess() {
        blocking_.stop();
        verify_.stop();
    }

    http::Reply ask(http::Request request) {
        request.listener = http::Listener::admin;
        request.headers.emplace_back("Authorization", "Bearer terminal");
        const auto promise = std::make_shared<std::promise<http::Reply>>();
        auto reply = promise->get_future();
        const auto send = [promise](http::Reply made) { promise->set_value(std::move(made)); };
        routes_.dispatch(std::move(request), http::Responder(send, unanswered_));
        return reply.get();
    }
    bool changed() const { return changed_; }

  private:
    db::Pool sessions_;
    Executor blocking_{"admin", 1, 1};
    Executor verify_{"verify", 1, 1};
    Counter unanswered_;
    std::atomic<bool> changed_{false};  // jobs may be staged
    http::Routes routes_;
};

http::Request request_of(const http::Operation& operation, const Options& options) {
    http::Request request;
    request.method = operation.method;
    request.target = target_of(operation, options);
    request.query =
        request.target.substr(std::min(request.target.find('?'), request.target.size()));
    if (!request.query.empty()) request.query.erase(0, 1);
    request.params = options.parameters;
    request.body = body_of(operation, options);
    return request;
}

// As the running server was started; a terminal has other variables, or none.
intents::Configured configured_beside(const std::optional<RunningServer>& server) {
    intents::Configured configured;
    configured.known = false;
    if (!server) return configured;
    const Loaded loaded = load(started_as(*server));
    return loaded.ok() ? configured_in(loaded.settings) : configured;
}

int run(const Verb& verb, const Options& options, const Context& context) {
    const http::Operation& operation = http::shipped_operation(verb.method, verb.path);
    http::Request request = request_of(operation, options);
    AnswerView view{options.as_json, SystemClock().now()};
    // Checked first: a refused request needs no database.
    if (const auto refused = operation.refusal(request)) {
        return show_answer(verb, *refused, view, context);
    }
    const bool change = verb.method != "GET";
    LoadOptions load_options;
    // An event is read by their rules.
    load_options.with_providers = change || verb.noun == "providers";
    load_options.folder = context.config_folder;
    const auto beside = context.beside_server(std::move(load_options));
    if (!beside) return exit_wrong;
    const auto settings = context.settings(beside->options);
    if (!settings) return exit_wrong;
    auto configured = configured_beside(beside->server);
    if (!configured.known && verb.noun == "attention") {
        context.err.line(
            "pawl: not judged here: which gateways and subscribers are configured; no server of "
            "this database was found on this machine (GET /admin/v1/attention asks a server)");
    }
    const auto compiled = compile_providers(*settings);
    if (!compiled) return context.fail(compiled.error());
    const SystemClock clock;
    const auto database = Database::use(*settings, clock, std::string(verb.noun));
    if (!database) return context.fail(database.error());
    try {
        db::Session session(database->as_runtime());
        if (change) {
            if (auto right = check_may_post(*settings, session); !right) {
                return context.fail(right.error());
            }
        }
        const auto session_options = change ? database->as_runtime() : database->as_reader();
        InProcess api(*settings, std::move(configured), session_options, *compiled, clock);
        request.params.clear();
        const http::Reply reply = api.ask(std::move(request));
        if (api.changed()) notify_once(settings->work, session);
        return show_answer(verb, reply, view, context);
    } catch (const db::Failure& failure) {
        return context.fail(explained(failure));
    }
}

// correlation_id is --correlation-id.
std::string option_of(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
}

std::string about(const std::string& description, const http::Schema& schema) {
    if (schema.words.empty()) return description;
    const std::string words = fmt::format("{}", fmt::join(schema.words, ", "));
    return description.empty() ? words : description + " " + words;
}

std::vector<FormMember> form_of(const Verb& verb, const http::Operation& operation) {
    if (!verb.form.empty() || !operation.body) return verb.form;
    std::vector<FormMember> form;
    for (const auto& [name, schema] : operation.body->properties) {
        const bool required = operation.body->required.contains(name);
        form.push_back({name, required ? Given::as_option : Given::if_known});
    }
    return form;
}

void add_options(CLI::App& command, const Verb& verb, const std::shared_ptr<Options>& options) {
    const http::Operation& operation = http::shipped_operation(verb.method, verb.path);
    const auto into = [&options](auto Options::*map, const std::string& name) {
        return [options, map, name](const std::string& text) { (*options.*map)[name] = text; };
    };
    for (const Parameter& one : operation.parameters) {
        const bool path = one.in == Parameter::In::path;
        command
            .add_option_function<std::string>(path ? one.name : option_of(one.name),
                                              into(&Options::parameters, one.name),
                                              about(one.description, *one.schema))
            ->required(one.required);
    }
    for (const FormMember& one : form_of(verb, operation)) {
        const std::string name(one.name);
        const http::Schema& schema = *operation.body->properties.at(name);
        const bool argument = one.given == Given::as_argument;
        command
            .add_option_function<std::string>(argument ? name : option_of(name),
                                              into(&Options::members, name),
                                              about(schema.description, schema))
            ->required(one.given != Given::if_known);
    }
    command.add_flag("--json", options->as_json, "the API's answer, as it is");
    command.footer(fmt::format("Example: pawl {} {} {}", verb.noun, verb.verb, verb.example));
}

constexpr std::pair<std::string_view, const char*> nouns[] = {
    {"attention", "items that need an operator, oldest first"},
    {"intents", "events and their outcomes"},
    {"rejections", "rejected deliveries"},
    {"providers", "providers, and the pause and resumption of their events"},
    {"accounts", "balances"},
    {"transfers", "the journal of an account, and an operator's entries in it"},
    {"workflows", "runs of workflows, and an operator's decisions about them"},
    {"jobs", "staged work, such as notifications"},
    {"audit", "changes by operators, with their reasons"},
};

// `pawl jobs --limit 5` is `pawl jobs list --limit 5`. Before another verb, these
// options are an error.
void add_bare_list(CLI::App& command, const Verb& list, Context& context) {
    const auto options = std::make_shared<Options>();
    add_options(command, list, options);
    command.callback([&context, &command, &list, options] {
        if (command.get_subcommands().empty()) {
            context.run = [&context, &list, options] { return run(list, *options, context); };
            return;
        }
        for (const CLI::Option* option : command.get_options()) {
            if (option->count() > 0) throw CLI::ExtrasError({option->get_name()});
        }
    });
}

}  // namespace

void add_admin(CLI::App& app, Context& context) {
    for (const auto& [noun, description] : nouns) {
        CLI::App* const command = app.add_subcommand(std::string(noun), description);
        bool lists = false;
        const Verb* first = nullptr;
        for (const Verb& verb : admin_verbs()) {
            if (verb.noun != noun) continue;
            if (first == nullptr) first = &verb;
            // A filter that needs an argument has to be named.
            lists = lists || (verb.verb == "list" && verb.path.find('{') == verb.path.npos);
            const auto options = std::make_shared<Options>();
            const std::string& summary = http::shipped_operation(verb.method, verb.path).summary;
            CLI::App* const sub = command->add_subcommand(
                std::string(verb.verb), verb.summary.empty() ? summary : std::string(verb.summary));
            add_options(*sub, verb, options);
            sub->callback([&context, &verb, options] {
                context.run = [&context, &verb, options] { return run(verb, *options, context); };
            });
        }
        command->require_subcommand(lists ? 0 : 1, 1);
        if (lists) add_bare_list(*command, *first, context);
        command->footer(fmt::format("Example: pawl {} {} {}", noun, first->verb, first->example));
    }
}

}  // namespace pawl::app
