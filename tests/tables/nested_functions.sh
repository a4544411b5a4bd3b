#!/bin/sh
# Lists, structs and maps that statements make: each case of nested_functions.cases, by itself and over rows; errors with
# their places. The values are DuckDB's, cast to text.
# nested_functions.sh PROGRAM
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"
cases=$here/nested_functions.cases

# A case is an expression, " => " and its value as text; a line of its own is a whole query, whose rows follow it.
grep ' => ' "$cases" >"$work/cases"
sed 's/.* => //' "$work/cases" | while IFS= read -r v; do printf 'c\n%s\n' "$v"; done >"$work/values"
# statements BEFORE AFTER: one for each case, with the expression between.
statements() {
    sed 's/ => .*//' "$work/cases" | while IFS= read -r e; do echo "$1 coalesce(($e)::varchar, 'NULL') as c $2;"; done
}
# compare FILE: what the statements print is the cases' values.
compare() {
    "$program" --format tsv -f "$1" >"$work/got" && diff "$work/values" "$work/got" && echo same
}
statements select "" >"$work/constants.sql"
expect "constants" 0 same compare "$work/constants.sql"
# For several rows, of which a filter leaves some.
statements "select distinct c from (select" "from generate_series(1, 5) t(i) where i % 2 = 1) x" >"$work/rows.sql"
expect "rows" 0 same compare "$work/rows.sql"

# Elements and parameters of rows.
t="(values (1, 'a'), (2, 'b'), (3, NULL)) t(i, s)"
expect "lists of columns" 0 '"[1, 10]"
"[2, 20]"
"[3, 30]"' rows "select [i, 10 * i] from $t"
expect "structs of columns" 0 "\"{'i': 1, 's': a}\"
\"{'i': 2, 's': b}\"
\"{'i': 3, 's': NULL}\"" rows "select struct_pack(i, s) from $t"
expect "lambdas that read columns" 0 '"[11, 21]"
"[12, 22]"
"[13, 23]"' rows "select [x + i for x in [10, 20]] from $t"
expect "lambdas in lambdas" 0 '"[[2, 3], [3]]"
"[[3, 4], [4]]"
"[[4, 5], [5]]"' rows "select list_transform([[1, 2], [2]], lambda l: list_transform(l, lambda x: x + i)) from $t"
expect "lists that grow" 0 '3
3
4' rows "select len(list_filter(range(i + 2), lambda x: x <> i)) + (i = 1)::int from $t"
expect "sums by steps" 0 '1
3
6' rows "select list_reduce(range(1, i + 1), lambda a, x: a + x) from $t"
expect "a list in a filter" 0 '2' rows "select i from $t where list_contains([2, 4], i)"
expect "sorted by a field" 0 'b
a' rows "select v.s from (select {'s': s, 'i': i} as v from $t) q where v.s is not null order by v.i desc"
expect "many elements" 0 '49995000,10000' rows "select list_sum(l), len(list_distinct(l)) from (select range(10000) as l) t"

# unnest, in FROM and in the select list.
l="(values (1, [1, 2]), (2, []), (3, NULL), (4, [NULL, 5])) t(i, l)"
sorted() {
    rows "$@" | sort
}
expect "beside rows" 0 '1,1
1,2
4,
4,5' sorted "select i, x from $l, unnest(l) u(x)"
expect "rows without elements" 0 '1,1,1
1,2,2
2,,
3,,
4,,1
4,5,2' sorted "select i, x, case when x is null and i < 4 then null else o end from $l left join unnest(l) with ordinality u(x, o) on true"
expect "in the select list" 0 '1,1,a
1,2,b
2,,a
2,,b
3,,a
3,,b
4,,a
4,5,b' sorted "select i, unnest(l), unnest(['a', 'b']) from $l"
expect "ordered" 0 '5
2
1
' rows "select unnest(l) as x from $l order by x desc nulls last"
expect "alone" 0 'x,o
3,1
4,2' sql "from unnest([3, 4]) with ordinality u(x, o)"
expect "of structs" 0 '1,a
2,b' rows "select s.n, s.t from unnest([{'n': 1, 't': 'a'}, {'n': 2, 't': 'b'}]) u(s)"
expect "in one another" 0 '1
2
3' rows "select x from unnest([[1, 2], [], [3]]) u(l), unnest(l) v(x)"
expect "many, in little memory" 0 '79999800000' rows "select sum(x) from (select unnest(range(20000)) + 20000 * i as x from range(20) t(i))" --set memory_limit=64MiB --set threads=2
expect "none" 0 "" sh -c "'$program' --format tsv -c 'select unnest(NULL) as x' | sed 1d | grep . || echo"

