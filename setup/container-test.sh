#!/usr/bin/env bash
# Builds the image and runs it as an orchestrator would, without a Docker engine and without a registry: buildah builds it
# from a base image that mmdebstrap makes from this machine's own mirror, podman runs it read-only, without capabilities,
# against a PostgreSQL made for the occasion. It must answer /healthz, credit one signed delivery, and exit with 0 on
# SIGTERM. The image's compile is the release build with warnings as errors.
#
# Layers, the base image and a compiler cache are kept in $PAWL_CONTAINER_DIR (default /var/tmp/pawl-container) for the
# next time.
# shellcheck disable=SC2317  # functions are called through step
set -euo pipefail

SETUP=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=setup/say.sh
. "$SETUP/say.sh"
# shellcheck source=setup/apt.sh
. "$SETUP/apt.sh"
# shellcheck source=setup/debian-root.sh
. "$SETUP/debian-root.sh"

readonly SUITE=trixie
readonly STOP_MS_MAX=10000 # what `docker stop` and Kubernetes' defaults leave is 10 s and more
DIR=$ROOTS
BASE=localhost/pawl-base:$SUITE
IMAGE=localhost/pawl:test
NAME=pawl-test-$$
LOG=$DIR/log
postgres_dir='' store=()

engine_options() {
    local driver=vfs probe
    probe=$(mktemp -d)
    mkdir "$probe/lower" "$probe/upper" "$probe/work" "$probe/merged"
    # overlay is several times quicker than vfs, where the kernel allows it.
    if mount -t overlay overlay -o "lowerdir=$probe/lower,upperdir=$probe/upper,workdir=$probe/work" \
        "$probe/merged" 2>/dev/null; then
        umount "$probe/merged"
        driver=overlay
    fi
    rm -rf "$probe"
    store=(--root "$DIR/store-$driver" --runroot "$DIR/run" --storage-driver "$driver")
}

image() { buildah "${store[@]}" "$@"; }
container() { podman --runtime "$(command -v runc)" "${store[@]}" --cgroup-manager cgroupfs --events-backend none "$@"; }

make_base() {
    local tar container_id
    tar=$(root_tar "$SUITE")
    [ -e "$tar" ] || make_root_tar "$SUITE" "$tar"
    container_id=$(image from scratch)
    image add --quiet "$container_id" "$tar" /
    image config --cmd bash --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container_id"
    image commit --quiet --rm "$container_id" "$BASE"
}

build_image() {
    mkdir -p "$DIR/ccache"
    # The docker format, because OCI's has no place for HEALTHCHECK.
    image bud --layers --format docker --isolation chroot --pull-never --network host --build-arg BASE="$BASE" \
        --build-arg WERROR=ON --volume "$DIR/ccache:/root/.cache/ccache" -t "$IMAGE" -f Dockerfile .
}

free_port() {
    local port
    while :; do
        port=$((20000 + RANDOM % 10000))
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
    done
    printf '%s' "$port"
}

start_postgres() {
    local bin
    bin=$(find /usr/lib/postgresql -path '*/bin/postgres' -printf '%h\n' | sort -V | tail -n 1)
    postgres_dir=$1
    chown postgres "$postgres_dir"
    openssl rand -hex 16 >"$postgres_dir.password"
    chmod 644 "$postgres_dir.password"
    cd /
    runuser -u postgres -- "$bin/initdb" --pgdata "$postgres_dir/data" --username pawl --auth scram-sha-256 \
        --pwfile "$postgres_dir.password" --no-sync
    runuser -u postgres -- "$bin/pg_ctl" --pgdata "$postgres_dir/data" --log "$postgres_dir/log" --wait start \
        --options "-c listen_addresses=127.0.0.1 -p $2 -c unix_socket_directories=$postgres_dir"
}

stop_postgres() {
    local pid
    [ -n "$postgres_dir" ] || return 0
    pid=$(head -n 1 "$postgres_dir/data/postmaster.pid" 2>/dev/null || true)
    # SIGQUIT: at once, the data are thrown away.
    if [ -n "$pid" ]; then
        kill -QUIT "$pid" 2>/dev/null || true
        while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
    fi
    rm -rf "$postgres_dir" "$postgres_dir.password"
}

clean_up() {
    container rm --force --time 0 "$NAME" >/dev/null 2>&1 || true
    stop_postgres
}

# pawl OPTIONS... -- COMMAND...: the image, as it is meant to run. Limits are named, because podman's own defaults ask for
# more than a root without CAP_SYS_RESOURCE may set.
pawl() {
    local options=()
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    container run --network host --log-driver k8s-file --ulimit nofile=1024:4096 --ulimit nproc=4096:4096 \
        --read-only --tmpfs /tmp --cap-drop all --security-opt no-new-privileges \
        --env PAWL_DATABASE_URL --env PAWL_DEMO_SECRET --env PAWL_LISTEN --env PAWL_ADMIN_LISTEN \
        "${options[@]}" "$IMAGE" "$@"
}

