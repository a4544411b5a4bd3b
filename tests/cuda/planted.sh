#!/bin/sh
# Mistakes that the emulation of the CUDA device shall find are found. planted.sh PLANTED LIBRARY KERNELS
set -u
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
export PISTACHIO_CUDA_LIBRARY=$2 PISTACHIO_CUDA_KERNELS=$3

# found MISTAKE TEXT: the program fails, and says so.
found() {
    ! "$program" "$1" >"$work/said" 2>&1 && grep -q -- "$2" "$work/said" && return
    cat "$work/said"
    return 1
}
check "no mistake" "$program" nothing
check "sums of tiles that are not all known" "$program" look_back
check "the same by value of a digit" "$program" look_back_by_value
check "functions of warps behind each other" "$program" shuffles
check "a barrier that some threads miss" found missed_barrier "of 256 threads of block 0, 32 wait at a barrier"
check "a warp function that a lane misses" found missed_warp "248 at a warp function, 8 are done"
check "a warp function that a lane leaves out" found left_out "248 at a warp function, 8 are done"
check "lanes that come to different functions" found other_function "meet in different functions"
check "a lane that is not in the mask" found lane_outside "lane 5 reads lane 16 with mask 0000ffff"
check "a barrier that was forgotten" found forgotten_barrier "row [0-9]* is wrong"
check "a meeting of a warp that was forgotten" found forgotten_syncwarp "row [0-9]* is wrong"
check "a meeting behind a ballot that was forgotten" found behind_a_ballot "row [0-9]* is wrong"
check "a flag that is set before what it speaks of" found flag_too_early "row [0-9]* is wrong"
check "a word that is not at its address" found misaligned "misaligned address\|AddressSanitizer: ILL"
check "an index past the end" found past_the_end "AddressSanitizer: use-after-poison"
check "a shared word that was not written" found unwritten_word "row 0 is wrong"
check "a copy of memory that is not pinned" found pageable_copy "which is not pinned"
check "the same, asked of the device" found pageable_copy_of_device "bytes that are not pinned"
check "a stream that was destroyed" found destroyed_stream "a stream is used that was destroyed"
check "few threads for many rows" found few_threads "1 blocks of 256 threads for 1000000 rows"
export PISTACHIO_CUDA_DEVICES=2
check "a copy of another device's memory without access" found other_device_copy "of device 1, to which device 0 has no access"
check "a kernel that is given it" found other_device_kernel "of a device to which device 0 has no access"
finish
