#!/bin/sh
# Rows of a statement without ORDER BY come as they lie in its files, whatever the number of tasks; LIMIT
# passes the first of them. Expected: what awk counts.
# order.sh PROGRAM
set -u
# shellcheck source=tests/cli/spill_common.sh
. "$(dirname "$0")/spill_common.sh"
rows=200000
! has_less_to_do || rows=40000

# Two files of many row groups: n counts through both.
for part in 0 1; do
    "$program" -c "copy (select n, 'row ' || n as name, nullif(n % 10, 3) as digit
        from range($((part * rows / 2)), $(((part + 1) * rows / 2))) r(n)) to '$work/part$part.parquet' (row_group_size 3000)" \
        >"$work/out" 2>"$work/err"
    result "makes file $part"
done
table="'$work/part*.parquet'"

# ordered NAME AWK SQL [OPTION...]: the rows are those for which awk's program prints, of n from 0 on.
ordered() {
    name=$1 awk_program=$2 sql=$3
    shift 3
    seq 0 $((rows - 1)) | awk "$awk_program" >"$work/expected"
    for threads in 2 $lanes; do
        "$program" --format tsv --set threads=$threads "$@" -c "$sql" >"$work/out" 2>"$work/err" &&
            tail -n +2 "$work/out" | cmp - "$work/expected" >>"$work/err"
        result "$name, $threads threads"
    done
}

ordered "all rows" '1' "select n from $table"
ordered "an expression" '{ print "row " $1 * 2 }' "select replace(name, n::text, (n * 2)::text) from $table"
ordered "a filter" '$1 % 7 == 0' "select n from $table where n % 7 = 0"
ordered "rare rows" '$1 % 9973 == 5' "select n from $table where n % 9973 = 5"
ordered "rows of the end" '$1 > 30000' "select n from $table where abs(n) > 30000"
ordered "none" '0' "select n from $table where n < 0"
ordered "small chunks" '$1 % 2' "select n from $table where n % 2 = 1" --set chunk_rows=100
ordered "little memory" '1' "select n from $table" --set memory_limit=24MB
ordered "a limit" '$1 < 10' "select n from $table limit 10"
ordered "a large limit" '$1 < 23457' "select n from $table limit 23457" --set chunk_rows=1000
ordered "limit and offset" '$1 >= 7777 && $1 < 29999' "select n from $table limit 22222 offset 7777"
ordered "offset" '$1 >= 39990' "select n from $table offset 39990"
ordered "offset behind the end" '0' "select n from $table limit 5 offset 200000"
ordered "limit 0" '0' "select n from $table limit 0"
ordered "limit of rare rows" '$1 % 9973 == 5 && ++k <= 3' "select n from $table where n % 9973 = 5 limit 3"
ordered "limit that is not reached" '$1 % 9973 == 5' "select n from $table where n % 9973 = 5 limit 300"
ordered "limit of a part" '$1 % 3 == 0 && ++k > 10 && k <= 4010' \
    "select n from (select n, n * 2 as m from $table where n % 3 = 0) t where m >= 0 limit 4000 offset 10" --set chunk_rows=64
ordered "a limit within a statement" '$1 % 7 == 0 && ++k > 20 && k <= 520 { s += $1 } END { print s "\t" 500 }' \
    "select sum(n)::bigint, count(*) from (select n from $table where n % 7 = 0 limit 500 offset 20) q" --set chunk_rows=64
ordered "a limit of a join's side" '$1 % 9 == 0 && ++k <= 300 { s += $1 } END { print s }' \
    "select sum(b.n)::bigint from (select n from $table where n % 9 = 0 limit 300) a join $table b on a.n = b.n" --set chunk_rows=64

# Numbers of rows follow that order, too.
ordered "rows side by side" 'END { print NR "\t" NR }' \
    "select count(*), count(*) filter (a.n = b.n) from $table a positional join $table b"
