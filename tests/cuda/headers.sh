#!/bin/sh
# The headers that kernels include are C and C++: each C++ compiler that is there takes them, warnings as errors.
# Usage: headers.sh SOURCE_FOLDER
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
headers='device/kernels/kernel_types.h device/kernels/kernel_ops.h device/kernels/parquet_numbers.h device/value/parquet_runs.h device/value/cast_value.h device/value/sort_key.h device/kernels/aggregate_state.h device/value/time_value.h device/value/text_part.h device/value/arrow_value.h'
for header in $headers; do
    # Twice, and an argument struct as kernels use them.
    printf '#include "%s"\n#include "%s"\n' "$header" "$header"
done >"$work/headers.cpp"
cat >>"$work/headers.cpp" <<'END'
/* What C and C++ must agree on. */
static_assert(sizeof(dev_count) == 16 && sizeof(dev_error) == 16 && sizeof(string_view) == 16, "");
static_assert(offsetof(compare_arguments, count) == 40, "");
END
sed 's/static_assert/_Static_assert/' "$work/headers.cpp" >"$work/headers.c"
${CC:-cc} -std=gnu17 -Wall -Wextra -Werror -I "$source/src" -fsyntax-only "$work/headers.c"
passed=0
for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    $compiler -std=c++17 -Wall -Wextra -Werror -I "$source/src" -fsyntax-only "$work/headers.cpp"
    passed=$((passed + 1))
done
if [ $passed = 0 ]; then
    echo "skipped: there is no C++ compiler here"
    exit 77
fi
echo "$passed passed, 0 failed, 0 skipped"
