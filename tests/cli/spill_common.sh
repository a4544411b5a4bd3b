#!/bin/sh
# spill_common.sh - what the tests of spilling share; they source it with the program as $1.
program=$1
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
here=$(cd "$(dirname "$0")" && pwd) || exit 2
export LSAN_OPTIONS="suppressions=$here/lsan.supp:print_suppressions=0"
export LC_ALL=C PISTACHIO_PROGRESS=off
export PISTACHIO_TEMP_DIRECTORY="$work/temp"
mkdir "$work/temp"
passed=0 failed=0

# result NAME: the last command's success is the test's, and no temporary file is left.
result() {
    if [ $? = 0 ]; then
        passed=$((passed + 1))
    else
        echo "failed: $1"
        head -n 5 "$work/err"
        failed=$((failed + 1))
    fi
    if [ -n "$(ls -A "$work/temp")" ]; then
        echo "failed: $1: leaves files"
        failed=$((failed + 1))
    fi
}
