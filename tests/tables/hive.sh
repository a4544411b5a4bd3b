#!/bin/sh
# Folders named key=value: the columns that they give, and which files are opened for a query.
# hive.sh PROGRAM
#
# What DuckDB 2.0 does is expected where it is said; the rest is counted by hand.
set -u
# shellcheck source=tests/tables/tables_common.sh
. "$(dirname "$0")/tables_common.sh"

# opened NAME "files N, opened M" SQL OPTION...
opened() {
    which=$1 wanted=$2 sql=$3
    shift 3
    expect "$which" 0 - "$program" --format tsv "$@" -c "explain analyze $sql"
    says "$which" "$wanted"
}

# ---- 200 files in 40 folders ----
file one.parquet "select * from (values (1, 'a'), (2, 'b'), (3, null)) t(id, name)"
for year in 2020 2021 2022 2023; do
    for month in 1 2 3 4 5 6 7 8 9 __HIVE_DEFAULT_PARTITION__; do
        mkdir -p "big/year=$year/month=$month"
        for n in 1 2 3 4 5; do
            cp one.parquet "big/year=$year/month=$month/$n.parquet"
        done
    done
done
opened "one folder" "files 200, opened 5" "select id from 'big' where year = 2021 and month = 3"
opened "an order" "files 200, opened 20" "select id from 'big' where month <= 1"
opened "between" "files 200, opened 45" "select id from 'big' where month between 2 and 4 and year <> 2022"
opened "in" "files 200, opened 30" "select id from 'big' where year in (2020, 2023, 1999) and month in (1, 2, 9)"
opened "is null" "files 200, opened 20" "select id from 'big' where month is null"
opened "is not null" "files 200, opened 45" "select id from 'big' where month is not null and year = 2020"
opened "arithmetic" "files 200, opened 25" "select id from 'big' where year * 100 + month = 202105 or (year = 2020 and month > 5)"
opened "not in" "files 200, opened 5" "select id from 'big' where year not in (2020, 2023, 2021) and month not in (1, 2, 3, 4, 5, 6, 7, 8)"
opened "or, with another column" "files 200, opened 100" \
    "select id from 'big' where (year = 2020 and id = 1) or (year = 2022 and id > 1)"
opened "nothing left" "files 200, opened 0" "select id from 'big' where year = 1"
opened "a view" "files 200, opened 5" "select id from (select * from 'big') v where year = 2021 and month = 3"
opened "no condition on a key" "files 200, opened 200" "select id from 'big' where id = 1"
for options in "" "--set device=simulated" "--set ranks=3 --set distribute=always" "--set disabled_optimizer_rules=all"; do
    [ -z "$options" ] || in_turn 3 || continue
    # shellcheck disable=SC2086 # words
    expect "rows $options" 0 "2020,2,5,15
2020,,5,15
2023,2,5,15
2023,,5,15" rows "select year, month, count(*) / 3, count(*) from 'big' where (month = 2 or month is null) and
                        year in (2020, 2023) group by 1, 2 order by 1, 2" $options
    # shellcheck disable=SC2086
    expect "whole $options" 0 "200,600,404300,180,2020,2023" rows \
        "select sum(id) / 6, count(*), sum(year) / 3, count(month) / 3, min(year), max(year) from 'big'" $options
    # shellcheck disable=SC2086
    expect "a join $options" 0 "5,2" rows "select count(*), min(b.id) from 'big' b join (values (2021, 4), (7, 7)) k(y, m)
                        on b.year = k.y and b.month = k.m where b.name = 'b'" $options
    # shellcheck disable=SC2086
    expect "no rows $options" 0 "0," rows "select count(*), max(month) from 'big' where year < 2000" $options
    # shellcheck disable=SC2086
    expect "top $options" 0 "3,2023,9
3,2023,9" rows "select id, year, month from 'big' order by month desc nulls last, year desc, id desc limit 2" $options
done