# list and array_agg.
n="generate_series(1, 5) t(i)"
expect "groups" 0 '0,"[4, 2]"
1,"[5, 3, 1]"' rows "select i % 2 as g, list(i order by i desc) from $n group by g order by g"
expect "a filter" 0 '"[4, 5]",' rows "select array_agg(i order by i) filter (where i > 3), list(i) filter (where i > 9) from $n"
expect "distinct" 0 '"[1, 2, 3]"' rows "select list(distinct i / 2 + 1 order by i / 2 + 1) from $n"
expect "NULLs in lists" 0 '"[NULL, a, NULL]"' rows "select list(x order by i) from (values (1, NULL), (2, 'a'), (3, NULL)) t(i, x)"
expect "lists of structs" 0 "\"[{'i': 1, 'l': [1]}, {'i': 2, 'l': [2]}]\"" rows "select list({'i': i, 'l': [i]} order by i) from generate_series(1, 2) t(i)"
expect "there and back" 0 '15,5' rows "select sum(x), count(*) from (select unnest(l) as x from (select i % 2 as g, list(i) as l from $n group by g) q) r"
expect "no rows" 0 'true' rows "select list(i) is null from $n where i > 9"
expect "arrays of ordered queries" 0 '"[5, 4, 3, 2, 1]","[1, 2]"' rows "select array(select i from $n order by i desc), array(select i from $n order by 1 limit 2)"
expect "arrays of queries" 0 '"[1, 2, 3, 4, 5]",[]' rows "select list_sort(array(select i from $n)), array(select i from $n where i > 9)"
expect "several ranks" 0 '0,"[4, 2]"
1,"[5, 3, 1]"' rows "select i % 2 as g, list(i order by i desc) from $n group by g order by g" --ranks 2

# Aggregates of elements by rows, and quantiles of lists of shares.
l="(values (1, [1, 1, 2]), (2, [3, NULL]), (3, NULL), (4, []), (5, [NULL])) t(i, l)"
expect "aggregates of elements" 0 '1,1,0.4714045207910317,"{1=2, 2=1}"
2,3,0,{3=1}
3,,,
4,,,
5,,,' rows "select i, list_mode(l), list_aggregate(l, 'stddev_pop'), list_histogram(l) from $l order by i"
expect "aggregates of elements in aggregates" 0 '4' rows "select sum(list_median(l)) from $l"
expect "elements of an aggregate" 0 '"[3, 5, 8]"' rows "select list_aggr(list(i), 'quantile', [0.25, 0.5, 0.75]) from range(1, 11) t(i)"
expect "histograms of groups" 0 '0,"{2=1, 4=1}"
1,"{1=1, 3=1, 5=1}"' rows "select i % 2 as g, histogram(i) from $n group by g order by g"
expect "no histogram" 0 'true' rows "select histogram(i) is null from $n where i > 9"
expect "quantiles of groups" 0 '0,"[2.0, 3.0, 4.0]","[2, 4]"
1,"[1.0, 3.0, 5.0]","[1, 5]"' rows "select i % 2 as g, quantile_cont(i, [0, 0.5, 1]), quantile_disc(i, [0, 1]) from $n group by g order by g"
expect "quantiles of no rows" 0 'true' rows "select quantile_cont(i, [0, 1]) is null from $n where i > 9"
expect "quantiles over a window" 0 '"[1, 5]"' rows "select distinct quantile_disc(i, [0, 1]) over () from $n"
expect "quantiles within a group" 0 '"[2.0, 4.0]"' rows "select percentile_cont([0.25, 0.75]) within group (order by i) from $n"
expect "fixed sizes" 0 '"[1, 2]","[[1, 2], NULL, [3, 4]]",NULL' rows "select [1, 2]::int[2], [[1, 2], NULL, [3, 4]]::int[2][], coalesce((NULL::int[3])::varchar, 'NULL')"
expect "lists over windows" 0 '1,[1]
2,"[1, 2]"
3,"[1, 2, 3]"
4,"[1, 2, 3, 4]"
5,"[1, 2, 3, 4, 5]"' rows "select i, list(i) over (order by i) from $n order by i"
expect "lists over frames" 0 '"[1, NULL]",[1]
"[NULL, 3]","[1, 2]"
[3],[3]' rows "select list(x) over (order by i rows between current row and 1 following), list(i) over (partition by i < 3 order by i) from (values (1, 1), (2, NULL), (3, 3)) t(i, x) order by i"
expect "groups of elements" 0 'a,2
b,1' rows "select unnest(string_split(s, '>')) as tag, count(*) from (values ('a>b'), ('a'), (NULL)) t(s) group by tag order by tag"
expect "groups of an element's expression" 0 'A,2
B,1' rows "select upper(unnest(l)), count(*) from (values (['a', 'b']), (['a'])) t(l) group by upper(unnest(l)) order by 1"
expect "groups of two lists" 0 '1,10,1
2,20,1' rows "select unnest([1, 2]) as a, unnest([10, 20]) as b, count(*) from range(1) group by a, b order by a"
expect "times of rows" 0 '"['"'2020-01-01 00:00:00', '2020-01-02 00:00:00'"']"
[]
' rows "select range(a, b, interval 1 day) from (values (1, timestamp '2020-01-01', timestamp '2020-01-03'), (2, timestamp '2020-01-05', timestamp '2020-01-03'), (3, NULL, timestamp '2020-01-03')) t(i, a, b) order by i"
expect "groups of matches" 0 "\"{'c': x, 'd': 1}\"
\"{'c': '', 'd': ''}\"" rows "select regexp_extract(s, '(\\w)(\\d)', ['c', 'd']) from (values ('x1 y2'), ('z')) t(s)"

