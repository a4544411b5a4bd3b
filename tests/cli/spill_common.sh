#!/bin/sh
# spill_common.sh - what the tests of spilling share beyond common.sh, which it sources.
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_TEMP_DIRECTORY="$work/temp"
mkdir "$work/temp"
# The numbers of threads to try.
lanes="1 3"
! has_less_to_do || lanes=3

# result NAME: the last command's success is the test's, and no temporary file is left.
result() {
    if [ $? = 0 ]; then
        pass
    else
        fail "$1"
        head -n 5 "$work/err"
    fi
    if [ -n "$(ls -A "$work/temp")" ]; then
        fail "$1: leaves files"
    fi
}

# make_large FOLDER: its large.parquet, of wide rows, three for each of its lineitem's, in row groups of 25 to 30 MB before
# compression.
make_large() {
    "$program" -c "copy (select l_orderkey * 10 + i as id, l_orderkey, l_linenumber,
        l_comment || cast(l_orderkey * i * 7919 as varchar) as a,
        l_comment || l_shipmode || cast(l_partkey * i * 104729 as varchar) as b,
        cast(l_suppkey * i * 1299709 as varchar) || l_comment as c,
        l_comment || cast(l_extendedprice * i as varchar) as d,
        l_shipinstruct || cast(l_extendedprice * i as varchar) || l_comment as e
        from '$1/lineitem.parquet', (values (1), (2), (3)) as v(i))
        to '$1/large.parquet' (row_group_size 120000)" >"$work/err" 2>&1
}
