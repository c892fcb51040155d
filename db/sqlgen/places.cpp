#include "db/sqlgen/places.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <set>

namespace pawl::sqlgen {
namespace {

struct Token {
    std::string_view text;  // parameter with its colon
    int line = 0;

    bool parameter() const { return text.size() > 1 && text[0] == ':' && text[1] != ':'; }
    bool word() const {
        return std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_';
    }
    std::string_view name() const { return text.substr(1); }
};
using Tokens = std::vector<Token>;

bool name_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t end_of_token(std::string_view text, std::size_t at) {
    const char c = text[at];
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("--")) return std::min(text.find('\n', at), text.size());
    if (c == '\'' || c == '"') return std::min(text.find(c, at + 1), text.size() - 1) + 1;
    if (rest.starts_with("::") || rest.starts_with("=>")) return at + 2;
    std::size_t end = at + 1;
    if (c != ':' && !name_char(c)) return end;
    while (end < text.size() && name_char(text[end])) ++end;
    return end;
}

Tokens tokens_of(std::string_view text, int line) {
    Tokens tokens;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = end_of_token(text, at);
        const std::string_view token = text.substr(at, end - at);
        const bool blank = std::isspace(static_cast<unsigned char>(token[0])) != 0;
        if (!blank && !token.starts_with("--")) tokens.push_back({token, line});
        line += static_cast<int>(std::count(token.begin(), token.end(), '\n'));
        at = end;
    }
    return tokens;
}

// A name that is given a parameter.
struct Pair {
    Token target;
    Token parameter;
};

class Reading {
  public:
    explicit Reading(const Tokens& tokens) : tokens_(tokens) {}

    std::vector<Pair> pairs() {
        for (std::size_t at = 0; at < tokens_.size(); ++at) {
            if (is(at, "=") || is(at, "=>")) assigned(at);
            if (is(at, "AS")) named(at);
            if (is(at, "INTO")) inserted(at);
        }
        return std::move(pairs_);
    }

  private:
    bool is(std::size_t at, std::string_view text) const {
        return at < tokens_.size() && tokens_[at].text == text;
    }

    void assigned(std::size_t at) {  // captured = :captured
        if (at == 0 || at + 1 >= tokens_.size()) return;
        if (tokens_[at - 1].word() && tokens_[at + 1].parameter()) {
            pairs_.push_back({tokens_[at - 1], tokens_[at + 1]});
        }
    }

    // unnest(:provider::text[], :id::text[]) AS wanted (provider, id); unnest(...) AS provider
    void named(std::size_t at) {
        if (at + 1 >= tokens_.size() || at < 2) return;
        std::size_t close = at - 1;
        if (is(close, "ORDINALITY")) close = at < 4 ? 0 : at - 3;
        if (!is(close, ")")) return;
        std::size_t open = close;
        for (int depth = 0; open > 0; --open) {
            if (is(open, ")")) ++depth;
            if (is(open, "(") && --depth == 0) break;
        }
        const std::size_t list = is(at + 1, "(") ? at + 1 : at + 2;
        if (is(list, "(")) {
            match(names_in(list), open + 1);
        } else {
            match({tokens_[at + 1]}, open + 1);
        }
    }

    // INSERT INTO payments (id, amount) VALUES (:id, :amount), or SELECT unnest(:id), ...
    void inserted(std::size_t at) {
        const std::size_t open = at + 2 < tokens_.size() && is(at + 2, ".") ? at + 4 : at + 2;
        if (!is(open, "(")) return;
        const Tokens names = names_in(open);
        std::size_t next = open + 2 * names.size() + 1;
        if (is(next - 1, ",")) return;
        next = is(next, ")") ? next + 1 : next;
        if (is(next, "VALUES")) match(names, next + 2);
        if (is(next, "SELECT")) match(names, next + 1);
    }

    // The names of "(a, b, c)".
    Tokens names_in(std::size_t open) const {
        Tokens names;
        for (std::size_t at = open + 1; at < tokens_.size() && !is(at, ")"); ++at) {
            if (!is(at, ",")) names.push_back(tokens_[at]);
        }
        return names;
    }

    // Each name with the expression at its place, where that holds one parameter.
    void match(const Tokens& names, std::size_t at) {
        for (const Token& name : names) {
            const Token* only = nullptr;
            int parameters = 0, depth = 0;
            for (; at < tokens_.size(); ++at) {
                if (depth == 0 && (is(at, ",") || is(at, ")") || is(at, "FROM"))) break;
                if (is(at, "(") || is(at, "[")) ++depth;
                if (is(at, ")") || is(at, "]")) --depth;
                if (!tokens_[at].parameter()) continue;
                only = &tokens_[at];
                ++parameters;
            }
            if (parameters == 1) pairs_.push_back({name, *only});
            if (!is(at++, ",")) return;
        }
    }

    const Tokens& tokens_;
    std::vector<Pair> pairs_;
};

}  // namespace

void refuse_exchanged(const std::string& file, int lines_before, std::string_view text,
                      const std::vector<Value>& takes) {
    const Tokens tokens = tokens_of(text, lines_before + 1);
    const std::vector<Pair> pairs = Reading(tokens).pairs();
    std::set<std::string_view> targets, parameters;
    for (const Pair& pair : pairs) targets.insert(pair.target.text);
    for (const Value& value : takes) parameters.insert(value.name);
    for (const Pair& pair : pairs) {
        const std::string_view target = pair.target.text;
        const std::string_view given = pair.parameter.name();
        if (target == given || !parameters.contains(target) || !targets.contains(given)) continue;
        throw SourceError({file, pair.parameter.line},
                          fmt::format("parameter :{}: stands in the place of {}; exchange it with "
                                      ":{}, or rename one of them",
                                      given, target, target));
    }
}

}  // namespace pawl::sqlgen
