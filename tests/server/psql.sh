#!/bin/sh
# `pistachio serve`, asked by psql: statements and their failures, cancelling, clients that go, the end.
# psql.sh PROGRAM
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
if ! command -v psql >/dev/null; then
    echo "0 passed, 0 failed, 1 skipped: psql is not installed"
    exit 77
fi
export PGHOST="$work/run" PGUSER=tester PGDATABASE=any PSQLRC=/dev/null PGCONNECT_TIMEOUT=30
mkdir "$work/run" "$work/tables"

# start OPTION...: a server, whose process is $server and whose words are in $work/said.
start() {
    "$program" serve --listen "unix:$work/run" "$@" "$work/tables" >"$work/said" 2>&1 &
    server=$!
    tries=0
    until grep -q "listening on $work/run" "$work/said"; do
        tries=$((tries + 1))
        [ "$tries" -lt 300 ] && kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
}

# stop: the server ends by itself, with status 0.
stop() {
    kill -TERM "$server"
    check "the server ends" wait "$server"
}

# answers NAME SQL EXPECTED: rows without heads, a line each, columns between |; or the failure's lines.
answers() {
    psql -XAtq -c "$2" >"$work/answer" 2>&1
    if [ "$(cat "$work/answer")" = "$3" ]; then pass; else fail "$1: $(cat "$work/answer")"; fi
}

# fails NAME SQL SQLSTATE
fails() {
    psql -XAtq -v VERBOSITY=sqlstate -c "$2" >"$work/answer" 2>&1
    if grep -q "ERROR:  $3" "$work/answer"; then pass; else fail "$1: $(cat "$work/answer")"; fi
}

"$program" -c "copy (select i::integer as id, 'n' || i as name from range(1, 4) as r(i)) to '$work/tables/things.parquet'" >/dev/null || fail "a table"
start --max-connections 3

answers "one row" "select 1" 1
answers "a table" "select id, name from things order by id" '1|n1
2|n2
3|n3'
answers "no row" "select * from things where id = 9" ''
answers "types" "select true, false, null, -7::tinyint, 7::bigint, 1.5::double, 'NaN'::float, -1.50::decimal(5,2), date '2020-02-29', time '01:02:03.5', timestamp '2020-01-01 00:00:00', interval '1 month 2 days', '\\x01ff'::blob, uuid '6ecd8c99-4036-403d-bf84-cf8400f67836', 'ä'" \
    't|f||-7|7|1.5|NaN|-1.50|2020-02-29|01:02:03.5|2020-01-01 00:00:00|1 mon 2 days|\x01ff|6ecd8c99-4036-403d-bf84-cf8400f67836|ä'
answers "several statements" "create view v as select 5 as five; select five from v; select 6;" '5
6'
answers "views are the session's" "select five from v" 'ERROR:  table "v" does not exist
LINE 1: select five from v
                         ^
HINT:  SHOW TABLES lists the tables; FROM '"'path.parquet'"' reads a file'
answers "what comes before a failure" "select 1; select 'ä', foo from things; select 2" '1
ERROR:  column "foo" does not exist
LINE 1: select 1; select '"'ä'"', foo from things; select 2
                              ^'
check "types have PostgreSQL's names" sh -c 'psql -X -c "select id, 1.5::decimal(7,2) as d from things limit 0 \gdesc" >/dev/null; psql -XAt -c "select 1" -c "\echo :SERVER_VERSION_NUM" | grep -q ^150000$'
check "the version" sh -c 'psql -X -c "\conninfo" | grep -q "database \"any\" as user \"tester\""'
check "EXPLAIN" sh -c 'psql -X -c "explain select id from things" | grep -q things'
check "tags" sh -c 'psql -X -c "set timezone = '"'Europe/Berlin'"'" | grep -qx SET'
answers "settings are the session's" "set timezone = 'Europe/Berlin'; select timestamptz '2020-01-01 00:00:00+00'" '2020-01-01 01:00:00+01'
answers "nothing" "" ''
answers "nothing but a comment" "-- nothing" ''

# What psql asks of pg_catalog.
answers "\\dt" '\dt' 'public|things|table|pistachio'
answers "\\d" '\d' 'public|things|table|pistachio'
answers "\\dt of a pattern" '\dt th*' 'public|things|table|pistachio'
answers "\\dt of nothing" '\dt absent' ''
answers "\\dn" '\dn' 'public|pistachio'
answers "\\l" '\l' 'pistachio|pistachio|UTF8|C|C||libc|'
answers "\\di" '\di' ''
answers "\\df" '\df' ''
# Each other command runs, with what is there and what is not.
for c in '\d things' '\d+ things' '\da' '\dAc+' '\dAf+' '\dAo+' '\dAp+' '\db+' '\dc+' '\dconfig+ *' '\dC+' '\dd' \
    '\dD+' '\ddp' '\dE+' '\des+' '\det+' '\deu+' '\dew+' '\df+' '\dfn' '\dft' '\dF+' '\dFd+' '\dFp+' '\dFt+' '\dg+' '\di+' '\dl+' \
    '\dL+' '\dm+' '\dn+ *' '\do+' '\dO+ *' '\dp' '\dP+' '\drds' '\dRp+' '\dRs+' '\ds+' '\dt+ *' '\dT+ int*' '\dTS' '\du+' '\dv+' \
    '\dx+' '\dX' '\dy+' '\l+' '\z' '\d pg_type' '\dA+' '\dfS+ rever*' '\dfaS' '\dfp' '\dfwS' '\daS' '\doS+' '\dPi' '\dPt' '\dPn' '\dCS' \
    '\dcS' '\dd *.*' '\dS' '\sf reverse' '\lo_list'; do
    printf '%s\n' "\\echo $c" "$c"
