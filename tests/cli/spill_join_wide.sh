#!/bin/sh
# Wide rows on the build side, out of large row groups: what operators may hold leaves room for the next one, of which
# the scan can tell nobody.
# spill_join_wide.sh PROGRAM
set -u
# shellcheck source=tests/cli/spill_common.sh
. "$(dirname "$0")/spill_common.sh"

"$program" tpch generate --scale 0.1 --out "$work" >"$work/err" 2>&1 && rm "$work/partsupp.parquet"
make_large "$work"
"$program" --format tsv -c "select o_orderkey from '$work/orders.parquet' where o_orderdate < date '1993-01-01'" \
    >"$work/keys" 2>>"$work/err"
"$program" --format tsv -c "select l_orderkey, l_linenumber from '$work/lineitem.parquet'" 2>>"$work/err" |
    awk -v keys="$work/keys" '
        BEGIN { while ((getline key < keys) > 0) early[key] = 1 }
        NR > 1 { n[$1 + $2, $1 % 2]++; s[$1 + $2, $1 % 2] += $2; order[NR] = $1; line[NR] = $2 }
        END {
            for (r = 2; r <= NR; r++)
                if (order[r] in early) {
                    rows += 3 * n[order[r] + line[r], line[r] % 2]
                    sum += 3 * s[order[r] + line[r], line[r] % 2]
                }
            printf "%d\t%d\n", rows, sum
        }' >"$work/sums"
for limit in 56 64; do
    "$program" --set threads=2 --set memory_limit=${limit}MB --format tsv -c "select sum(n), sum(s) from (
        select a, b, c, d, e, count(*) as n, sum(o.l_linenumber) as s, min(id) as k
        from '$work/large.parquet' w join '$work/orders.parquet' on w.l_orderkey = o_orderkey
        join '$work/lineitem.parquet' o on w.l_orderkey + w.l_linenumber = o.l_orderkey + o.l_linenumber
        and o.l_orderkey % 2 = w.l_linenumber % 2 where o_orderdate < date '1993-01-01'
        group by a, b, c, d, e order by k limit 1000000) as g" >"$work/out" 2>"$work/err" &&
        tail -n +2 "$work/out" | cmp - "$work/sums" >>"$work/err"
    result "wide rows of large row groups, within $limit MB"
done
finish