# A join's keys leave out files while the query runs; of texts on the host's device alone.
file days.parquet "select * from (values (2021, 4, 'x'), (2022, 4, 'x'), (2020, 1, 'y')) t(y, m, what)"
opened "a join" "files 200, opened 20" \
    "select count(*) from 'big' b join 'days.parquet' d on b.month = d.m where d.what = 'x' and d.y = 2021"
opened "an empty side" "files 200, opened 0" "select count(*) from 'big' b join 'days.parquet' d on b.month = d.m where d.what = 'xx'" \
    --set disabled_optimizer_rules=none
for options in "" "--set device=simulated" "--set threads=1" "--set ranks=3 --set distribute=always" "--set overlap=blocking"; do
    [ -z "$options" ] || in_turn 2 || continue
    # shellcheck disable=SC2086
    expect "join rows $options" 0 "20,20,2020,2023" rows \
        "select count(*), sum(b.id) / 2, min(b.year), max(b.year) from 'big' b join 'days.parquet' d on b.month = d.m
         where d.what = 'x' and d.y = 2021 and b.name = 'b'" $options
done
for t in 01 02 03 04 05 06 07 08 09 1a 1b 1c 1d 1e 1f 2a 2b 2c 2d 2e 2f 3a 3b 3c 3d 3e 3f 4a 4b 4c 4d 4e 4f 5a 5b; do
    mkdir -p "words/w=$t"
    cp one.parquet "words/w=$t"
done
file word.parquet "select * from (values ('3c', 1), ('zz', 1), ('4a', 2)) t(w, k)"
opened "texts of a join" "files 35, opened 1" \
    "select count(*) from 'words' t join 'word.parquet' w on t.w = w.w where w.k = 1"
expect "texts of a join" 0 3 rows "select count(*) from 'words' t join 'word.parquet' w on t.w = w.w where w.k = 1"

# A file that is not looked at may be none; one that is, is named.
echo rubbish >big/year=2022/month=1/1.parquet
expect "rows of tables with rubbish" 0 "big,table,,4" sh -c "'$program' --format csv -c 'show tables' . | grep big"
expect "pruned rubbish" 0 15 rows "select count(*) from 'big' where year = 2021 and month = 1"
expect "rubbish" 1 - rows "select count(*) from 'big' where year = 2022"
says "rubbish" "big/year=2022/month=1/1.parquet"
file big/year=2022/month=1/1.parquet "select 1 as id, 2 as name"
expect "another schema" 1 - rows "select count(*) from 'big' where year = 2022"
says "another schema" "big/year=2022/month=1/1.parquet\": its column \"name\" is integer, in the table's first file it is varchar"
rm big/year=2022/month=1/1.parquet
expect "one file less" 0 147 rows "select count(*) from 'big' where year = 2022"
expect "rows of tables" 0 "big,table,597,4
days,table,3,3
one,table,3,2
word,table,3,2
words,table,105,3" rows "show tables" .

# ---- types, as DuckDB's ----
file dates/d=2024-02-29/f.parquet "select 1 as x"
file dates/d=2024-03-01/f.parquet "select 2 as x"
expect "dates" 0 "x,integer,yes
d,date,no" rows "describe 'dates'"
opened "dates" "files 2, opened 1" "select x from 'dates' where d > date '2024-02-29'"
file texts/t=01/f.parquet "select 1 as x"
file texts/t=a%2Fb%20%25/f.parquet "select 2 as x"
file texts/t=__HIVE_DEFAULT_PARTITION__/f.parquet "select 3 as x"
file texts/t=/f.parquet "select 4 as x"
file texts/t=%zz%4/f.parquet "select 5 as x"
expect "texts" 0 '1,01
2,a/b %
3,
4,""
5,%zz%4' rows "select x, t from 'texts' order by x"
opened "texts" "files 5, opened 2" "select x from 'texts' where t >= '0' and t < 'b'"
opened "like" "files 5, opened 1" "select x from 'texts' where t like 'a%'"
opened "like, a list of letters" "files 5, opened 1" "select x from 'texts' where t ilike 'A_B\\ %'"
opened "not like" "files 5, opened 2" "select x from 'texts' where t not like '\\%%' and not t ilike ''"
opened "like, escaped" "files 5, opened 1" "select x from 'texts' where t like '!%z%' escape '!'"
file large/k=99999999999999999999/f.parquet "select 1 as x"
expect "beyond 64 bits" 0 "1,99999999999999999999" rows "select x, k || '' from 'large'"

