#!/bin/sh
# Statements over nested values against DuckDB: nested_statements.sh PROGRAM [SEEDS]. Skipped (77) without pyarrow or duckdb.
here=$(cd "$(dirname "$0")" && pwd)
export LSAN_OPTIONS="suppressions=$here/../lsan.supp:print_suppressions=0"
for python in python3 "$here/../../build/clients/bin/python" "$here/../../build/differential/bin/python"; do
    if "$python" -c 'import duckdb, pyarrow.parquet' 2>/dev/null; then
        exec "$python" "$here/nested_statements.py" "$1" --seeds "${2:-2}"
    fi
done
echo "skipped: python3 has no pyarrow or no duckdb"
exit 77