done >"$work/commands"
psql -XAtq -f "$work/commands" >"$work/answer" 2>&1
if grep -q ERROR "$work/answer"; then fail "psql's commands: $(grep -B1 -A3 ERROR "$work/answer")"; else pass; fi
answers "\\d of a table" '\d things' 'id|integer||not null|
name|text||not null|'
answers "\\dT+ of a type" '\dTS int4' 'pg_catalog|integer|'
answers "\\\\dfS of a function" '\dfS strpos' 'pg_catalog|strpos|bigint|text, text|func'
answers "settings" "select current_setting('server_version_num'), set_config('jit', 'on', false), current_setting('jit'), current_setting('absent', true); show jit" '150000|on|on|
on'
answers "names and identifiers" "select to_regtype('int4[]'), to_regtype('absent'), to_regclass('things') = 'things'::regclass, to_regclass('absent'), 23::regtype::text, 'pg_catalog'::regnamespace" '1007||t||integer|11'
answers "information_schema" "select column_name, data_type from information_schema.columns where table_name = 'things' order by ordinal_position" 'id|integer
name|text'

printf 'x\ty\n' >"$work/wrong"
psql -XAtq -c "create table taken (a int, b varchar)" -c "\\copy taken from '$work/wrong'" >"$work/answer" 2>&1
check "a wrong value that is copied" grep -q 'line 1 of the rows that were sent: column "a": "x" is not a' "$work/answer"

# Files go to the client and come back, in each format that goes both ways.
psql -XAtq -c "create view kept as select *, case id when 1 then null when 2 then '' else E'a,\\t|\\n\\\\\"''x' end as s from things" -c "create table back (id int, name text, s text)" \
    -c "\\copy (select * from kept) to '$work/a.txt'" -c "\\copy back from '$work/a.txt'" \
    -c "\\copy (select * from kept) to '$work/b.csv' with (format csv, header)" -c "\\copy back from '$work/b.csv' with (format csv, header match)" \
    -c "\\copy (select * from kept) to '$work/c.txt' delimiter '|' null 'nil'" -c "\\copy back from '$work/c.txt' delimiter '|' null 'nil'" \
    -c "\\copy (select * from kept) to '$work/e' binary" -c "\\copy back from '$work/e' (format binary) where id > 1" \
    -c "\\copy back (name, id) to '$work/d.csv' csv force quote name" \
    -c "select count(*), count(distinct (id, name, s)), count(s), (select count(*) from back join kept using (id, name) where back.s is not distinct from kept.s) from back" \
    >"$work/answer" 2>&1
if [ "$(cat "$work/answer")" = '11|3|8|11' ]; then pass; else fail "\\copy and back: $(cat "$work/answer")"; fi
check "some columns" sh -c 'sort "$1" | head -n 1 | grep -qx "\"n1\",1"' - "$work/d.csv"
printf 'PGCOPY' >"$work/binary"
psql -XAtq -c "create table taken (a int)" -c "\\copy taken from '$work/binary' binary" >"$work/answer" 2>&1
check "the binary format" grep -q "what is copied ends within the head of PostgreSQL's binary format" "$work/answer"

fails "a syntax error" "selec 1" 42601
fails "no table" "select * from absent" 42P01
fails "no column" "select absent from things" 42703
fails "no function" "select absent(1)" 42883
fails "a value" "select 1 / (id - id) from things" 22012
fails "an ambiguous column" "select id from things a, things b" 42702
fails "no group" "select name, count(*) from things" 42803
fails "a nested aggregate" "select sum(count(*)) from things" 42803
fails "no boolean" "select 1 from things where name" 42804
fails "a union" "select 1 union select 1, 2" 42601
fails "a table that is there" "create table t as select 1; create table t as select 2" 42P07
fails "a table twice" "select 1 from things a join things a on true" 42712
fails "a window" "select row_number() from things" 42P20
fails "an order" "select id from things order by 7" 42P10
fails "a text" "select 'x'::integer" 22P02
fails "a number that is too large" "select 300::tinyint" 22003
fails "more than one row" "select (select id from things)" 21000
fails "a negative length" "select substring('abc', 1, -1)" 22011
fails "no value" "select \$1" 42P02
check "position and hint" sh -c 'psql -X -c "select nam from things" -c "\\errverbose" 2>&1 | tr "\n" "|" | grep -q "ERROR:  42703: .*LINE 1: select nam from things|               ^|HINT: .*name"'
fails "what is not supported" "create index i on things (id)" 0A000
fails "files of the machine" "select * from '/etc/passwd'" 42501
fails "settings of the process" "set threads = 1" 42501

