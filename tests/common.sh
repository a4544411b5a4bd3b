#!/bin/sh
# common.sh - what the tests that are scripts share. They source it with the program as $1, and end
# with `finish`. In the sourcing script:
#
#     $program    what is tested
#     $here       the script's folder
#     $work       an empty folder, removed at the end
#
# Nothing of the caller's language or terminal changes what a test sees.
# shellcheck disable=SC2034  # for the script that sources this
program=$1
here=$(cd "$(dirname "$0")" && pwd) || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export LSAN_OPTIONS="suppressions=$here/../lsan.supp:print_suppressions=0"
export LC_ALL=C PISTACHIO_PROGRESS=off
# Whether a script leaves out what says nothing new of how threads meet (scripts/test tsan).
has_less_to_do() {
    [ "${PISTACHIO_TEST_EFFORT:-all}" = less ]
}
# in_turn N: whether this call is among those that this run makes. The gate's number of the commit (PISTACHIO_TEST_CHOICE)
# chooses each Nth call of a script, beginning with another one for another commit; without the number all are made.
turn=0
in_turn() {
    turn=$((turn + 1))
    [ -z "${PISTACHIO_TEST_CHOICE:-}" ] || [ $(((turn + PISTACHIO_TEST_CHOICE) % $1)) = 0 ]
}
passed=0 failed=0 skipped=0

pass() {
    passed=$((passed + 1))
}

fail() { # what
    echo "failed: $*"
    failed=$((failed + 1))
}

skip() { # what: why
    echo "skipped $*"
    skipped=$((skipped + 1))
}

# check NAME COMMAND...: which must succeed.
check() {
    name=$1
    shift
    if "$@" >"$work/out" 2>&1; then
        pass
    else
        fail "$name"
        tail -n 5 "$work/out"
    fi
}

# The closing line, and the script's exit status.
finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" = 0 ]
}
