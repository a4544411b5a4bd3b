#!/bin/sh
# The shell on a terminal: typing, history, completion, commands, Ctrl-C and Ctrl-D, progress.
# shell.sh PROGRAM TERMINAL (terminal.c)
set -u
terminal=$2
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/cli_common.sh"

"$terminal" 80 true </dev/null >/dev/null
if [ $? = 77 ]; then
    skip "the shell: no pseudo-terminal can be made here"
    finish
    exit
fi

# shell TYPED [LOCALE]: what is typed, as printf's %b; \036 is a pause (terminal.c).
shell() {
    printf '%b' "$1" | LC_ALL=${2:-C.UTF-8} "$terminal" 100 "$program" "$work/t.parquet"
}

many="select i, i * i as q, 'text ' || i as t from range(100) r(i)"
# Parts of the test, of which the gate makes each second one (in_turn). Each has a table t of its own.

statements() {
expect "the shell" 0 - shell 'select a + 41 as answer\nfrom t;\n.quit\n'
says "gives rows" " 42"
expect "the shell's tables" 0 - shell '.tables\n.quit\n'
says "lists tables" " t "
expect "a command that is none" 0 - shell '.nonsense\n.quit\n'
says "says so" "there is no command .nonsense"
expect "modes" 0 - shell ".mode json\nselect 'it;' as \"a;b\";\n.quit\n"
says "changes the format" '"a;b": "it;"'
expect "several statements on a line" 0 - shell 'select 5 * 5 as v; select 6 * 6 as w; .mode csv\n.quit\n'
says "gives the first's rows" " 25"
says "and the second's" " 36"
expect "a comment alone" 0 - shell '/* a; */ -- b;\nselect 5 * 5 as v;\n.quit\n'
says "waits for nothing" " 25"

# A statement that failed is no failure of the shell.
expect "an error" 0 - shell 'select nothing;\n.quit\n'
expect "an error, then the end of the input" 0 - shell 'select nothing;\n\0004'
expect "history" 0 - cat "$work/history"
says "is kept" "nothing"
}

# What is not ASCII: typed, edited (Ctrl-A, Ctrl-D, Ctrl-E, backspace), recalled, completed.
characters() {
for locale in C.UTF-8 C POSIX nonsense; do
    rm -f "$work/history"
    expect "typed, $locale" 0 - shell "select 'é' || '日本' || '🐘' as x, octet_length('é') as n;\n\0004" $locale
    says "arrives, $locale" " é日本🐘 |      2"
    expect "edited, $locale" 0 - shell "Xselect 'aéß\0177ö日\0177' || 'z' as x\0001\0004\0005;\n\0004" $locale
    says "by characters, $locale" " aéöz"
    expect "recalled, $locale" 0 - shell "\0020\n\0004" $locale
    says "from a file, $locale" " aéöz"
done
"$program" -c "copy (select 1 as größe, 2 as vvvä, 3 as vvvö) to '$work/t.parquet'" || exit 2
expect "completed" 0 - shell 'select 10 + größ\tas n from t;\n\0004'
says "behind what is not ASCII" " 11"
expect "what all have in common" 0 - shell 'select 10 + vv\t\036\003\036\0004'
silent "is whole characters" "$(printf 'vvv\303\n')"

# What can stand there: commands, formats, files, settings, functions, tables.
mkdir -p "$work/files/inner"
cp "$work/t.parquet" "$work/files/some rows.parquet"
echo "select 6 * 7 as v;" >"$work/files/inner/answer.sql"
in_files() { (cd "$work/files" && shell "$@"); }
expect "a command and a format" 0 - shell '.mo\tjs\t\nselect 5 * 5 as v;\n\0004'
says "are completed" '"v": 25'
expect "a setting" 0 - shell 'set memory_l\t= 1GB;\nshow memory_l\t;\n\0004'
says "is completed" " 1GB"
expect "a function" 0 - shell "select levensh\t'ab', 'b') + 40 as n;\n\0004"
says "is completed, with its parenthesis" " 41"
expect "a file in quotes" 0 - in_files "select 30 + count(*) as n from 'so\t;\n\0004"
says "is completed, with its quote" " 31"
expect "a command's file" 0 - in_files '.read in\ta\t\n\0004'
says "is completed, folder by folder" " 42"
expect "a command's table" 0 - shell '.schema \t\n\0004'
says "is completed" "vvvä"
expect "no keyword for a command" 0 - shell '.sel\t\n\0004'
says "completes it" "there is no command .sel"
}