ordered "windows without an order" 'END { print NR "\t0\t0\t0" }' "select count(*) filter (i = n + 1), count(*) filter (l <> n - 1),
    count(*) filter (s <> i * (i + 1) // 2), count(*) filter (f <> 0)
    from (select n, row_number() over () i, lag(n) over () l, sum(i2) over (rows unbounded preceding) s, first_value(n) over () f
        from (select n, row_number() over () i2 from $table) q) w"
ordered "a sample with a seed, twice" 'END { print 0 }' "select count(*) from (select n from $table tablesample bernoulli(10%) repeatable (5)
    except select n from $table tablesample bernoulli(10%) repeatable (5)) q"


# On several ranks as well: rank 0 reads these rows by itself.
ranks="--set ranks=3 --set distribute=always --set chunk_rows=1000"
# shellcheck disable=SC2086
for setting in "$ranks" "$ranks --set device=simulated"; do
    ordered "rows side by side, $setting" 'END { print NR "\t" NR "\t7" }' "select count(*), count(*) filter (a.n = b.n),
        (select count(*) filter (c.n = d.n) from (select n from $table limit 7) c positional join (select n from $table limit 7) d)
        from $table a positional join $table b" $setting
    ordered "rows of a shared query, $setting" 'END { print NR "\t" NR "\t" NR - 1 }' "with q as materialized (select n from $table)
        select count(*), count(*) filter (a.n = b.n), (select max(n) from q) from q a positional join q b" $setting
    ordered "windows without an order, $setting" 'END { print NR "\t0\t0" }' "select count(*) filter (i = n + 1),
        count(*) filter (l <> n - 1), count(*) filter (r <> n % $((rows / 2)))
        from (select n, file_row_number r, row_number() over () i, lag(n) over () l from $table) w" $setting
done

# What is written lies in the same order.
"$program" --set threads=4 -c "copy (select n from $table where n % 2 = 0) to '$work/copy.parquet' (row_group_size 5000)" \
    >"$work/out" 2>"$work/err"
result "writes a file"
ordered "a file that was written" '$1 % 2 == 0' "select n from '$work/copy.parquet'"
"$program" --set threads=4 -c "create table copied as select n from $table where n % 2 = 1;
    copy copied to '$work/copy2.parquet'" >"$work/out" 2>"$work/err"
result "makes a table"
half=$((rows / 2)) most=$((rows * 3 / 4))
inserts="create table t as select n from $table where n < $half; insert into t select n from $table where n >= $half and n < $most;
    insert into t select n from $table where n >= $most and n < $((rows - 5)) order by n;"
for n in 5 4 3 2 1; do
    inserts="$inserts insert into t values ($((rows - n)));"
done
ordered "rows that were inserted" '1' "$inserts select n from t"
ordered "rows that were inserted, in small chunks" '1' "$inserts select n from t" --set chunk_rows=100
ordered "some of them" '$1 % 9973 == 5' "$inserts select n from t where n % 9973 = 5"
ordered "the first of them" '$1 >= 2 && $1 < 150000' "$inserts select n from t limit 149998 offset 2" --set chunk_rows=1000
ordered "tables one after another" '1' "select n from $table where n < 1000 union all select n from $table where n >= 1000"
ordered "and other rows" '1' \
    "select n from $table where n < 1000 union all select n from (select n from $table where n >= 1000 order by n) q"
ordered "limited" '$1 > 9 && $1 < 1234' \
    "select n from (select n from $table where n < 1000 union all select n from $table where n >= 1000) q limit 1224 offset 10"
ordered "a table" '$1 % 2 == 1' "select n from '$work/copy2.parquet'"

# A row in the middle that cannot be computed: an error, and the program ends.
for threads in 1 4; do
    ! "$program" --set threads=$threads --format none -c "select 1 / (n - 30000) from $table" >"$work/out" 2>"$work/err" &&
        grep -q "division by zero" "$work/err"
    result "a bad row, $threads threads"
done

finish