await_health() {
    local try
    for try in $(seq 100); do
        if curl -fsS --max-time 2 "http://$PAWL_LISTEN/healthz"; then return; fi
        [ "$(container inspect -f '{{.State.Running}}' "$NAME")" = true ] || break
        sleep 0.1
    done
    container logs "$NAME" | tail -n 20
    printf 'no answer from http://%s/healthz after %s tries\n' "$PAWL_LISTEN" "$try"
    return 1
}

# One delivery, signed with openssl as Standard Webhooks says, and what the books hold afterwards.
credit_one_delivery() {
    local body id=evt_container now key signature answer credited
    body='{"id":"evt_container","type":"payment.captured","payment_id":"pay_1","account":"user:1","amount":1250,'
    body+='"currency":"EUR","sequence":1}'
    now=$(date +%s)
    key=$(printf '%s' "${PAWL_DEMO_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
    signature=$(printf '%s.%s.%s' "$id" "$now" "$body" |
        openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64 -w 0)
    answer=$(curl -fsS --max-time 5 -H "webhook-id: $id" -H "webhook-timestamp: $now" \
        -H "webhook-signature: v1,$signature" -H 'Content-Type: application/json' \
        --data-binary "$body" "http://$PAWL_LISTEN/webhooks/demo")
    printf '%s\n' "$answer"
    grep -q '"outcome":"applied"' <<<"$answer"
    credited=$(balance_of user:1)
    printf '%s minor units are in the books\n' "$credited"
    [ "$credited" = 1250 ]
}

# Read by psql, not by the program under test.
balance_of() {
    local bin
    bin=$(find /usr/lib/postgresql -path '*/bin/psql' -printf '%h\n' | sort -V | tail -n 1)
    PGOPTIONS='-c search_path=pawl,public' "$bin/psql" -X -q -A -t -d "$PAWL_DATABASE_URL" -v account="$1" \
        <<<"SELECT amount FROM balances WHERE account = :'account' AND currency = 'EUR'"
}

stop_and_judge() {
    local began ms code
    began=$(date +%s%3N)
    # Without systemd podman has no timer for the health check to remove, and says so.
    container stop --time $((STOP_MS_MAX / 1000)) "$NAME" >"$LOG/stop.log" 2>&1
    ms=$(($(date +%s%3N) - began))
    code=$(container inspect -f '{{.State.ExitCode}}' "$NAME")
    say "  stopped on SIGTERM in $ms ms, exit code $code"
    if [ "$code" = 0 ] && [ "$ms" -lt "$STOP_MS_MAX" ]; then return; fi
    container logs "$NAME" 2>&1 | tail -n 20 >&2
    die "the container did not stop cleanly"
}

describe() {
    local pid
    pid=$(container inspect -f '{{.State.Pid}}' "$NAME")
    say "  image size: $(image images --format '{{.Size}}' "$IMAGE"), of which base: $(image images --format '{{.Size}}' "$BASE")"
    say "  uid of pawl: $(ps -o uid= -p "$pid" | tr -d ' '), resident memory: $(ps -o rss= -p "$pid" | tr -d ' ') kB"
    say "  capabilities: $(awk '/^CapEff/ { print $2 }' "/proc/$pid/status")"
}

main() {
    local port
    [ "$(id -u)" = 0 ] || die "building an image without a Docker engine needs root" "run: sudo make container-test"
    cd "$SETUP/.."
    apt_install "$LOG/packages.log" buildah mmdebstrap podman runc postgresql openssl curl
    mkdir -p "$LOG"
    engine_options
    image inspect --type image "$BASE" >/dev/null 2>&1 || step "base image, Debian $SUITE" "$LOG/base.log" make_base
    step 'image' "$LOG/image.log" build_image

    trap clean_up EXIT
    trap 'exit 130' INT TERM
    port=$(free_port)
    postgres_dir=$(mktemp -d "${TMPDIR:-/tmp}/pawl-postgres.XXXXXX")
    step 'PostgreSQL' "$LOG/postgres.log" start_postgres "$postgres_dir" "$port"
    PAWL_DATABASE_URL=postgresql://pawl:$(cat "$postgres_dir.password")@127.0.0.1:$port/postgres
    PAWL_DEMO_SECRET=whsec_$(openssl rand -base64 32)
    PAWL_LISTEN=127.0.0.1:$(free_port)
    PAWL_ADMIN_LISTEN=127.0.0.1:$(free_port)
    export PAWL_DATABASE_URL PAWL_DEMO_SECRET PAWL_LISTEN PAWL_ADMIN_LISTEN

    step 'pawl migrate' "$LOG/migrate.log" pawl --rm -- migrate
    step 'pawl serve' "$LOG/serve.log" pawl --detach --name "$NAME" -- serve
    step '/healthz' "$LOG/healthz.log" await_health
    say "  answer: $(tail -n 1 "$LOG/healthz.log")"
    step 'a signed delivery' "$LOG/delivery.log" credit_one_delivery
    say "  $(tail -n 1 "$LOG/delivery.log")"
    step "the image's own health check" "$LOG/healthcheck.log" container healthcheck run "$NAME"
    describe
    stop_and_judge
    say 'the image builds, answers, credits and stops'
    exit # here, so that bash reads no further when the file changes under it
}

main
