#!/bin/sh
# Values of every type, with NULLs and extremes, through every way out: COPY in every format and codec, --format, rewrite
# with every preset, the C interface. What comes out is in expected/, made by make_expected.py without Pistachio; where
# pyarrow and DuckDB are, they read the files too (check.py).
#
# Types, formats, codecs and presets are asked of the sources and the program: one that is not known here fails.
# run.sh PROGRAM API_PROGRAM [PYTHON: one with duckdb and pyarrow]
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
api=$2
python=${3:-${PISTACHIO_PYTHON:-python3}}
expected=$here/expected
root=$here/../..
every=$(cat "$expected/every.sql")
printf '%s\n' "$every SELECT * FROM every" >"$work/every.sql"
# Parquet has no form for some types: those go as text.
columns=$(sed -n 's/^\(.*\) same$/\1/p; s/^\(.*\) varchar$/CAST(\1 AS varchar) AS \1/p' "$expected/columns.txt" | paste -sd, -)
mkdir "$work/files"
export PYTHONDONTWRITEBYTECODE=1

# known WHAT LIST KNOWN...: each word of the list is among the known ones, and there are some.
known() {
    what=$1 list=$2
    shift 2
    unknown=
    for word in $list; do
        case " $* " in
        *" $word "*) ;;
        *) unknown="$unknown $word" ;;
        esac
    done
    if [ -n "$list" ] && [ -z "$unknown" ]; then
        pass
    else
        fail "$what: not in this test:${unknown:- there are none}"
    fi
}

# same NAME FILE COMMAND...: what it prints is the file, byte by byte.
same() {
    name=$1 file=$2
    shift 2
    if "$@" >"$work/out" 2>"$work/err" && cmp -s "$work/out" "$file"; then
        pass
    else
        fail "$name"
        diff "$work/out" "$file" | head -n 5
        head -n 5 "$work/err"
    fi
}

# The cells of a table's rows, divided by tabs: without rules, header and count; NULL as nothing.
cells() {
    awk -F '|' '!rule && /^[-|+ :]*--*[-|+ :]*$/ { rule = 1; next }
        !rule || /^\([0-9]* rows?\)$/ { next }
        { line = ""
          for (i = markdown ? 2 : 1; i <= NF - markdown; i++) {
              gsub(/^ +| +$/, "", $i)
              if (markdown)
                  gsub(/\\\\/, "\\", $i)
              line = line (i > 1 + markdown ? "\t" : "") ($i == "NULL" ? "" : $i)
          }
          print line }' markdown="$1"
}

print() { # format, SQL behind the values
    "$program" --format "$1" -c "$every $2"
}

table_cells() { # format, 1: its lines begin and end with a bar
    print "$1" "SELECT $shown FROM every" | cells "$2"
}

says_in_hint() { # statement: the words of the list in its hint
    "$program" -c "$1" 2>&1 | sed -n 's/^hint: //p' | tr ',' ' ' | sed 's/ or / /'
}

# ---- what there is ----

# COPY does not write nested types yet: tests/tables/nested_values.sh has what becomes of them.
types=$(sed -n '/^typedef enum type_id/,/TYPE_ID_COUNT/s/^ *\(TYPE_[A-Z0-9_]*\),.*/\1/p' "$root/src/base/type/type.h" |
    grep -vE '^TYPE_(LIST|STRUCT|MAP)$')
formats=$("$program" --help | sed -n 's/^ *--format FORMAT *//p' | tr ',' ' ')
copied=$(says_in_hint "COPY (SELECT 1 AS a) TO 'x' (FORMAT nonsense)")
codecs=$(says_in_hint "COPY (SELECT 1 AS a) TO 'x.parquet' (CODEC nonsense)")
presets=$("$program" rewrite --help | sed -n 's/^ *--for \([a-z|]*\) .*/\1/p' | tr '|' ' ')
accessors=$(tr '\n' ' ' <"$root/include/pistachio/pistachio.h" |
    grep -o '[a-z_]*(const pistachio_batch \*batch, *uint32_t' | sed 's/(.*//')
# shellcheck disable=SC2046  # words
known "types" "$types" $(cat "$expected/types.txt")
known "formats" "$formats" table csv tsv json jsonl markdown none
known "COPY's formats" "$copied" parquet csv tsv json jsonl arrow arrows
known "codecs" "$codecs" none uncompressed snappy gzip zstd brotli lz4 lz4_raw
known "presets" "$presets" cpu gpu
known "the C interface's values" "$accessors" pistachio_is_null pistachio_text pistachio_dlpack

# ---- text ----

shown=$(cut -d ' ' -f 1 "$expected/columns.txt" | grep -vx text | paste -sd, -)
for format in $formats; do
    case $format in
    table) same "--format table" "$expected/every.cells" table_cells table 0 ;;
    markdown) same "--format markdown" "$expected/every.cells" table_cells markdown 1 ;;
    none) same "--format none" /dev/null print none "SELECT * FROM every" ;;
    *) same "--format $format" "$expected/every.$format" print "$format" "SELECT * FROM every" ;;
    esac
done
same "the C interface" "$expected/every.api" sh -c '"$1" "$2" | grep -v "^tensor [a-z0-9]*$"' api "$api" "$work/every.sql"
for column in i8 i16 i32 i64 u8 u16 u32 u64 f32 f64; do
    printf '%s\n' "$every SELECT $column FROM every WHERE $column IS NOT NULL" >"$work/tensor.sql"
    printf 'tensor %s\n' "$column" >"$work/tensor"
    same "DLPack of $column" "$work/tensor" sh -c '"$1" "$2" | tail -n 1' api "$api" "$work/tensor.sql"
done

# ---- files ----

copy() { # query, file, options
    "$program" -c "$every COPY ($1) TO '$2' ($3)" >/dev/null
}

read_back() { # file
    "$program" --format csv -c "SELECT * FROM '$1'"
}

for format in $copied; do
    [ "$format" = parquet ] && continue
    file=$work/files/every.$format
    case $format in
    arrow | arrows)
        check "COPY to $format" copy "SELECT * FROM every" "$file" "format $format"
        same "what COPY wrote to $format" "$expected/every.csv" read_back "$file"
        continue
        ;;
    esac
    check "COPY to $format" copy "SELECT * FROM every" "$file" "format $format"
    same "what COPY wrote to $format" "$expected/every.$format" cat "$file"
done
for codec in $codecs; do
    file=$work/files/$codec.parquet
    check "COPY with codec $codec" copy "SELECT $columns FROM every" "$file" "codec $codec, row_group_size 7"
    same "what COPY wrote with codec $codec" "$expected/every.csv" read_back "$file"
done
check "COPY of one row group" copy "SELECT $columns FROM every" "$work/files/one.parquet" "format parquet"
for preset in $presets; do
    for source in one none zstd; do
        file=$work/files/$source.$preset.parquet
        check "rewrite --for $preset" "$program" rewrite --for "$preset" "$work/files/$source.parquet" "$file"
        same "what rewrite wrote for $preset" "$expected/every.csv" read_back "$file"
    done
done

# ---- other readers ----

if "$python" -c 'import duckdb, pyarrow' 2>/dev/null; then
    same "what other engines read" /dev/null "$python" "$here/check.py" "$work/files"
    check "what is expected" env OUT="$work/made" "$python" "$here/make_expected.py"
    same "the files of expected" /dev/null diff -r "$work/made" "$expected"
else
    skip "other engines' readers: no $python with duckdb and pyarrow"
fi

finish
