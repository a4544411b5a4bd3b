# tables_common.sh - what the tests of tables in folders share, in a folder of their own.
# shellcheck shell=sh
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/../cli/cli_common.sh"
cd "$work" || exit 2

# file PATH QUERY: a Parquet file, its folders made.
file() {
    mkdir -p "$(dirname "$1")"
    "$program" -c "copy ($2) to '$1' (format parquet)" >/dev/null || exit 2
}
# sql STATEMENT OPTION...: what it prints as csv.
sql() {
    statement=$1
    shift
    "$program" --format csv "$@" -c "$statement"
}
# rows SQL OPTION...: without the line of names.
rows() {
    sql "$@" >"$work/rows" || return 1
    sed 1d "$work/rows"
}
