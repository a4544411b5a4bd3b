#!/bin/sh
# spill_common.sh - what the tests of spilling share beyond common.sh, which it sources.
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_TEMP_DIRECTORY="$work/temp"
mkdir "$work/temp"
# The numbers of threads to try.
lanes="1 3"
! has_less_to_do || lanes=3

# result NAME: the last command's success is the test's, and no temporary file is left.
result() {
    if [ $? = 0 ]; then
        pass
    else
        fail "$1"
        head -n 5 "$work/err"
    fi
    if [ -n "$(ls -A "$work/temp")" ]; then
        fail "$1: leaves files"
    fi
}
