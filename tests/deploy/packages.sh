#!/bin/sh
# The Debian package, the wheel and the steps of deploy/Containerfile in a Debian with nothing in it. packages.sh BUILD-FOLDER
#
# The build has the program, the library and the pages. What the first stage of the container file does, packages and a build from
# source in a fresh root, is what scripts/check-bare does; its image is taken from the build here. Skipped (77) without root,
# debootstrap or a mirror.
set -u
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.." || exit 2
name=packages
# shellcheck disable=SC1091
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
# shellcheck source=scripts/bare-root.sh
. scripts/bare-root.sh

passed=0
check() { # what, command...
    what=$1
    shift
    "$@" >"$work/log" 2>&1 || {
        tail -n 40 "$work/log"
        failed "$what"
    }
    passed=$((passed + 1))
}
says() { # text: the last command said it
    grep -qF -- "$1" "$work/log" || {
        cat "$work/log"
        failed "$what: nothing says $1"
    }
    passed=$((passed + 1))
}
apt="DEBIAN_FRONTEND=noninteractive apt-get -o APT::Sandbox::User=root"

# ---- the Debian package ----

say "the package"
check "cpack" cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/deb"
if command -v lintian >/dev/null; then
    lintian --allow-root --tag-display-limit 0 "$work"/deb/*.deb >"$work/lint" 2>&1
    check "lintian finds no error" sh -c "! grep '^E:' '$work/lint'"
else
    echo "lintian is not there: the package was not looked at"
fi
mkdir -p "$root/pistachio"
cp "$work"/deb/*.deb "$root/pistachio"
check "lists" in_root "$apt update -q"
check "the package is installed with what it needs" in_root "$apt install -y --no-install-recommends ./pistachio_*.deb"
check "its program" in_root "pistachio --format tsv -c 'select 6 * 7 as answer'"
says 42
check "its modules" in_root "pistachio -c \"from 'https://127.0.0.1:1/x.parquet'\" 2>&1 | tee /dev/stderr | grep -v pistachio-http.so"
check "its server" in_root "pistachio serve --help"
check "man and completion" in_root "$apt install -y --no-install-recommends man-db bash-completion"
check "the manual page" in_root "man -P cat pistachio"
says "memory_limit"
cat >"$root/pistachio/complete.sh" <<'END'
. /usr/share/bash-completion/bash_completion
_completion_loader pistachio
COMP_WORDS=(pistachio --fo) COMP_CWORD=1
$(complete -p pistachio | sed 's/.*-F \([^ ]*\).*/\1/') pistachio --fo pistachio
echo "${COMPREPLY[@]}"
END
check "completion" in_root "bash complete.sh"
says "--format"
check "removal" in_root "$apt purge -y pistachio && ! find /usr /etc /var/lib -path /var/lib/apt -prune -o -iname '*pistachio*' -print | grep ."

# ---- the wheel ----

say "the wheel"
check "the wheel" scripts/wheel "$build/libpistachio.so.0" "$root/pistachio/wheels"
if python3 -m pip download --quiet --only-binary=:all: --python-version 3.11 --dest "$root/pistachio/wheels" adbc-driver-manager \
    >"$work/log" 2>&1; then
    check "Python" in_root "$apt install -y --no-install-recommends python3-venv && python3 -m venv /venv"
    check "pip install" in_root "/venv/bin/pip install --no-index --find-links wheels pistachio"
    check "it is used" in_root "/venv/bin/python -c 'import pistachio; print(pistachio.connect().sql(\"select 42 as x\").fetchall())'"
    says "[(42,)]"
    check "pip uninstall" in_root "/venv/bin/pip uninstall -y pistachio && ! find /venv -iname '*pistachio*' | grep ."
else
    echo "PyPI cannot be reached: the wheel was not installed"
fi
keep_packages

# ---- the container file ----

# Takes an instruction of the last stage.
step() { # instruction, rest
    case $1 in
    RUN) check "RUN $2" in_root "$2" ;;
    COPY)
        [ "$2" = "--from=build /image/ /" ] || failed "COPY $2 is not known here"
        cp -a "$work/image/." "$root"
        ;;
    USER) user=$2 ;;
    ENTRYPOINT) entry=$(echo "$2" | sed 's/^\["\(.*\)"\]$/\1/') ;;
    EXPOSE) ;;
    *) failed "the instruction $1 is not known here" ;;
    esac
}
as_user() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot --userspec="$user:$user" "$root" "$@" </dev/null
}

say "the container file"
check "the image of the build" env DESTDIR="$work/image" cmake --install "$build" --prefix /usr
fresh_root
user=0 entry=
awk '{ line = line $0 } /\\$/ { sub(/\\$/, "", line); next } { if (line ~ /^FROM/) n = 0; else if (line !~ /^(#|$)/) steps[n++] = line; line = "" }
    END { for (i = 0; i < n; i++) print steps[i] }' deploy/Containerfile >"$work/steps"
[ -s "$work/steps" ] || failed "the container file has no steps"
while read -r instruction rest; do
    step "$instruction" "$rest"
done <"$work/steps"
check "the entry point, as its user" as_user "$entry" --format tsv -c "select 6 * 7 as answer, current_user"
says 42
check "the server's module" as_user "$entry" serve --help
check "its library" sh -c "find '$root/usr/lib' -name 'libpistachio.so*' | grep ."
say "cleaning up"
echo "$passed passed, 0 failed, 0 skipped"
