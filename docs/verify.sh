#!/usr/bin/env bash
# The three checks of an idempotent payments API, against a running server:
#
#     docs/verify.sh http://127.0.0.1:8080 TOKEN [GATEWAY]
#
# 1. The same request twice under one key: one charge, identical bytes.
# 2. Another body under the same key: refused.
# 3. Twenty at once under one key: one charge.
#
# It makes two orders of 1.00 on the gateway ("sandbox" if none is named) and has them paid. Needs
# bash and curl. Exit: 0 all checks passed, 1 one did not, 2 wrong usage, 3 no server.
set -euo pipefail

url=${1-} token=${2-} gateway=${3-sandbox}
if [[ -z $url || -z $token ]]; then
    sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
url=${url%/}
run=verify-$(date +%s)-$$
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# ask NAME METHOD PATH [BODY] [KEY]: body, headers and status land in $scratch/NAME.*
ask() {
    local name=$1 method=$2 path=$3 body=${4-} key=${5-}
    local args=(-sS --max-time 40 -X "$method" -H "Authorization: Bearer $token"
                -o "$scratch/$name.body" -D "$scratch/$name.headers" -w '%{http_code}')
    [[ -n $body ]] && args+=(-H 'Content-Type: application/json' --data-binary "$body")
    [[ -n $key ]] && args+=(-H "Idempotency-Key: $key" -H 'Prefer: wait=20')
    curl "${args[@]}" "$url$path" >"$scratch/$name.status" 2>"$scratch/$name.error" || true
}
status() { cat "$scratch/$1.status"; }
has_header() { grep -qi "^$2" "$scratch/$1.headers"; }
count() { grep -o "$2" "$scratch/$1.body" | wc -l | tr -d ' '; }

check() {  # check NAME COMMAND...
    local name=$1
    shift
    if "$@"; then
        printf '  ok    %s\n' "$name"
    else
        printf '  FAIL  %s\n' "$name"
        failed=1
    fi
}
is() { [[ $1 == "$2" ]] || { printf '        expected %s, got %s\n' "$2" "$1"; return 1; }; }
one_of() {
    local got=$1 wanted
    shift
    for wanted in "$@"; do [[ $got == "$wanted" ]] && return 0; done
    printf '        expected one of %s, got %s\n' "$*" "$got"
    return 1
}
new_order() {
    ask order PUT "/v1/orders/$1" \
        "{\"amount\":100,\"currency\":\"USD\",\"account\":\"verify\",\"gateway\":\"$gateway\"}"
    if [[ $(status order) != 201 ]]; then
        printf 'The order could not be made: %s %s\n' "$(status order)" \
            "$(cat "$scratch/order.body" 2>/dev/null)" >&2
        exit 1
    fi
}

ask policy GET /v1/idempotency
case $(status policy) in
    200) ;;
    000) printf 'No server at %s: %s\n' "$url" "$(cat "$scratch/policy.error")" >&2; exit 3 ;;
    *) printf 'GET /v1/idempotency: %s %s\n' "$(status policy)" "$(cat "$scratch/policy.body")" >&2
       exit 1 ;;
esac
profile=$(sed -n 's/.*"profile":"\([a-z]*\)".*/\1/p' "$scratch/policy.body")
refused=422
[[ $profile == stripe ]] && refused=400
printf 'Profile %s, gateway %s, %s\n' "$profile" "$gateway" "$url"

printf '\n1. The same request twice under one key\n'
new_order "$run-a"
ask first POST "/v1/orders/$run-a/payments" '{}' "$run-key-a"
ask second POST "/v1/orders/$run-a/payments" '{}' "$run-key-a"
check 'the first is answered 201 or 202' one_of "$(status first)" 201 202
check 'the second has the same status' is "$(status second)" "$(status first)"
check 'and the same bytes' cmp -s "$scratch/first.body" "$scratch/second.body"
check 'and says that it is a replay' has_header second 'Idempotent-Replayed: *true'
ask after GET "/v1/orders/$run-a"
check 'the order has one payment' is "$(count after '"payment_id"')" 1

printf '\n2. Another body under the same key\n'
ask other POST "/v1/orders/$run-a/payments" '{ }' "$run-key-a"
check "it is refused with $refused" is "$(status other)" "$refused"
ask again POST "/v1/orders/$run-a/payments" '{}' "$run-key-a"
check 'the first body still gets the first answer' cmp -s "$scratch/first.body" "$scratch/again.body"

printf '\n3. Twenty at once under one key\n'
new_order "$run-b"
for i in $(seq 20); do ask "p$i" POST "/v1/orders/$run-b/payments" '{}' "$run-key-b" & done
wait
done_=0 told=0 strange=0 bodies_differ=0 reference=
for i in $(seq 20); do
    case $(status "p$i") in
        201 | 202)
            done_=$((done_ + 1))
            reference=${reference:-$scratch/p$i.body}
            cmp -s "$reference" "$scratch/p$i.body" || bodies_differ=1
            ;;
        409) told=$((told + 1)) ;;
        *) strange=$((strange + 1)) ;;
    esac
done
printf '        %s were answered, %s got 409\n' "$done_" "$told"
check 'nothing but 201, 202 and 409' is "$strange" 0
check 'at least one is answered' test "$done_" -ge 1
check 'all answers are the same bytes' is "$bodies_differ" 0
ask after GET "/v1/orders/$run-b"
check 'the order has one payment' is "$(count after '"payment_id"')" 1
check 'it is the first attempt' is "$(count after '"attempt":1,')" 1

printf '\n'
if ((failed)); then
    printf 'At least one check failed.\n'
    exit 1
fi
printf 'All checks passed: one charge for each key.\n'
