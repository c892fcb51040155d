// The content of a provider file as plain values: the app fills it from TOML, Provider::create
// validates and compiles it. Texts such as "/pointer" or "header:NAME" stay texts here, so that
// every error about them comes from one place. Values; no thread rules.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/keys.hpp"
#include "base/mode.hpp"
#include "base/result.hpp"
#include "providers/event.hpp"

namespace pawl::providers {

enum class Alg {
    hmac_sha1,
    hmac_sha256,
    hmac_sha512,
    sha256,  // a plain hash over a template that contains {secret}
    sha512,
    rsa_pkcs1_sha256,
    ed25519,
    token,         // the header is the secret itself
    token_sha256,  // the header is the secret's SHA-256
};
enum class Encoding { hex, base64, base64url };
enum class KeyDecode { raw, hex, base64 };
enum class TimeUnit { seconds, milliseconds, iso };
enum class Covers { full, partial, none };  // how much of the body the signature proves
enum class AmountIs { delta, total };
enum class AmountUnit { minor, major };
enum class OrderScope { account, object };
enum class InProgress { accept, conflict };

// Several signatures in one header: "t=1,v1=aa,v1=bb" is {sep ",", kv "=", accept "v1", ts "t"};
// "v1,aa v1a,bb" is {sep " ", kv ",", accept "v1"}. Without kv every element is a signature.
struct SignatureList {
    std::string sep;
    std::string kv;
    std::string accept;
    std::string ts;  // the element that carries the timestamp, if one does
};

struct TimestampRule {
    std::string from = "list";  // "header:NAME", "json:/pointer", or "list" (the list's `ts`)
    TimeUnit unit = TimeUnit::seconds;
    Duration max_age = std::chrono::seconds(300);
    Duration max_future = std::chrono::seconds(300);
};

struct KeyRule {
    KeyDecode decode = KeyDecode::raw;
    std::string strip;      // a prefix that is not part of the key, such as "whsec_"
    std::string select_by;  // "header:NAME" holding a key id; secrets are then written "id:secret"
};

struct SchemeConfig {
    Alg alg = Alg::hmac_sha256;
    std::string source;  // "header:NAME" or "json:/pointer"
    Encoding encoding = Encoding::hex;
    std::string prefix;  // before the signature, as in "sha256=..."
    bool prefix_optional = false;
    std::string suffix;  // after it, as in "...###1"
    std::optional<SignatureList> list;
    std::string sign = "{body}";  // {body} {ts} {id} {url} {secret} {json:/pointer} {header:NAME}
    std::string id;  // where {id} comes from; empty: the header that read.event_id names
    std::optional<TimestampRule> timestamp;
    KeyRule key;
    Covers covers = Covers::full;
};

// Where a piece of text comes from: "/pointer", "header:NAME", "sha256:body" (of the item's bytes),
// or, where that makes sense, anything else as a literal.
struct ReadPart {
    std::string at;
    bool optional = false;  // missing reads as empty; otherwise missing quarantines
};
using ReadParts = std::vector<ReadPart>;

// Pointers into the body, and the values that each may have.
using Conditions = std::vector<std::pair<std::string, std::vector<std::string>>>;

// When an event happened at the provider.
struct EventTime {
    std::string at;  // empty: it does not say
    TimeUnit unit = TimeUnit::seconds;
};

struct ReadConfig {
    std::string items;  // pointer to the array of a batch; empty: the body is one event
    std::int64_t items_max = 1000;
    ReadParts event_id;
    ReadParts type;
    ReadParts object;
    std::string sequence;
    EventTime time;
    Conditions expect;  // other events are authentic, but for another receiver (not_for_us)
    Conditions live;    // how an event shows that it is of live mode; empty: it does not show it
};

// One movement of a rule that posts several. A field that is empty is as the rule has it.
struct MoveConfig {
    Action action = Action::ignore;
    std::string each;  // pointer to an array: posted for each of its elements
    std::string account;
    std::string amount;
    std::optional<AmountIs> amount_is;
    std::optional<AmountUnit> unit;
    std::string currency;
    ReadParts effect_key;
    std::vector<ReadParts> formerly;  // earlier effect keys, each with its books first
};

struct RuleConfig {
    std::string when;  // exact, or with a trailing *
    // An event that says otherwise is none of this rule's, and the next rule is asked. A field
    // without a value must be absent.
    Conditions where;
    Action action = Action::ignore;
    std::string workflow;  // for start and signal
    std::string signal;    // location of Pawl's own key, which finds the run to signal
    std::string account;
    std::string amount;
    AmountIs amount_is = AmountIs::delta;
    AmountUnit unit = AmountUnit::minor;
    std::string currency;
    ReadParts effect_key;             // a literal kind first: ["capture", "/payment_id"]
    std::vector<ReadParts> needs;     // each an effect key; TOML may write a single one bare
    std::vector<ReadParts> formerly;  // earlier effect keys, each with its books first
    Unmet unmet = Unmet::park;
    Dispute dispute = Dispute::none;
    std::vector<MoveConfig> moves;  // empty: the one movement that the rule itself describes
    OrderingPolicy order = OrderingPolicy::late_ok;
    OrderScope order_scope = OrderScope::account;
    std::optional<Sequence> sequence_start = Sequence{1};  // nullopt: "first", whatever comes first
    Duration gap_deadline = std::chrono::hours(1);
    Duration needs_deadline = std::chrono::hours(72);
    bool confirm_by_fetch = false;  // confirm = "fetch"
    bool trust_transport = false;   // trust = "transport"
    std::vector<std::string> jobs;
};

struct FetchConfig {
    std::string url;
    std::string auth;
    std::string amount;
    AmountUnit unit = AmountUnit::minor;
    std::string currency;
    std::string state;
    std::vector<std::string> settled;
};

struct ProviderConfig {
    std::string name;
    std::string books;  // empty: the name; create() appends the mode's suffix
    CaptureShape captures = CaptureShape::one;
    Mode mode = Mode::live;              // the one that the installation serves
    std::string preset;                  // scheme = "stripe"
    std::optional<SchemeConfig> scheme;  // [scheme]; exactly one of the two
    std::vector<std::string> secrets;    // any may match: rotate by listing two
    Duration retry_window = std::chrono::hours(72);
    std::optional<Duration> retention;  // nullopt: "forever"
    InProgress in_progress = InProgress::accept;
    std::optional<std::string> ack_text;  // ack = "text:[accepted]"; nullopt: "json"
    std::string url;                      // only for schemes that sign the URL
    std::string webhook_id;               // PayPal
    std::vector<std::string> roots;       // PayPal: PEM files
    std::string public_key;               // Braintree
    ReadConfig read;
    std::vector<RuleConfig> rules;
    std::optional<FetchConfig> fetch;
};

// The words of the provider files. An error lists the words that would have been right.
Result<Alg> parse_alg(std::string_view text);
Result<Encoding> parse_encoding(std::string_view text);
Result<KeyDecode> parse_key_decode(std::string_view text);
Result<TimeUnit> parse_time_unit(std::string_view text);
Result<Covers> parse_covers(std::string_view text);
Result<AmountIs> parse_amount_is(std::string_view text);
Result<AmountUnit> parse_amount_unit(std::string_view text);
Result<CaptureShape> parse_captures(std::string_view text);
Result<Unmet> parse_unmet(std::string_view text);
Result<Dispute> parse_dispute(std::string_view text);
Result<OrderingPolicy> parse_order(std::string_view text);
Result<OrderScope> parse_order_scope(std::string_view text);
Result<InProgress> parse_in_progress(std::string_view text);

struct Effect {
    Action action = Action::ignore;
    std::string workflow;
};
Result<Effect> parse_effect(std::string_view text);  // "credit", "start:charge_order", ...
Result<std::optional<std::string>> parse_ack(std::string_view text);  // for ack_text

std::string_view to_text(Action action);
std::string_view to_text(OrderingPolicy order);
std::string_view to_text(CaptureShape shape);
std::string_view to_text(Dispute dispute);

}  // namespace pawl::providers
