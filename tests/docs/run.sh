#!/bin/sh
# What the documents name is there. run.sh
#
# In docs/ARCHITECTURE.md, docs/GLOSSARY.md, docs/ADDING.md, CONTRIBUTING.md and the README.md of each
# folder below src:
#
#   op_scan.c, exec/sched/pool.c    a file, by the end of its path; * and <anything> stand for any name
#   pool.c:exec_wake()              a function (macro, kernel) that this file defines or declares
#   exec_wake()                     the same in any file of src
#   `dev_count`                     a name with a _ in backticks is a word of the sources (not in ADDING.md)
#
# In these and all other documents:
#
#   src/exec/, scripts/test         a path from the root; * and <anything> as above
#   [text](file#heading)            relative links, and the headings that they lead to
#   `--set`, `pistachio ... --set`  options of the program, or, alone in backticks, of any script
#   SET x, --set x=, PISTACHIO_X    settings (or other variables that something asks for)
#
# What stands in <!-- comments --> is not looked at.
set -u
set -- "" # no program
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
root=$(cd "$here/../.." && pwd) || exit 2

# ---- what there is ----

(cd "$root" && find . \( -name .git -o -path ./build \) -prune -o -print) | sed 's|^\./||' >"$work/paths"
(cd "$root" && find src -name '*.[ch]' -o -name '*.def' | xargs grep -nE '^[A-Za-z_#].*\(' /dev/null) |
    awk '{
        file = substr($0, 1, index($0, ":") - 1)
        line = substr($0, index($0, ":") + 1)
        sub(/^[0-9]*:/, "", line)
        gsub(/ISA_\(|KERNEL\(/, "", line)
        while (match(line, /[A-Za-z_][A-Za-z0-9_]*[(),]/)) {
            print file, substr(line, RSTART, RLENGTH - 1)
            line = substr(line, RSTART + RLENGTH)
        }
    }' | sort -u >"$work/functions"
(cd "$root" && find src include tests cmake scripts bench CMakeLists.txt -type f \
    ! -name '*.md' ! -name '*.parquet' ! -path 'tests/fuzz/corpus/*' ! -path 'tests/docs/*' -print0 |
    xargs -0 grep -IohE '[A-Za-z_][A-Za-z0-9_]*') | sort -u >"$work/words"
grep -rohE -- '--[a-z][a-z0-9-]*' "$root/src/cli" "$root/src/server" | sort -u >"$work/program_options"
(cd "$root" && find scripts bench tests -type f ! -name '*.md' ! -name '*.parquet' \
    ! -path 'tests/docs/*' -print0 | xargs -0 grep -IohE -- '--[a-z][a-z0-9-]*') | sort -u - "$work/program_options" >"$work/options"
sed -n 's/^SETTING[A-Z_]*(\([a-z_0-9]*\),.*/\1/p' "$root/src/base/setting/settings.def" >"$work/settings"

# ---- what documents name ----

# names STRICT FILE: "line kind name" of each; STRICT 1: also files, functions; 2: also words.
names() {
    awk -v strict="$1" '
        function say(kind, name) { print NR, kind, name }
        # Calls say(kind, ...) for each match of the pattern in the text.
        function each(text, pattern, kind) {
            while (match(text, pattern)) {
                say(kind, substr(text, RSTART, RLENGTH))
                text = substr(text, RSTART + RLENGTH)
            }
        }
        function code(text) {
            if (text ~ /^(\$ )?([a-z\/]*\/)?pistachio( |$)/) each(text, "--[a-z][a-z0-9-]*", "program_option")
            else if (text ~ /^--/) each(text, "--[a-z][a-z0-9-]*", "option")
            each(text, "(SET|RESET|SHOW) [a-z_][a-z0-9_]*", "set")
            each(text, "--set [a-z_][a-z0-9_]*=", "set")
            if (strict == 2 && text ~ /^[A-Za-z][A-Za-z0-9]*_[A-Za-z0-9_]*$/) say("word", text)
        }
        {
            line = $0
            gsub(/<!--[^>]*-->/, "", line)
            if (line ~ /^    /) { code(substr(line, 5)) }
            else {
                text = line
                while (match(text, /`[^`]+`/)) {
                    span = substr(text, RSTART + 1, RLENGTH - 2)
                    text = substr(text, RSTART + RLENGTH)
                    code(span)
                }
            }
            each(line, "PISTACHIO_[A-Z0-9_]+", "variable")
            text = line
            while (match(text, /\]\([^ )]+\)/)) {
                say("link", substr(text, RSTART + 2, RLENGTH - 3))
                text = substr(text, RSTART + RLENGTH)
            }
            text = line
            gsub(/[a-z+]+:\/\/[^ )>]*/, "", text)
            gsub(/\]\([^ )]*\)/, "", text)
            while (match(text, /[A-Za-z0-9_.<>*\/-]+/)) {
                word = substr(text, RSTART, RLENGTH)
                text = substr(text, RSTART + RLENGTH)
                is_call = substr(text, 1, 2) == "()"
                if (word ~ /^(src|docs|tests|scripts|bench|include|cmake)\/./) say("path", word)
                else if (strict && word ~ /\.(c|h|def)$/) say("file", word)
                if (strict && word ~ /\.(c|h|def)$/ && match(text, /^:[a-z_A-Z0-9]+\(\)/))
                    say("function_of", word ":" substr(text, 2, RLENGTH - 3))
                else if (strict && is_call && word ~ /^[a-z_][A-Za-z0-9_]*$/) say("function", word)
            }
        }' "$2"
}

# has LIST NAME
has() {
    grep -qxF -- "$2" "$work/$1"
}

# pattern NAME: as a basic regular expression.
pattern() {
    printf '%s\n' "$1" | sed -e 's/\.$//' -e 's/[.[\\$^]/\\&/g' -e 's/<[^>]*>/*/g' -e 's/\*/[^\/]*/g' -e 's|/$||'
}

# has_path NAME: from the root. has_file NAME: the end of a path.
has_path() {
    grep -qx -- "$(pattern "$1")" "$work/paths"
}
has_file() {
    grep -q -- "\(^\|/\)$(pattern "$1")\$" "$work/paths"
}

# has_heading FILE SLUG
has_heading() {
    sed -n 's/^##* *//p' "$1" | tr '[:upper:]' '[:lower:]' | sed -e 's/[^a-z0-9 _-]//g' -e 's/ /-/g' |
        grep -qxF -- "$2"
}

# has_link DOCUMENT TARGET
has_link() {
    case $2 in [a-z]*:*) return 0 ;; esac
    target=${2%%#*}
    file=$(dirname "$1")/$target
    [ -n "$target" ] || file=$1
    [ -e "$file" ] || return 1
    case $2 in *'#'*) has_heading "$file" "${2#*#}" ;; esac
}

is_there() { # DOCUMENT KIND NAME
    case $2 in
    path) has_path "$3" ;;
    file) has_file "$3" ;;
    link) has_link "$1" "$3" ;;
    word) has words "$3" ;;
    function) grep -q -- " $3\$" "$work/functions" ;;
    function_of) grep -q -- "\(^\|/\)$(pattern "${3%:*}") ${3#*:}\$" "$work/functions" ;;
    program_option) has program_options "$3" ;;
    option) has options "$3" ;;
    set) name=${3#* } && name=${name%=} && { [ "$name" = name ] || has settings "$name"; } ;;
    variable) has words "$3" || has settings "$(echo "${3#PISTACHIO_}" | tr '[:upper:]' '[:lower:]')" ;;
    esac
}

# look STRICT DOCUMENT: a test for each name.
look() {
    names "$1" "$2" | sort -k2 -u >"$work/names"
    while read -r line kind name; do
        if is_there "$2" "$kind" "$name"; then
            pass
        else
            fail "${2#"$root/"}:$line: there is no $kind $name"
        fi
    done <"$work/names"
}

# ---- the test's own test: each wrong name is found, each right one is not ----

cat >"$work/wrong.md" <<'END'
# Wrong
no_such.c and src/no_such/ and [a link](no_such.md), [a heading](#no-such)
`pool.c:op_scan_open()` no_such_call() `no_such_word` `--no-such-option`

    pistachio --no-such-option
    SET no_such_setting = 1; PISTACHIO_NO_SUCH=1
END
cat >"$work/right.md" <<'END'
# Right
pool.c, exec/sched/pool.*, src/exec/ and src/exec/sched/<any>.c, [a heading](#right)
`pool.c:exec_wake()` exec_wake() `kernel_compare.c:compare()` `dev_count` `--set`

    pistachio --set threads=1
    SET threads = 1; PISTACHIO_THREADS=1
<!-- no_such.c -->
END

wrong=$(look 2 "$work/wrong.md" | grep -c 'there is no')
right=$(look 2 "$work/right.md" | grep -c 'there is no')
[ "$wrong" = 11 ] || fail "of 11 wrong names $wrong are found"
[ "$right" = 0 ] || fail "$right right names are not found"

# ---- the documents ----

for document in "$root"/docs/*.md "$root"/*.md $(find "$root/src" "$root/tests" "$root/bench" -name venv -prune -o -name '*.md' -print); do
    case ${document#"$root/"} in
    docs/ADDING.md | CONTRIBUTING.md) look 1 "$document" ;;
    docs/ARCHITECTURE.md | docs/GLOSSARY.md | src/*) look 2 "$document" ;;
    *) look 0 "$document" ;;
    esac
done
finish
