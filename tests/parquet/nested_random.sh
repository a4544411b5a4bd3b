#!/bin/sh
# Random nested schemas, written by pyarrow: nested_random.sh PROGRAM [SEEDS]. Skipped (77) without pyarrow.
here=$(cd "$(dirname "$0")" && pwd)
export LSAN_OPTIONS="suppressions=$here/../lsan.supp:print_suppressions=0"
for python in python3 "$here/../../build/clients/bin/python" "$here/../../build/differential/bin/python"; do
    if "$python" -c 'import pyarrow.parquet' 2>/dev/null; then
        exec "$python" "$here/nested_random.py" "$1" --seeds "${2:-5}"
    fi
done
echo "skipped: python3 has no pyarrow"
exit 77