# Digits are a number if all folders of the key are named as numbers are written; else text, which keeps them apart.
i=0
for names in 01234,1234 +1,2 -0,1 1e3,1 9223372036854775808,1 ' 1,2' 1.0,2 2024-01-01,2024-1-2 '2024-01-01 05,2024-01-02' 1,; do
    i=$((i + 1))
    file "digits$i/k=${names%,*}/f.parquet" "select 1 as x"
    file "digits$i/k=${names#*,}/f.parquet" "select 2 as x"
    expect "digits that stay text: $names" 0 "k,varchar,no" sh -c "'$program' --format csv -c \"describe 'digits$i'\" | tail -1"
    expect "and apart: $names" 0 2 rows "select count(distinct k) from 'digits$i'"
    expect "as they are: $names" 0 "1" rows "select x from 'digits$i' where k = '${names%,*}'"
done
file numbers/k=-5/f.parquet "select 1 as x"
file numbers/k=0/f.parquet "select 2 as x"
file numbers/k=9223372036854775807/f.parquet "select 3 as x"
expect "numbers" 0 "9223372036854775802,9223372036854775807" rows "select sum(k), max(k) from 'numbers'"

# ---- hive_types ----
typed() { # TYPE FOLDERS CONDITION ROWS: of folders named k=..., those whose key of the type fits.
    rm -rf typed
    n=0
    for folder in $2; do
        n=$((n + 1))
        file "typed/k=$folder/f.parquet" "select $n as x"
    done
    for options in "" "--set device=simulated" "--set ranks=2 --set distribute=always"; do
        [ -z "$options" ] || in_turn 3 || continue
        # shellcheck disable=SC2086
        expect "$1 $options" 0 "$4" rows "select x, k from read_parquet('typed', hive_types => 'k $1') where $3 order by x" $options
        # shellcheck disable=SC2086
        expect "a join by $1 $options" 0 "$n" rows "select count(*) from read_parquet('typed', hive_types => 'k $1') a join
            (select distinct k from read_parquet('typed', hive_types => 'k $1') c where x > 0) b on a.k = b.k" $options
    done
    opened "files by $1" "files $n, opened 1" "select x from read_parquet('typed', hive_types => 'k $1') where $3"
}
typed integer '01 2' "k = 1" "1,1"
typed bigint '1 2' "k = 2" "2,2"
typed tinyint '1 -2' "k < 0" "2,-2"
typed usmallint '1 65535' "k > 1" "2,65535"
typed ubigint '1 18446744073709551615' "k > 1" "2,18446744073709551615"
typed varchar '1 01' "k = '01'" "2,01"
typed 'decimal(5,2)' '1.5 1.55 7' "k = 1.5" "1,1.50"
typed 'decimal(30,2)' '1.5 1.55 7' "k > 2" "3,7.00"
typed date '2024-1-2 2024-01-03' "k = date '2024-01-02'" "1,2024-01-02"
typed timestamp '2024-01-02%2003%3A04%3A05 2024-01-03' "k > timestamp '2024-01-02 04:00'" "2,2024-01-03 00:00:00"
typed time '03%3A04%3A05 05:00' "k > time '04:00'" "2,05:00:00"
typed boolean 'true false' "k" "1,true"
typed double '1e3 2.5' "k = 2.5" "2,2.5"
typed uuid 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11 A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11' "k < 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'" \
    "2,a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
