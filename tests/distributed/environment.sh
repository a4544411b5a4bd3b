#!/bin/sh
# Ranks that others start, who say which is which in variables of their own: Kubernetes (an Indexed Job) and
# Slurm, by setting what they set.
# environment.sh PROGRAM
set -u
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"

if ! command -v python3 >/dev/null; then
    skip "ranks that others start: no python3 to find a port"
    exit 77
fi
make_table "$work/t.parquet"
unset PISTACHIO_RANK PISTACHIO_RANKS JOB_COMPLETION_INDEX SLURM_PROCID SLURM_NTASKS

# one VARIABLE=RANK...: a rank among three, in whose place `env` has put it.
one() {
    env "$@" "$program" --format csv -c "select sum(x) as s from t" "$work/t.parquet"
}
# three NAME RANK_VARIABLE RANKS_VARIABLE [VARIABLE=VALUE...]: three ranks, started as somebody else does.
three() {
    who=$1 rank=$2 ranks=$3
    shift 3
    PISTACHIO_ROOT=127.0.0.1:$(free_port)
    export PISTACHIO_ROOT
    one "$rank=1" "$ranks=3" "$@" >"$work/1" 2>&1 &
    first=$!
    one "$rank=2" "$ranks=3" "$@" >"$work/2" 2>&1 &
    second=$!
    expect "$who" 0 "$(printf 's\n49995000')" one "$rank=0" "$ranks=3" "$@"
    wait $first
    expect "$who, rank 1" 0 0 echo $?
    wait $second
    expect "$who, rank 2" 0 0 echo $?
    cat "$work/1" "$work/2" >"$work/others"
    check "$who, the others say nothing" cmp -s "$work/others" /dev/null
}
three "Kubernetes" JOB_COMPLETION_INDEX PISTACHIO_RANKS PISTACHIO_TOKEN=secret JOB_NAME=pistachio
three "Slurm" SLURM_PROCID SLURM_NTASKS PISTACHIO_TOKEN=secret SLURM_JOB_ID=7 SLURM_LOCALID=0 SLURM_NODEID=0

# Jobs of another kind are none of its business: without a root it runs alone.
unset PISTACHIO_ROOT
expect "a job without a root" 0 "$(printf 's\n49995000')" one JOB_COMPLETION_INDEX=1 SLURM_PROCID=1 SLURM_NTASKS=2
# Ours wins over theirs, which may be of the job that started this one.
PISTACHIO_ROOT=127.0.0.1:$(free_port)
export PISTACHIO_ROOT
expect "a rank alone, in another's job" 0 "$(printf 's\n49995000')" one PISTACHIO_RANK=0 PISTACHIO_RANKS=1 \
    JOB_COMPLETION_INDEX=5 SLURM_PROCID=6 SLURM_NTASKS=7
expect "no number of ranks" 1 - one JOB_COMPLETION_INDEX=0
says "is missed" "PISTACHIO_ROOT is set, but not PISTACHIO_RANKS"
expect "an index that is none" 1 - one JOB_COMPLETION_INDEX=3 PISTACHIO_RANKS=3
says "is named" "JOB_COMPLETION_INDEX is \"3\", not a number from 0 to 2"
finish
