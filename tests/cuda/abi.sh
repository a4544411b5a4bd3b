#!/bin/sh
# What src/device/cuda/driver.h declares of NVIDIA's driver is what a toolkit's cuda.h does (abi.c), and what it shall find it
# finds. Usage: abi.sh SOURCE_FOLDER [FOLDER_OF_CUDA_H]
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
source=$1
driver=$source/src/device/cuda

include=${2:-}
if [ -z "$include" ]; then
    nvcc=$(command -v nvcc) && beside=$(dirname "$(readlink -f "$nvcc")")/../include
    for folder in "$source"/build/cuda/nvidia/cu*/include "${beside:-}" /usr/local/cuda/include; do
        [ ! -f "$folder/cuda.h" ] || include=$folder
    done
fi
if [ -z "$include" ]; then
    skip "the driver's declarations: there is no cuda.h of a CUDA toolkit (scripts/setup cuda)"
    finish
    exit 77
fi

# compiles FOLDER: abi.c, with our declarations of that folder before those of src.
compiles() {
    ${CC:-cc} -std=gnu17 -Wall -Wextra -Werror -fsyntax-only -I "$1" -I "$source/src" -isystem "$include" "$here/abi.c"
}
check "the declarations are those of $include/cuda.h" compiles "$source/src"

# Each number that driver.h has is compared.
for name in $(sed -n '/^enum {/,/^};/s/^ *\(CUDA_[A-Z_]*\) = .*/\1/p' "$driver/driver.h"); do
    case $name in CUDA_SUCCESS | CUDA_DRIVER_VERSION) continue ;; esac
    check "$name is compared" grep -q "^SAME($name, " "$here/abi.c"
done
# Each structure as well.
for name in $(sed -n 's/^typedef struct \(cuda_[a-z_]*\) {.*CU.*/\1/p' "$driver/driver.h"); do
    check "$name is compared" grep -q "^BYTES($name, " "$here/abi.c"
done

# finds FILE EXPRESSION: a mistake in our declarations is one for the compiler.
finds() {
    rm -rf "$work/src"
    mkdir -p "$work/src/device/cuda"
    cp "$driver/driver.h" "$driver/driver_functions.def" "$work/src/device/cuda"
    sed "$2" "$driver/$1" >"$work/src/device/cuda/$1"
    ! cmp -s "$driver/$1" "$work/src/device/cuda/$1" || return 1
    ! compiles "$work/src" >"$work/said" 2>&1
}
check "a wrong number is found" finds driver.h 's/CUDA_NOT_READY = 600/CUDA_NOT_READY = 601/'
check "a member at another place is found" finds driver.h 's/int type, handle_types;/int handle_types, other, type;/'
check "a name of another version is found" finds driver_functions.def 's/cuMemcpyHtoDAsync_v2/cuMemcpyHtoDAsync/'
check "another type of an argument is found" finds driver_functions.def 's/int ordinal/long ordinal/'
check "an argument more is found" finds driver_functions.def 's/cuMemRelease, /cuMemRelease, int more, /'
check "a function that there is not is found" finds driver_functions.def 's/cuMemRelease/cuMemReleases/'
finish
