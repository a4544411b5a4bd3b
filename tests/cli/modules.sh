#!/bin/sh
# Modules: beside the program, absent, of another build, in need of a library that is not there.
# modules.sh PROGRAM HTTP-MODULE NEEDY-MODULE
# shellcheck source=tests/common.sh
. "$(dirname "$0")/../common.sh"
http=$2 needy=$3

# says NAME PROGRAM TEXT...: reading an object fails and says each of the texts.
says() {
    name=$1 started=$2
    shift 2
    "$started" -c "select * from 's3:///x.parquet'" >"$work/said" 2>&1
    status=$?
    for text in "status $status" "$@"; do
        case $text in
        "status 1") pass ;;
        *) if grep -qF -- "$text" "$work/said"; then pass; else fail "$name: nothing says '$text' in: $(cat "$work/said")"; fi ;;
        esac
    done
}

mkdir "$work/alone" "$work/whole" "$work/foreign" "$work/needy" "$work/other"
for folder in alone whole foreign needy; do
    cp "$program" "$work/$folder/pistachio"
done
cp "$http" "$work/whole/pistachio-http.so"
says "beside the program" "$work/whole/pistachio" 'URL "s3:///x.parquet" does not name a bucket' 'line 1:'
says "absent" "$work/alone/pistachio" 'reading s3:// needs pistachio-http.so, and there is no "'"$work/alone/pistachio-http.so"'"' 'hint: copy it'

# The environment does not lead to another one.
LD_LIBRARY_PATH=$work/whole says "only in LD_LIBRARY_PATH" "$work/alone/pistachio" 'needs pistachio-http.so'
(cd "$work/whole" && PATH=$work/alone:$PATH && pistachio -c "from 'https://host/x.parquet'") >"$work/said" 2>&1
check "found by PATH, from a folder with a module" grep -q "there is no \"$work/alone/pistachio-http.so\"" "$work/said"
ln -s "$work/whole/pistachio" "$work/other/linked"
says "by a link" "$work/other/linked" 'does not name a bucket'

sed 's/build [0-9a-f]\{16\}/build 0123456789abcdef/' "$http" >"$work/foreign/pistachio-http.so"
says "of another build" "$work/foreign/pistachio" 'build 0123456789abcdef, this program of ' 'hint: take both from one build'

cp "$needy" "$work/needy/pistachio-http.so"
says "in need of a library" "$work/needy/pistachio" 'reading s3:// needs pistachio-http.so, which needs more: libcurl_absent.so' \
    'hint: install the package libcurl4'

"$work/alone/pistachio" serve >"$work/said" 2>&1
check "serve without its module" grep -q "pistachio serve needs pistachio-serve.so" "$work/said"
# What is not a URL is a path still.
"$work/alone/pistachio" -c "from 'x://y'" >"$work/said" 2>&1
check "another scheme" grep -q "No such file" "$work/said"
finish