# Pasted text, between the marks of a terminal: a tab completes nothing, and lines are taken one by one.
words() {
expect "a pasted tab" 0 - shell "\\033[200~select 'a\\tb' as x, octet_length('a\\tb') as n;\\033[201~\\n\\0004"
says "stays in the text" "|      3"
expect "pasted lines" 0 - shell "\\033[200~select 20 +\\n\\t3 as\\tn\\nfrom\\tt;\\n\\033[201~select 5 * 5 as v;\\n\\0004"
says "are a statement" " 23"
says "after which keys are typed again" " 25"
expect "text around what is pasted" 0 - shell "select length('é\\033[200~[201\\tü\\033[201~z') as n;\\n\\0004"
says "stays as it is" " 8"

# Words of other shells.
for word in help 'HELP;' ; do
    expect "$word" 0 - shell "$word\n.quit\n"
    says "is a command: $word" "SQL ends with a semicolon"
done
for word in quit exit 'exit;' '\\q'; do
    expect "$word" 0 - shell "$word\nselect 5 * 5 as v;\n"
    silent "ends: $word" " 25"
done
expect "not inside a statement" 0 - shell 'select 5 * 5 as\nhelp\n;\n.quit\n'
says "where they are names" " help"
expect "a list" 0 - shell '\\l\n.quit\n'
says "of tables" " t "
expect "records" 0 - shell '\\x\nselect 5 * 5 as v;\n.quit\n'
says "a line for each column" "-[ RECORD 1 ]"
says "with its name" "v | 25"
expect "a command of the system" 0 - shell '\\! echo $((6 * 7))\n.quit\n'
says "runs" "42"
expect "copy" 0 - shell "\\\\copy (select 'x' as seven) to '$work/c.csv'\n.quit\n"
expect "as COPY does" 0 "seven
x" cat "$work/c.csv"
expect "results to a file" 0 - shell ".output $work/o.txt\nselect 5 * 5 as v;\nset threads = 2;\n\\\\! cat $work/o.txt\n.quit\n"
says "are there at once" " 25"
says "with what statements did" "SET"
expect "another file" 0 - shell ".mode csv\n.output $work/o.csv\nselect 5 as v;\n.output $work/p.csv\nselect 6 as v;\n.output\nselect 7 * 7 as w;\n.quit\n"
says "and back" "49"
expect "the first" 0 "v
5" cat "$work/o.csv"
expect "the second" 0 "v
6" cat "$work/p.csv"
expect "the same again" 0 - shell ".mode csv\n.output $work/o.csv\nselect 5 as v;\n.output $work/o.csv\nselect 6 as v;\n.quit\n"
expect "is written anew" 0 "v
6" cat "$work/o.csv"
expect "a file in no folder" 0 - shell ".mode csv\n.output $work/o.csv\n.output $work/none/p.csv\nselect 8 as v;\n.quit\n"
says "says so" "$work/none/p.csv\" for writing: No such file or directory"
expect "and results go where they went" 0 "v
8" cat "$work/o.csv"
if [ -c /dev/full ]; then
    expect "a full device" 0 - shell '.output /dev/full\nselect 5 as v;\nselect 6 * 6 as v;\n.quit\n'
    says "says so" 'could not write "/dev/full": No space left on device'
    says "and results go to the terminal" " 36"
else
    skip "/dev/full: it is not there"
fi
expect "times" 0 - shell '\\timing on\nselect 1;\n.quit\n'
if grep -Eq 'time: [0-9]+\.[0-9]{4,6} s' "$work/out"; then pass; else fail "with four digits that count"; fi
cat >"$work/editor" <<'EDITOR'
#!/bin/sh
sed -i 's/5/6/g' "$1"
EDITOR
chmod +x "$work/editor"
export EDITOR="$work/editor"
unset VISUAL
expect "an editor" 0 - shell 'select 5 * 5 as v;\n\\e\n.quit\n'
says "changes the last statement" " 36"
expect "an editor, behind a command" 0 - shell 'select 5 * 5 as v;\n\\d\n\\e\n.quit\n'
says "changes the user's last statement" " 36"
expect "NULL" 0 - shell 'select null as v;\n.nullvalue (none)\nselect null as v;\n\\pset null empty\nselect null as v;\n.quit\n'
says "is shown" " NULL"
says "as one wants it" " (none)"
says "in psql's words as well" " empty"
}