fails() { # NAME PLACE MESSAGE SQL
    expect "$1" 1 - "$program" -c "$4"
    says "$1" "error: $3"
    says "$1" "$(printf '%*s^' "$(($2 + 8))" '')"
}
fails "a wrong argument" 7 'argument 1 of function "list_sum" must be a list, not integer' "select list_sum(1)"
fails "a wrong element" 7 'argument 1 of function "list_sum" must be a list of numbers, not varchar[]' "select list_sum(['a'])"
fails "no lambda" 7 'argument 2 of function "list_filter" must be a lambda' "select list_filter([1], 1)"
fails "a field that is not there" 7 'the struct has no field "b"' "select {'a': 1}.b"
fails "a field twice" 7 'a struct has two fields "A"' "select {'a': 1, 'A': 2}"
fails "keys twice" 7 'a map has the same key twice' "select map([1, 1], [2, 3])"
fails "an empty reduction" 23 'list_reduce of an empty list needs an initial value' "select list_reduce([], lambda x, y: x + y)"
fails "an element that fails" 44 'division by zero' "select list_transform([1, 0], lambda x: (10 / x))"
fails "a subquery in a lambda" 27 'a subquery in a lambda is not supported' "select list_transform([1], lambda x: (select x))"
fails "another size" 13 'a list of 2 elements is not one of 3' "select [1, 2]::int[3]"
fails "a text of another size" 7 'a list of 2 elements is not one of 3' "select cast(t as int[3]) from (values ('[1, 2]')) v(t)"
fails "a size of none" 12 'a list of a fixed size has 1 to 100000 elements, not 0' "select [1]::int[0]"
fails "a text that is no list" 7 'the text is not a value of type varchar[]' "select cast(t as int[]) from (values ('[1, 2')) v(t)"
fails "unnest of a struct within" 11 'unnest of a struct within an expression is not supported' "select 1 + unnest({'a': 1})"
fails "bins of nothing" 7 'equi_width_bins makes 1 to 1000000 bins, not 0' "select equi_width_bins(1, 2, 0, true)"
fails "bins backwards" 7 'equi_width_bins: the greatest value is below the least one, or one of them is not a finite number' "select equi_width_bins(1, 0, 2, true)"
fails "a group too many" 7 'the pattern has 1 groups, and not a number 2' "select regexp_extract_all('a', '(a)', 2)"
fails "names that are not constant" 7 'argument 3 of function "regexp_extract_all" must be a number, or a constant list of names that is not empty' "select regexp_extract_all('a', '(a)', [])"
fails "points of different spaces" 7 'lists of 1 and 2 elements have no distance or product: both need as many' "select list_distance([1], [1, 2])"
fails "a coordinate that is NULL" 7 'a list with NULL among its elements has no distance or product' "select list_distance([1, NULL], [1, 2])"
fails "an aggregate that is not there" 7 'aggregate "nothing" does not exist' "select list_aggregate([1], 'nothing')"
fails "a struct with names" 7 'function "struct_position" takes a struct without names' "select struct_position({'a': 1}, 1)"
fails "unnest in WHERE" 15 'unnest is not allowed in WHERE' "select 1 where unnest([true])"
fails "unnest of unnest" 14 'unnest is not allowed in unnest' "select unnest(unnest([[1]]))"
fails "unnest of a number" 14 'argument 1 of function "unnest" must be a list, not integer' "select * from unnest(1)"
finish
