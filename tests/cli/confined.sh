#!/bin/sh
# SQL that is not trusted: with enable_external_access off no statement, of whatever form, and no setting reaches files
# other than the database's tables.
# confined.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/cli_common.sh"
mkdir "$work/files"
cd "$work/files" || exit 2
mkdir in out
"$program" -c "copy (select 1 as a, 'x' as b) to 'in/t.parquet'; copy (select 2 as a) to 'out/secret.parquet'" >/dev/null || exit 2

confined() { # SQL: with the folder's tables.
    "$program" --format csv --set enable_external_access=off in -c "$1"
}
refused() { # SQL
    expect "refused: $1" 1 - confined "$1"
    says "refused: $1" "is not allowed: enable_external_access is off"
}
allowed() { # LINES SQL
    expect "allowed: $2" 0 "$1" confined "$2"
}

# ---- every form of a statement ----
forms=all
for path in "'out/secret.parquet'" "'in/t.parquet'" "'out'" "'out/*.parquet'" "'/etc/passwd'" "'nowhere.parquet'" '"out/secret.parquet"' \
    '"secret.parquet"' "read_parquet('out/secret.parquet')" "parquet_scan('out/secret.parquet')" "read_parquet(['out/secret.parquet'])" \
    "read_parquet('out/secret.parquet', union_by_name => true)" "read_parquet('out', hive_types => 'a integer')"; do
    for form in "select * from FILE" "from FILE" "table FILE" "select 1 from t, FILE f" "select 1 from t join FILE f on true" "explain select * from FILE" \
        "explain analyze select * from FILE" "describe FILE" "describe select * from FILE" "summarize FILE" "summarize select * from FILE" \
        "select * from (select * from FILE f) q" "select (select count(*) from FILE f)" "select 1 from t where exists (select 1 from FILE f)" \
        "select 1 from t where a in (select a from FILE f)" "with w as (select * from FILE f) select * from w" \
        "with recursive r(i) as (select 1 union all select i + 1 from r, FILE f where i < 2) select * from r" \
        "select 1 union all select a from FILE f" "create view v as select * from FILE f" "create table n as select * from FILE f" \
        "create table n (a integer); insert into n select a from FILE f" "select * from t, lateral (select t.a from FILE f) q"; do
        case "$forms $form" in
        "few select * from FILE" | "few from FILE" | "few describe FILE" | "all "*) ;;
        *) continue ;;
        esac
        statement=$(printf %s "$form" | sed "s|FILE|$path|")
        case "$form $path" in
        "table FILE '"* | "table FILE read"* | "table FILE parquet"* | "describe FILE read"* | "describe FILE parquet"* | "summarize FILE read"* | "summarize FILE parquet"*) continue ;;
        esac
        expect "refused: $statement" 1 - confined "$statement"
        case $(cat "$work/err") in
        *"a path is not allowed: enable_external_access is off"*) pass ;;
        *) fail "refused: $statement: $(head -n 1 "$work/err")" ;;
        esac
    done
    forms=few # all forms for the first path
done
for target in "'out/new.parquet'" "'out/new.csv'" "'/dev/stdout' (format csv)" "'out/parts' (partition_by (a))" "'out/ranks' (per_rank)"; do
    refused "copy (select * from t) to $target"
    refused "copy t to $target"
done
expect "nothing was written" 0 "out/secret.parquet" find out -type f

# ---- every setting: those that a session may have for itself are listed here, all others are refused ----
own=" read_ahead device_mix device_stages join_variant overlap synchronization direct_io distribute retry heavy_keys reader_combining registered_memory dynamic_buffering join_table \
adaptive_regulation disabled_optimizer_rules hive_partitioning invalid_utf8 page_checksums timezone search_path device_exchange arrow_decimal arrow_dictionary result_memory progress "
"$program" --format tsv -c "show all" | sed 1d | cut -f1,3 >settings
while IFS='	' read -r setting initial; do
    case $own in
    *" $setting "*)
        allowed - "set $setting = '$initial'"
        allowed - "reset $setting"
        ;;
    *)
        [ "$setting" = enable_external_access ] || refused "set $setting = '$initial'"
        refused "reset $setting"
        refused "set $setting to default"
        ;;
    esac
done <settings
refused "set enable_external_access = on"
refused "set enable_external_access = true"
refused "SET ENABLE_EXTERNAL_ACCESS = 'on'"
allowed - "set enable_external_access = off"
expect "off is off" 1 - "$program" in -c "set enable_external_access = off; set enable_external_access = on"
says "off is off" "is not allowed"
expect "off at once" 1 - "$program" in -c "set enable_external_access = off; select * from 'out/secret.parquet'"
says "off at once" "is not allowed"

# ---- what is left ----
allowed "a,b
1,x" "select * from t"
allowed "a
1" "create view v as select a from t; select * from v"
allowed "a
1
5" "create table n as select a from t; insert into n values (5); select * from n; drop table n"
allowed "column,type,nullable
a,integer,no
b,varchar,no" "describe t"
expect "paths are the program's to open" 0 "a
2" "$program" --format csv --set enable_external_access=off out/secret.parquet -c "select * from secret"
finish