# Many rows, and a client that stops reading them in the middle.
answers "many rows" "select count(*) from things, range(100000)" 300000
check "rows that come" sh -c 'test "$(psql -XAt -c "select id, i from things, range(20000) as r(i)" | wc -l)" = 60000'
check "a reader that leaves" sh -c 'psql -XAt -v FETCH_COUNT=0 -c "select i from range(1000) as r(i)" | head -n 1'

# Cancelling: the request comes by a connection of its own.
# begin_endless FILE: a statement without end, of the process $asking, whose client is connected already.
begin_endless() {
    psql -XAtq -v VERBOSITY=sqlstate -c "select 'begun'" \
        -c "select count(*) from range(1000000000) a(i), range(1000000000) b(i) where a.i + b.i < 0" >"$1" 2>&1 &
    asking=$!
    until grep -q begun "$1" 2>/dev/null || ! kill -0 "$asking" 2>/dev/null; do
        sleep 0.1
    done
}
begin_endless "$work/cancelled"
# Between its statements psql hears the signal and does nothing.
tries=0
while kill -INT "$asking" 2>/dev/null && [ "$tries" -lt 60 ]; do
    tries=$((tries + 1))
    sleep 0.5
done
wait "$asking"
check "cancelled" grep -q 'ERROR:  57014' "$work/cancelled"
# Clients that are killed: their statements end, or the server would not within its grace.
for i in 1 2 3; do
    begin_endless "$work/killed$i"
    killed="$killed $asking"
done
answers "too many" "select 1" "psql: error: connection to server on socket \"$work/run/.s.PGSQL.5432\" failed: FATAL:  too many clients are connected
HINT:  wait, or start the server with a larger --max-connections"
# shellcheck disable=SC2086
kill -9 $killed
tries=0
until [ "$(psql -XAtq -c 'select 1' 2>&1)" = 1 ] || [ "$tries" = 100 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
check "room again" [ "$tries" -lt 100 ]
stop
check "no socket is left" [ ! -e "$work/run/.s.PGSQL.5432" ]

# What runs may end within the grace, no longer.
start --grace 1
begin_endless "$work/cancelled"
sleep 0.5
stop
wait "$asking"
check "cancelled at the end" grep -q '57014\|57P01' "$work/cancelled"

check "another server's socket" sh -c '! "$1" serve --listen "unix:$2/tables/things.parquet" "$2/tables" 2>&1 | grep -q listening' - "$program" "$work"
"$program" serve --listen 127.0.0.1:0 "$work/tables" >"$work/said" 2>&1
check "TCP without passwords" grep -q 'there is no --users FILE' "$work/said"
"$program" serve --listen 0.0.0.0:0 --trust-loopback "$work/tables" >"$work/said" 2>&1
check "an address that is not loopback" grep -q 'is not a loopback address, and the server has no TLS' "$work/said"
"$program" serve --listen 0.0.0.0:0 --trust-loopback --insecure "$work/tables" >"$work/said" 2>&1
check "which is not trusted" grep -q 'clients of 0.0.0.0:[0-9]* need passwords' "$work/said"

# Passwords, which libpq proves by SCRAM.
echo 'geheim' | "$program" serve --users "$work/users" --add-user anna || fail "a user"
echo 'other' | "$program" serve --users "$work/users" --add-user 'b"ob' || fail "another user"
start --listen 127.0.0.1:0 --users "$work/users"
PGHOST=127.0.0.1 PGPORT=$(sed -n 's/.*127.0.0.1:\([0-9]*\)$/\1/p' "$work/said")
export PGHOST PGPORT
PGUSER=anna PGPASSWORD=geheim answers "a password" "show session_authorization" anna
PGUSER='b"ob' PGPASSWORD=other answers "another user's" "select 1" 1
PGUSER=anna PGPASSWORD=other psql -XAtc "select 1" >"$work/wrong" 2>&1
PGUSER=nobody PGPASSWORD=other psql -XAtc "select 1" >"$work/nobody" 2>&1
check "a wrong password" grep -q 'FATAL:  the password of user "anna" is wrong' "$work/wrong"
check "nobody's password" grep -q 'FATAL:  the password of user "nobody" is wrong' "$work/nobody"
echo 'new' | "$program" serve --users "$work/users" --add-user anna || fail "another password"
PGUSER=anna PGPASSWORD=new answers "while the server runs" "select 2" 2
check "the file is its owner's alone" sh -c 'test "$(stat -c %a "$1")" = 600' - "$work/users"
stop
finish
