#!/bin/sh
# A fresh Debian in a folder, for scripts/check-bare and tests/deploy/packages.sh, which read this file: its caller has set `name`
# and `release`, and gets `root`, `work` and the functions below. All of it goes when the shell ends.
#
# The root is made by debootstrap, once: it stays as a tarball in ${XDG_CACHE_HOME:-~/.cache}/pistachio,
# beside the packages that were fetched into it; remove the folder to begin anew. Packages come from the
# mirror that apt uses here, else from debootstrap's own.
# shellcheck disable=SC2154  # name and release are the caller's
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/pistachio
tarball=$cache/$release.tar.gz
packages=$cache/$release-packages
begun=$(date +%s)

not_run() { # why
    echo "$name was not run: $*"
    exit 77
}
failed() { # what
    echo "$name failed: $*"
    exit 1
}
say() { # what
    echo "== $name $release, $(($(date +%s) - begun)) s: $*"
}

[ "$(id -u)" = 0 ] || not_run "only root can make a root folder"
command -v debootstrap >/dev/null || not_run "debootstrap is not installed (scripts/setup bare)"
[ -e "/usr/share/debootstrap/scripts/$release" ] || not_run "debootstrap knows no release $release"

# The root lies where programs and devices are allowed, which /tmp may not be.
work=$(mktemp -d "${TMPDIR:-/var/tmp}/pistachio-bare.XXXXXX") || exit 2
root=$work/root

# What still runs in the root is ended, and what is mounted there let go, before it is removed.
clean() {
    trap '' INT TERM HUP
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/root")" != "$root" ] || kill -9 "${process#/proc/}"
    done 2>/dev/null
    awk -v root="$root/" 'index($2, root) == 1 { print $2 }' /proc/mounts | sort -r |
        while read -r point; do umount -l "$point"; done
    rm -rf --one-file-system "$work"
}
trap clean EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# ---- what apt uses here ----

# The options by which apt reaches its mirror, proxies above all, as text of apt.conf.
apt_options() {
    apt-config dump 2>/dev/null | grep -iE '^Acquire::(http|https|ftp|ForceIPv|Retries|Check-)' |
        grep -vi 'auto-\?detect'
    # shellcheck disable=SC2154  # the usual names are in small letters
    [ -z "${http_proxy:-}" ] || echo "Acquire::http::Proxy \"$http_proxy\";"
    # shellcheck disable=SC2154
    [ -z "${https_proxy:-}" ] || echo "Acquire::https::Proxy \"$https_proxy\";"
}
# shellcheck disable=SC2016  # apt's variables, not the shell's
mirror=$(apt-get indextargets --format '$(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    sed -n 's|^Debian \(http.*[^/]\)/*$|\1|p' | head -n 1)
mirror=${mirror:-http://deb.debian.org/debian}

# debootstrap fetches with wget, which knows of proxies from its environment only.
for scheme in http https; do
    proxy=$(apt-config dump "Acquire::$scheme::Proxy" 2>/dev/null | sed -n 's/.*"\(..*\)".*/\1/p')
    case $proxy in '' | DIRECT) ;; *) export "${scheme}_proxy=$proxy" ;; esac
done
wget -q --tries=2 --timeout=20 -O /dev/null "$mirror/dists/$release/InRelease" ||
    not_run "the mirror $mirror cannot be reached, or has no $release"

# ---- the root ----

if [ ! -e "$tarball" ]; then
    say "debootstrap"
    mkdir -p "$cache"
    debootstrap --variant=minbase "$release" "$root" "$mirror" >"$work/log" 2>&1 || {
        tail -n 20 "$work/log" "$root/debootstrap/debootstrap.log" 2>/dev/null
        failed "debootstrap"
    }
    # Under another name until it is whole.
    if ! { tar -C "$root" --numeric-owner -czf "$tarball.$$" . && mv "$tarball.$$" "$tarball"; }; then
        rm -f "$tarball.$$"
        failed "the root could not be kept as $tarball"
    fi
    rm -rf --one-file-system "$root"
fi

# Unpacks a root with nothing in it in the place of one that was used.
fresh_root() {
    say "unpacking"
    rm -rf --one-file-system "$root"
    mkdir "$root"
    tar -C "$root" --numeric-owner -xzf "$tarball" || failed "$tarball could not be unpacked; remove it"
    for file in /etc/resolv.conf /etc/hosts; do
        [ ! -e $file ] || cp -L $file "$root$file"
    done
    apt_options >"$root/etc/apt/apt.conf.d/90host"
    archives=$root/var/cache/apt/archives
    [ ! -d "$packages" ] || cp "$packages"/*.deb "$archives" 2>/dev/null
}
fresh_root

# Runs a command in the root, in the folder /pistachio.
in_root() {
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb SCALE=0.1 \
        chroot "$root" /bin/sh -c "mkdir -p /pistachio && cd /pistachio && $1" </dev/null
}
keep_packages() {
    in_root "apt-get autoclean" >/dev/null 2>&1
    mkdir -p "$packages" && find "$packages" -name '*.deb' -delete
    cp "$archives"/*.deb "$packages" 2>/dev/null
}
