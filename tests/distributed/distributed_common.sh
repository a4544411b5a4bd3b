# distributed_common.sh - what the tests of ranks that are processes share; sourced with the program as
# $1. Ends the test, with 77, where ranks cannot meet.
# shellcheck shell=sh
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/../cli/cli_common.sh"

# A sanitizer looks at memory itself; leaks are looked for with ranks that are threads, as LeakSanitizer now
# and then fails itself (signal 11) where libucp has been loaded.
export UCX_MEM_EVENTS=no UCX_LOG_LEVEL=fatal ASAN_OPTIONS=detect_leaks=0
# All that can be done on all ranks is; a machine that is busy may not let a rank say that it lives.
export PISTACHIO_DISTRIBUTE=always PISTACHIO_PEER_TIMEOUT=60000

if ! "$program" --processes 2 -c "select 1" >"$work/out" 2>"$work/err" && grep -q libucx "$work/err"; then
    skip "ranks that are processes: no libucp here, none when this was built, or no /sys"
    exit 77
fi

# alone SQL: on this process.
alone() {
    "$program" --set distribute=never -c "$1" >"$work/out"
}
# Numbers k from 0 to 999, v is the last digit.
# shellcheck disable=SC2034 # used by the scripts that source this
numbers="(with d(i) as (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))
    select a.i + 10 * b.i + 100 * c.i as k, a.i as v from d a, d b, d c) n"
# on RANKS ARGUMENT...: on so many processes, as CSV.
on() {
    ranks=$1
    shift
    "$program" --processes "$ranks" --format csv "$@"
}

# Table t: x from 0 to 9999, in row groups of 1000.
make_table() { # path
    "$program" --set distribute=never -c "copy (with d(i) as (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))
        select a.i + 10 * b.i + 100 * c.i + 1000 * e.i as x from d a, d b, d c, d e order by 1)
        to '$1' (row_group_size 1000)" >"$work/out"
}

# A port that nobody listens at now.
free_port() {
    python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# until_so COMMAND...: waits until it is, at most 60 s.
until_so() {
    turns=0
    until "$@"; do
        turns=$((turns + 1))
        [ $turns -lt 1200 ] || return 1
        sleep 0.05
    done
}
