# cli_common.sh - what the tests of the program as its users meet it share. They source it with the
# program as $1 and end with `finish` (tests/common.sh).
# shellcheck shell=sh
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_HISTORY="$work/history" PISTACHIO_RC=

# expect NAME STATUS TEXT COMMAND...: the exit status, and the whole of stdout (-: whatever).
expect() {
    name=$1 status=$2 text=$3
    shift 3
    "$@" >"$work/out" 2>"$work/err"
    got=$?
    printf '%s\n' "$text" >"$work/expected"
    if [ $got = "$status" ] && { [ "$text" = - ] || cmp -s "$work/out" "$work/expected"; }; then
        pass
    else
        fail "$name: status $got, printed:"
        cat "$work/out" "$work/err"
    fi
}

# says NAME TEXT: the last command's stderr or terminal has it.
says() {
    if grep -qF -- "$2" "$work/err" "$work/out"; then
        pass
    else
        fail "$1: nothing says \"$2\" in:"
        cat "$work/out" "$work/err"
    fi
}

# silent NAME TEXT: the last command says no such thing.
silent() {
    if grep -qF -- "$2" "$work/err" "$work/out"; then
        fail "$1: \"$2\" is said in:"
        cat "$work/out" "$work/err"
    else
        pass
    fi
}
