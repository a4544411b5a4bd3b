#!/bin/sh
# union_by_name: what cannot be united, and how it is told; rows by hand.
# union_errors.sh PROGRAM
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"

wrong() { # PATH TEXT
    expect "$1" 1 - rows "select * from read_parquet('$1', union_by_name => true)"
    says "$1" "$2"
}

file kinds/a.parquet "select 1 as a"
file kinds/b.parquet "select 'x' as b, 'y' as a"
wrong kinds "column \"a\" is integer in file \"kinds/a.parquet\" and varchar in file \"kinds/b.parquet\""
file wide/a.parquet "select 1::decimal(38, 2) as a"
file wide/b.parquet "select 1::bigint as a"
file wide/c.parquet "select 1::decimal(38, 20) as a"
wrong wide "decimal(38,2) in file \"wide/a.parquet\" and decimal(38,20) in file \"wide/c.parquet\""
file later/a.parquet "select 1::smallint as a"
file later/b.parquet "select 2::bigint as a"
file later/c.parquet "select date '2024-01-01' as a"
wrong later "column \"a\" is bigint in file \"later/b.parquet\" and date in file \"later/c.parquet\""
echo rubbish >later/b.parquet
wrong later "later/b.parquet"
wrong nothing "nothing"
expect "an option" 1 - rows "select * from read_parquet('kinds', union_by_name => 'perhaps')"
says "an option" 'union_by_name cannot be "perhaps"'

# Names differ in their case; a list of paths; keys come last; footers are read once for all.
file sales/year=2020/a.parquet "select 1 as id, 'x' as name"
file sales/year=2021/b.parquet "select 'y' as NAME, 2::bigint as id, 2.5::decimal(4, 1) as price"
file sales/year=2022/c.parquet "select 3 as id, 7 as price"
file more.parquet "select 9 as id, true as is_more"
expect "united" 0 "1,x,,2020
2,y,2.5,2021
3,,7.0,2022" rows "select * from read_parquet('sales', union_by_name => true) order by id"
expect "types" 0 "id,bigint,no
name,varchar,yes
price,\"decimal(11,1)\",yes
year,bigint,no" rows "describe select * from read_parquet('sales', union_by_name = true)"
expect "a list" 0 "3,
9,true" rows "select id, is_more from read_parquet(['sales', 'more.parquet'], union_by_name => true) where id > 2 order by id"
expect "aggregates" 0 "3,6,2022,1" rows "select count(*), sum(id), max(year), count(price) - 1 from read_parquet('sales', union_by_name => true)"
for options in "" "--set device=simulated" "--set ranks=3 --set distribute=always"; do
    # shellcheck disable=SC2086 # words
    expect "a join $options" 0 "y,2.5" rows "select a.name, a.price from read_parquet('sales', union_by_name => true) a
        join (values (2021)) y(y) on a.year = y.y where a.id = 2" $options
done

# Statistics of a file say of the wider type's values what they say of its own: the file's data is not read.
file widened/a.parquet "select i::smallint as i, (i / 10)::decimal(6, 1) as d, i::real as f, i::integer as j from generate_series(1, 300) g(i)"
file widened/b.parquet "select i::bigint as i, (i / 10)::decimal(9, 3) as d, i::double precision as f, i::double precision as j from generate_series(1, 5000) g(i)"
reads() { # NAME CONDITION COUNT FILES: so many rows, of so many files of the two
    expect "$1" 0 "$3" rows "select count(*) from read_parquet('widened', union_by_name => true) where $2"
    expect "$1" 0 "$4" sh -c "'$program' -c \"explain analyze select count(*), sum(j) from read_parquet('widened', union_by_name => true)
        where $2\" | grep 'scan widened' | grep 'read ' | wc -l"
}
reads "integers" "i = 4000" 1 1
reads "integers in both" "i between 299 and 302" 6 2
reads "integers in a list" "i in (301, 5000, null)" 2 1
reads "decimals" "d > 499" 1 1
reads "decimals at the end" "d >= 30" 4702 2
reads "floats" "f < 2" 2 2
reads "floats at the end" "f < 1" 0 0
reads "doubles of integers" "j > 301" 4699 1
reads "no rows" "i > 5000" 0 0

expect "a file that comes" 0 - rows "select 1"
file sales/year=2023/d.parquet "select 4 as id"
expect "a file that comes" 0 "4,2023" rows "select id, year from read_parquet('sales', union_by_name => true) where year = 2023"
finish
