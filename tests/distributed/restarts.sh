#!/bin/sh
# Ranks that a launcher starts again whenever they leave with another status than 0, one of which is killed at any time:
# all meet again, for which none may have left with 0, and nothing is left behind. restarts.sh PROGRAM
# TRIES=100 kills; each has its own seed, which is printed where something is wrong.
set -u
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"
tries=${TRIES:-100} ranks=4
make_table "$work/t.parquet"
mkdir "$work/temp"
sql="select sum(x) as s from t; select count(*) as c from t a join t b on a.x = b.x; select sum(x) as s from t"
right=$(printf 's\n49995000\nc\n10000\ns\n49995000')
PISTACHIO_RANKS=$ranks PISTACHIO_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
PISTACHIO_JOIN_TIMEOUT=20 PISTACHIO_PEER_TIMEOUT=5000
export PISTACHIO_RANKS PISTACHIO_TOKEN PISTACHIO_JOIN_TIMEOUT PISTACHIO_PEER_TIMEOUT

# Rank 0 has given the rows, whatever becomes of it afterwards.
is_done() {
    [ -e "$work/done" ] || { [ "$(cat "$work/out.0" 2>/dev/null)" = "$right" ] && touch "$work/done"; }
}
# launch RANK: starts the rank until it leaves with 0, or the work is done. Its process's number is in a file.
launch() {
    while :; do
        PISTACHIO_RANK=$1 "$program" --format csv --set "temp_directory=$work/temp" -c "$sql" "$work/t.parquet" \
            >"$work/out.$1" 2>"$work/err.$1" &
        echo $! >"$work/pid.$1"
        wait $!
        status=$?
        { is_done || [ $status = 0 ] || [ -e "$work/stop" ]; } && return
        sleep 0.05
    done
}

# one NUMBER: starts all, kills a rank after some time, waits for the result.
one() {
    rm -f "$work"/out.* "$work"/pid.* "$work/stop" "$work/done"
    port=$(awk -v seed="$1" -v pid=$$ 'BEGIN { srand(seed + pid); print 20000 + int(rand() * 30000) }')
    export PISTACHIO_ROOT="127.0.0.1:$port"
    launchers=""
    for rank in $(seq 0 $((ranks - 1))); do
        launch "$rank" &
        launchers="$launchers $!"
    done
    victim=$(($1 * 7 / 3 % ranks))
    sleep "$(awk -v seed="$1" 'BEGIN { srand(seed); print rand() * 0.6 }')"
    killed=$(cat "$work/pid.$victim" 2>/dev/null)
    [ -n "$killed" ] && kill -9 "$killed" 2>/dev/null
    waited=0
    for _ in $(seq 600); do # they meet again, and are done; one that was killed as it left meets nobody
        alive=0
        for pid in $launchers; do kill -0 "$pid" 2>/dev/null && alive=1; done
        [ $alive = 0 ] && break
        is_done && waited=$((waited + 1))
        [ $waited = 40 ] && for rank in $(seq 0 $((ranks - 1))); do kill -9 "$(cat "$work/pid.$rank")"; done
        sleep 0.05
    done
    if [ "$alive" = 1 ]; then
        touch "$work/stop"
        for rank in $(seq 0 $((ranks - 1))); do kill -9 "$(cat "$work/pid.$rank")" 2>/dev/null; done
        echo "seed $1, rank $victim killed: not done after 30 s"
        cat "$work"/err.*
    fi
    # shellcheck disable=SC2086 # several words
    wait $launchers
    [ "$alive" = 0 ] || return 1
    is_done || { echo "seed $1: other rows"; return 1; }
    [ -z "$(ls "$work/temp")" ] || { echo "seed $1: files are left"; return 1; }
}
for number in $(seq "$tries"); do
    if one "$number" >"$work/said" 2>&1; then pass; else fail "$(cat "$work/said")"; fi
done
finish
