#!/bin/sh
# Who does not ask for the CUDA device pays nothing for it: neither the driver nor the kernels are looked for. What
# is loaded the C library says (LD_DEBUG).
# absent.sh PROGRAM
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"

# Opening a pipe that nobody writes to would not end.
mkfifo "$work/kernels" || exit 1
export PISTACHIO_CUDA_LIBRARY="$work/libcuda.so.1" PISTACHIO_CUDA_KERNELS="$work/kernels"
loads() {
    LD_DEBUG=files LD_DEBUG_OUTPUT="$work/loaded" timeout 60 "$program" "$@" >"$work/out" 2>&1
    code=$?
    cat "$work"/loaded.* 2>/dev/null | grep -vF "$program" >"$work/all" # which may lie in a folder of such a name
    rm -f "$work"/loaded.*
}
nothing_of_cuda() {
    loads "$@"
    if ! grep -q "ld-linux\|libc.so" "$work/all"; then
        echo "the C library does not say what it loads: passed over"
    elif grep -i "cuda\|nvcomp" "$work/all"; then
        return 1
    fi
    [ $code = 0 ]
}
check "a statement" nothing_of_cuda -c "select sum(x) from range(1000) t(x)"
check "the version" nothing_of_cuda --version
check "a join of ranks" nothing_of_cuda bench join --ranks 2 --build-rows 100 --probe-rows 100 --runs 1
export XDG_CACHE_HOME="$work"
check "a statement with device = auto" nothing_of_cuda --set device=auto -c "select sum(x) from range(1000) t(x)"
asked_for() {
    loads --set device=cuda -c "select 1"
    [ $code = 1 ] && grep -q "there is no CUDA driver" "$work/out"
}
check "the device where it is not" asked_for
finish
