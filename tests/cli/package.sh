#!/bin/sh
# The manual page, the completions and the Debian package, as the program makes them. package.sh PROGRAM [BUILD-FOLDER]
#
# With a folder whose program and pages are built the package is made, looked at by lintian, unpacked where there is nothing,
# and used. Parts whose tools (groff, zsh, dpkg-deb, lintian) are not there are skipped.
set -u
build=${2-}
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/cli_common.sh"
root=$(cd "$here/../.." && pwd)

has() { command -v "$1" >/dev/null 2>&1; }

expect "pages" 0 - "$root/scripts/man" "$program" "$work/pages"
page=$work/pages/pistachio.1

# Every option, setting and command is in the page.
troff_of() { printf '%s' "$1" | sed -e 's/\\/\\e/g' -e 's/-/\\-/g'; }
holds() { if grep -qF -- "$(troff_of "$1")" "$page"; then pass; else fail "the page has nothing of $1"; fi; }
for option in $("$program" --help | sed -n 's/^  \(-[^ ,]*\).*/\1/p'); do holds "$option"; done
for setting in $("$program" --settings | sed -n 's/^\([a-z0-9_]*\) (.*/\1/p'); do holds "$setting"; done
for command in $("$program" -c .help | sed -n 's/^  \([.\\][a-z?!]*\).*/\1/p'); do holds "$command"; done
if has groff; then
    groff -man -Tutf8 -ww "$page" >"$work/shown" 2>"$work/warnings"
    if [ -s "$work/shown" ] && [ ! -s "$work/warnings" ]; then pass; else fail "groff: $(cat "$work/warnings")"; fi
else
    skip "groff is not there"
fi

# completes WORDS...: what bash makes of the last one.
completes() {
    bash -c '. "$0"; COMP_WORDS=(pistachio "$@"); COMP_CWORD=$#; compopt() { :; }; _pistachio; printf "%s " "${COMPREPLY[@]}"; echo' \
        "$work/pages/pistachio.bash" "$@"
}
if has bash; then
    expect "an option" 0 "--format " completes --fo
    expect "a format" 0 "json jsonl " completes --format js
    expect "a setting" 0 "memory_limit= " completes --set memory_l
    expect "a command" 0 "inspect " completes insp
    expect "nothing of SQL" 0 " " completes -c sel
else
    skip "bash is not there"
fi
if has zsh; then
    expect "zsh's completion" 0 - zsh -n "$work/pages/_pistachio"
else
    skip "zsh is not there"
fi

if [ -z "$build" ] || ! has dpkg-deb || ! has cpack; then
    skip "the package: it is made of a build without sanitizers, by cpack and dpkg-deb"
    finish
    exit
fi
expect "a package" 0 - cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/deb"
package=$(find "$work/deb" -maxdepth 1 -name '*.deb')
if has lintian; then
    lintian --allow-root --tag-display-limit 0 "$package" >"$work/lint" 2>&1
    if grep -q '^[EW]:' "$work/lint"; then fail "lintian: $(cat "$work/lint")"; else pass; fi
else
    skip "lintian is not there"
fi
expect "its files" 0 - dpkg-deb -x "$package" "$work/root"
program=$work/root/usr/bin/pistachio
expect "its program" 0 "v
42" "$program" --format tsv -c "select 6 * 7 as v"
expect "its modules" 1 - "$program" -c "from 'https://127.0.0.1:1/x.parquet'"
silent "are found" "pistachio-http.so"
for file in man/man1/pistachio.1.gz bash-completion/completions/pistachio zsh/vendor-completions/_pistachio \
    doc/pistachio/copyright doc/pistachio/changelog.gz; do
    if [ -s "$work/root/usr/share/$file" ]; then pass; else fail "the package has no $file"; fi
done
finish