# What a terminal shows of many rows and of wide ones; a pipe has all of it.
rows() {
expect "many rows" 0 - shell "$many;\n.quit\n"
says "have their types below their names" " integer | integer | varchar"
says "the first" "      19 |     361 | text 19"
silent "not the middle" "text 20"
says "which is said" "       … |       … | …"
silent "up to the last" "text 79"
says "ones" "      80 |    6400 | text 80"
says "and how many there are" "(100 rows, 40 shown)"
expect "fewer" 0 - shell ".maxrows 3\n$many;\n.maxrows 1\nselect i + 500 as i from range(9) r(i);\n.maxrows -1\n.quit\n"
says "are shown" "(100 rows, 3 shown)"
says "or one" "(9 rows, 1 shown)"
silent "and no other" " 508"
says "of a number" 'the number of rows is a number from 0 to 100000, not "-1"'
expect "all" 0 - shell ".maxrows 0\n$many;\n.quit\n"
says "are shown as well" "text 50"
expect "a plan and columns" 0 - shell ".maxrows 2\n.maxwidth 30\nexplain select i as a_name_that_is_longer_than_that from range(9) r(i);\n.schema t\n.quit\n"
says "are whole" "as a_name_that_is_longer_than_that"
silent "in their rows as well" " shown)"
expect "records" 0 - shell ".maxrows 4\n\\\\x\n$many;\n.quit\n"
says "to the front" "-[ RECORD 2 ]"
silent "are left out of the middle" "-[ RECORD 3 ]"
says "and the last is there" "t | text 99"
# widths: no line of a table is wider than the terminal; numbers are whole.
wide="select 12345678901 as n, 'a text that is cut because it is longer than its column' as x, 'b' as long_name_of_b,
    'c' as long_name_of_c, 'd' as long_name_of_d, 'e' as long_name_of_e, 98765432109 as last"
wide=$(printf '%s' "$wide" | tr '\n' ' ')
expect "wide rows" 0 - shell "$wide;\n.maxwidth 40\n$wide;\n.maxwidth 12\n$wide;\n.quit\n"
says "are cut" "a text that is cut because it i…"
says "and lose columns" "(1 row; 7 columns, 5 shown)"
says "or more of them" "(1 row; 7 columns, 2 shown)"
says "of which one stays" "(1 row; 7 columns, 1 shown)"
if awk '/^-*[+]-/ { if (length($0) > 101) wide = 1 } END { exit wide }' "$work/out"; then pass; else fail "a line beyond the terminal's width"; fi
if [ "$(grep -c ' 12345678901 |' "$work/out")" = 3 ]; then pass; else fail "numbers are whole"; fi
"$program" -c "$many" >"$work/piped"
if [ "$(wc -l <"$work/piped")" = 103 ] && ! grep -qF … "$work/piped"; then pass; else fail "a pipe has all rows"; fi
# Cells, not characters: two for East Asian text and emoji, none for accents and joined emoji; controls are written out.
"$program" -c "select x, 1 as n from (values ('日本'), ('e' || chr(769)), ('👩‍👩‍👧'), ('❤️'), ('👍🏽'), (chr(27) || '[31m'), (chr(8238)), (chr(155))) v(x)" >"$work/cells"
expect "widths" 0 " x        | n
----------+---
 日本     | 1
 $(printf 'e\314\201')        | 1
 👩‍👩‍👧       | 1
 ❤️       | 1
 👍🏽       | 1
 \x1B[31m | 1
 \u202E   | 1
 \u009B   | 1
(8 rows)" cat "$work/cells"
}

# One statement's file, a folder, the statement again, a pager.
files() {
expect "a file of one statement" 0 - shell ".mode csv\n.once $work/once.csv\nselect 5 as v;\nselect 6 * 6 as w;\n.once $work/none/x\n.once $work/bad.csv\nselect 1 / (i - 5) as v from range(9) r(i);\nselect 7 * 7 as z;\n.quit\n"
says "the next one is shown" "36"
says "a failure is said" "could not create file \"$work/none/x\": No such file or directory"
says "and what follows is shown" "49"
expect "has its rows" 0 "v
5" cat "$work/once.csv"
if [ ! -e "$work/bad.csv" ]; then pass; else fail "a statement that fails leaves a file"; fi
mkdir -p "$work/folder"
cp "$work/t.parquet" "$work/folder/inside.parquet"
expect "a folder" 0 - shell ".cd $work/folder\nselect count(*) * 77 as n from 'inside.parquet';\nselect count(*) * 55 as n from t;\n.cd $work/none\n.quit\n"
says "is gone to" " 77"
says "and tables stay" " 55"
says "or is not there" "could not go to \"$work/none\": No such file or directory"
expect "again" 0 - shell ".mode csv\n\\\\watch\nselect 6 * 6 as v;\n\\\\watch 0.01 c=3\n\\\\watch x\n.quit\n"
says "needs a statement" "there is no statement to repeat"
if [ "$(grep -c '^36' "$work/out")" = 4 ]; then pass; else fail "four times"; fi
says "and seconds" "takes seconds"
expect "again, until Ctrl-C" 0 - shell "select 6 * 6 as v;\n\\\\watch 100\n\036\003select 5 * 5 as v;\n.quit\n"
says "and the shell goes on" " 25"
export PAGER="sed 's/^/paged: /'"
expect "a pager" 0 - shell ".pager on\n$many;\n.pager off\nselect 5 * 5 as v;\n.quit\n"
says "has all rows" "paged:       50 |    2500 | text 50"
says "until it is off" "      25"
export PAGER=true
expect "a pager that ends" 0 - shell ".pager on\nselect i from range(300000) r(i);\n.pager off\nselect 5 * 5 as v;\n.quit\n"
says "is no failure" " 25"
unset PAGER
}

# The start file.
beginning() {
printf '.nullvalue (nothing)\n.mode csv\ncreate view begun as select 6 * 7 as v;\nselect nonsense;\n' >"$work/rc"
export PISTACHIO_RC="$work/rc"
expect "a start file" 0 - shell "select * from begun;\n.mode table\nselect null as x;\n.quit\n"
says "is run" "42"
says "its commands count" "(nothing)"
says "and its errors are said" 'column "nonsense" does not exist'
expect "not without the shell" 0 "v
NULL" "$program" --format tsv --null NULL -c "select 'NULL' as v"
export PISTACHIO_RC=
}

# Ctrl-C: what is typed is dropped; a query ends, the shell goes on.
interrupts() {
"$program" -c "copy (select i + 51 as i from range(2500) r(i)) to '$work/t.parquet'" || exit 2
long="select count(*) from t a, t b, t c where a.i + b.i * c.i = 7"
expect "a line is dropped" 0 - shell 'select nonsense\036\003\036select 5 * 5 as v;\n.quit\n'
says "and the next one runs" " 25"
silent "alone" "nonsense does not exist"
expect "a query is cancelled" 0 - shell "$long;\n\036\003select 5 * 5 as v;\n.quit\n"
says "and says so" "cancelled"
expect "twice, and the session stays" 0 - shell "$long;\n\036\003\003select 5 * 5 as v;\n.quit\n"
says "after that" " 25"
says "and the shell goes on" " 25"
}

# Progress: never wider than the terminal, one line.
progress_lines() {
# As many rows as take some seconds; sanitizers take several times as long.
count=2500
! grep -q __asan_init "$program" || count=700
"$program" --set threads=1 -c "copy (select a.i * 2500 + b.i as i, cast(a.i * b.i as varchar) as s
    from range(51, $count + 51) a(i), range(51, 2551) b(i)) to '$work/large.parquet'" || exit 2
progress() { # COLUMNS SQL [TYPED]
    printf '%b' "${3-}" | "$terminal" "$1" "$program" --set threads=1 --format none -c "$2"
}
slow="select count(distinct s || s), count(distinct i) from '$work/large.parquet'"
for columns in 50 3; do
    expect "progress, $columns columns" 0 - progress $columns "$slow"
    widest=$(tr '\r' '\n' <"$work/out" | awk '{ if (length($0) > w) w = length($0) } END { print w + 0 }')
    if [ "$widest" -lt "$columns" ] && [ "$widest" -gt 0 ]; then pass; else fail "$widest characters on $columns columns"; fi
done
expect "progress, and the terminal becomes narrow" 0 - progress 100 "$slow; $slow" '\036\0037030'
narrow=$(tr '\r' '\n' <"$work/out" | awk '{ n = length($0) } n > 2 { w = n } END { print w + 0 }')
if [ "$narrow" -lt 30 ]; then pass; else fail "$narrow characters on 30 columns"; fi
}

for part in statements characters words rows files beginning interrupts progress_lines; do
    in_turn 2 || continue
    "$program" -c "copy (select 1 as a, 'x' as b) to '$work/t.parquet'" >/dev/null || exit 2
    $part
done
finish
