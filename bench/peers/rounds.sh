# shellcheck shell=bash shellcheck disable=SC2154 # its variables are set by run.sh and peers.sh One
# round: the load, the peer, and the proof that its books hold each event once. A peer that fails a
# load has failed it, and the others continue; Pawl must not fail.

# Prints "PROVIDER WORDS...", of pawl_load. Bodies are Stripe's events, 1.3 KB.
words_of() { # LOAD
    case $1 in
        uniform | connections_*) printf 'stripe accounts=10000' ;;
        hot) printf 'stripe accounts=1' ;;
        zipf) printf 'stripe accounts=10000 zipf=1' ;;
        duplicates) printf 'stripe accounts=10000 duplicates=50' ;;
        storm) printf 'stripe accounts=10000 storm=1' ;;
        batch) printf 'batch accounts=10000 items=100' ;;
        large) printf 'stripe accounts=10000 bytes=20480' ;;
        paced) printf 'stripe accounts=10000' ;;
        *) die "no load is called $1" 'bench/peers/rounds.sh names them' ;;
    esac
}

peers_of() { # LOAD: which of the chosen take part
    local can peer
    case $1 in
        uniform) can='pawl nodb pgbench express dbos restate' ;;
        hot) can='pawl pgbench express dbos restate' ;;
        batch) can='pawl nodb express' ;; # the others have no form of it: each event would be a request
        zipf | duplicates | storm) can='pawl express dbos restate' ;;
        *) can='pawl nodb express dbos restate' ;;
    esac
    for peer in $can; do
        if [[ " $peers " == *" $peer "* ]]; then printf '%s ' "$peer"; fi
    done
}

# load_of PEER LOAD SECONDS WORDS...: posts it, prints what pawl_load prints; fails with the reason in `$scratch/load.log`.
load_of() {
    local provider words
    read -r provider words <<<"$(words_of "$2")"
    # shellcheck disable=SC2086 # words
    "$build/pawl_load" "url=${url[$1]}/$provider" "provider=$provider" "seconds=$3" "seed=$RANDOM$RANDOM" $words "${@:4}" \
        2>"$scratch/load.log"
}

# Prints "per_second p50_ms p99_ms cpu_us", or fails. The last: CPU microseconds an event, of the peer and of PostgreSQL, and
# not of the load.
measure() { # PEER LOAD SECONDS WORDS...
    local count rate p50 p99 acknowledged posted cpu
    empty_peer "$1"
    cpu=$(cpu_ticks "$1")
    read -r count rate p50 p99 acknowledged < <(load_of "$@") || return 1
    cpu=$(($(cpu_ticks "$1") - cpu))
    if [ "$1" != nodb ]; then
        posted=$(posted_by "$1")
        if [ "$1" = restate ]; then posted=$((posted - restate_before)); fi
        [ "$posted" = "$count" ] || {
            echo "$count events were delivered, its books have $posted" >"$scratch/load.log"
            return 1
        }
    fi
    awk -v rate="$rate" -v p50="$p50" -v p99="$p99" -v ticks="$cpu" -v hz="$(getconf CLK_TCK)" -v n="$acknowledged" \
        'BEGIN { printf "%s %s %s %.1f\n", rate, p50, p99, ticks * 1e6 / hz / n }'
}

# Words that belong to the peer: on how many connections it takes a load.
connections_of() { # PEER LOAD
    case $2 in
        connections_*) printf '%s' "${2#connections_}" ;;
        batch) printf 16 ;; # 1,600 events in flight
        *) printf '%s' "${connections[$1]:-256}" ;;
    esac
}

pgbench_figures() { # LOAD: as `measure` prints them; pgbench's are of its own run
    local rate
    rate=$(pgbench_round "$1" "${size[pgbench_$1]}" "$seconds")
    printf '%s 0 0 0\n' "$rate"
}

round() { # PASS LOAD PEER
    local measured pace=()
    if [ "$3" = pgbench ]; then
        note round "$1" "$2" "$3" "$(pgbench_figures "$2")"
        return
    fi
    if [ "$2" = paced ]; then pace=("rate=$(half_of_peak "$3")"); fi
    if [ "${pace[*]}" = rate=0 ]; then return; fi # it has failed all loads before
    resume "$3"
    fit_size "$3" "$2"
    if measured=$(measure "$3" "$2" "$seconds" "connections=$(connections_of "$3" "$2")" "${pace[@]}"); then
        note round "$1" "$2" "$3" "$measured"
    else
        note failed "$1" "$2" "$3" "$(tr '\n' ' ' <"$scratch/load.log")"
        [ "$3" != pawl ] || die "pawl failed the load $2" "$(cat "$scratch/load.log" "$scratch/pawl.log")"
        # Its remaining work must not run into the next round.
        stop_peer "$3"
        start_peer "$3"
    fi
    pause "$3"
}

# A peer gets its size at its start; for some loads another one is better.
fit_size() { # PEER LOAD
    local wanted=${size[$1_$2]:-${size[$1]:-}}
    if [ "$wanted" = "${started_with[$1]:-}" ]; then return; fi
    stop_peer "$1"
    start_peer "$1" "$wanted"
}

# Its own rounds on 10,000 accounts so far, whatever the number of connections.
half_of_peak() { # PEER
    awk -v peer="$1" '$1 == "round" && ($3 == "uniform" || $3 ~ /^connections_/) && $4 == peer && $5 > best { best = $5 }
        END { printf "%d", best / 2 }' "$figures"
}

# best_connections PEER: by short trials on 10,000 accounts.
best_connections() {
    local count rate best=0 chosen=64
    resume "$1"
    for count in $connection_counts; do
        rate=$(measure "$1" uniform "$trial_seconds" "connections=$count" | cut -d ' ' -f 1) || rate=0
        note trial "$1" connections "$count" "${rate:-0}"
        if awk -v a="${rate:-0}" -v b="$best" 'BEGIN { exit !(a > b) }'; then
            best=$rate
            chosen=$count
        fi
    done
    pause "$1"
    printf '%s' "$chosen"
}

# best_size PEER LOAD SIZES: how many connections to the database, or partitions, by short trials;
# each restarts the peer.
best_size() {
    local count rate best=0 chosen=${3%% *}
    for count in $3; do
        start_peer "$1" "$count"
        rate=$(measure "$1" "$2" "$trial_seconds" connections=64 | cut -d ' ' -f 1) || rate=0
        stop_peer "$1"
        note trial "$1" "size_$2" "$count" "${rate:-0}"
        if awk -v a="${rate:-0}" -v b="$best" 'BEGIN { exit !(a > b) }'; then
            best=$rate
            chosen=$count
        fi
    done
    printf '%s' "$chosen"
}
