#!/bin/sh
# Ranks that mpirun of Open MPI starts, which says by PMIx who they are.
# launchers.sh PROGRAM
set -u
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

if ! command -v mpirun >/dev/null; then
    skip "mpirun: it is not installed"
    exit 77
fi
# As many processes as are asked for, on however few cores.
start() { # ranks, arguments
    ranks=$1
    shift
    mpirun --oversubscribe --bind-to none -n "$ranks" "$program" --format csv "$@"
}
make_table "$work/t.parquet"
if ! start 2 -c "select 1" >"$work/out" 2>"$work/err" && grep -q libpmix "$work/err"; then
    skip "mpirun: no libpmix here, or none when this was built"
    exit 77
fi
for ranks in 1 3; do
    expect "a sum, mpirun -n $ranks" 0 "$(printf 's\n49995000')" start $ranks -c "select sum(x) as s from t" "$work/t.parquet"
done
expect "a failure of rank 2" 1 - start 3 -c "select sum(1 / (x - 9999)) from t" "$work/t.parquet"
says "names it" "error: rank 2 (host "
finish