expect "of a table" 0 "01234,1
1234,2" rows "select k, x from t order by x" --table 't=hive_types=(k varchar):digits1'
expect "by name" 0 "1234,1
1234,2" rows "select k, x from read_parquet('digits1', hive_types => '\"k\" Integer', union_by_name => true) order by x"
expect "of another key" 1 - rows "select * from read_parquet('digits1', hive_types => 'kk integer')"
says "of another key" 'hive_types: "kk" is not a key of the table'
says "of another key" 'its first key is "k"'
expect "another value" 1 - rows "select * from read_parquet('digits2', hive_types => 'k date')"
says "another value" 'hive_types: "+1" in the name of a folder is not a value of key "k" of type date'
for types in 'k' 'k text[]' 'k decimal(5,2' 'k decimal(39)' 'k blob' 'k integer, k date' '' 'k integer,' 'k int):x'; do
    expect "types: $types" 1 - rows "select * from read_parquet('digits1', hive_types => '$types')"
    says "types: $types" "hive_types"
done
for escape in a%2Fb c%3Dd e%25f %00 %; do
    file "names/$escape=1/f.parquet" "select 1 as x"
    expect "names: $escape" 0 - rows "select \"$(printf %s "$escape" | sed 's/%2F/\//;s/%3D/=/;s/%25/%/')\" from 'names/$escape=1/f.parquet'"
done

# ---- folders that are no pairs, or others: as DuckDB's ----
file mixed/y=1/f.parquet "select 1 as x"
file mixed/z/f.parquet "select 2 as x"
expect "not all have keys" 0 "1
2" rows "select * from 'mixed' order by 1"
expect "but they must" 1 - rows "select * from read_parquet('mixed', hive_partitioning => true)"
says "but they must" "the folders of file \"mixed/z/f.parquet\" do not name the same keys as those of \"mixed/y=1/f.parquet\""
file deep/y=1/f.parquet "select 1 as x"
file deep/y=2/m=1/f.parquet "select 2 as x"
expect "depths" 0 "1
2" rows "select * from 'deep' order by 1"
expect "depths, on" 1 - rows "select * from 'deep'" --set hive_partitioning=on
says "depths, on" "deep/y=2/m=1/f.parquet"
file between/y=1/x/f.parquet "select 1 as x"
file between/y=2/z/f.parquet "select 2 as x"
expect "other folders between" 0 "1,1
2,2" rows "select * from 'between/**' order by 1"
file equals/a=b=c/f.parquet "select 1 as x"
file equals/=c/f.parquet "select 1 as x"
expect "no pairs" 0 "1
1" rows "select * from 'equals'"
file column/y=7/f.parquet "select 1 as x, 99 as y, 'z' as z"
file column/y=8/f.parquet "select 2 as x, 98 as y, 'z' as z"
expect "a column of the file" 0 "1,7,z
2,8,z" rows "select * from 'column' order by 1"
opened "a column of the file" "files 2, opened 1" "select * from 'column' where y = 8"
expect "and off" 0 "1,99,z
2,98,z" rows "select * from 'column' order by 1" --set hive_partitioning=off
expect "off by name" 0 "1,99,z
2,98,z" rows "select * from read_parquet('column', hive_partitioning = false) order by 1"
expect "a file by its path" 0 "1,7,z" rows "select * from 'column/y=7/f.parquet'"
expect "of DIR" 0 "1,7,z" rows "select * from \"column\" where y = 7" .
expect "of DIR, off" 0 "1,99,z" rows "select * from \"column\" where y = 99" . --set hive_partitioning=off
expect "option" 1 - rows "select * from read_parquet('column', hive_partitionin => true)"
says "option" 'did you mean "hive_partitioning"?'
expect "option" 1 - rows "select * from read_parquet('column', hive_partitioning => 'maybe')"
says "option" 'hive_partitioning cannot be "maybe"'
expect "rewriting keeps to the file" 0 - "$program" rewrite column/y=7/f.parquet again.parquet
expect "rewriting keeps to the file" 0 "1,99,z" rows "select * from 'again.parquet'"

# A folder of folders is a table; so is DIR itself where these are pairs.
expect "DIR" 0 "1,2024-02-29
2,2024-03-01" rows "select x, d from dates order by 1" dates
finish
