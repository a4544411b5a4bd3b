#!/bin/sh
# The files of deploy, as far as this machine can check them. run.sh PROGRAM
set -u
# shellcheck source=tests/cli/cli_common.sh
. "$(dirname "$0")/../cli/cli_common.sh"
deploy=$(cd "$(dirname "$0")/../../deploy" && pwd)

# The unit, of the program under test.
verified() {
    sed "s|/usr/bin/pistachio|$program|; /^Documentation/d" "$deploy/pistachio-serve.service" >"$work/pistachio-serve.service"
    systemd-analyze verify "$work/pistachio-serve.service" >"$work/out" 2>&1 && [ ! -s "$work/out" ]
}
if command -v systemd-analyze >/dev/null; then
    check "the systemd unit" verified
else
    skip "the systemd unit: no systemd-analyze here"
fi
if command -v kubernetes-validate >/dev/null; then
    check "the files for Kubernetes" kubernetes-validate --strict --quiet "$deploy"/kubernetes/*.yaml
else
    skip "the files for Kubernetes: no kubernetes-validate here (PyPI)"
fi
if command -v shellcheck >/dev/null; then
    check "the script for Slurm" shellcheck "$deploy/slurm.sbatch"
else
    check "the script for Slurm" bash -n "$deploy/slurm.sbatch"
fi

# Options and settings that they name are the program's.
"$program" serve --help >"$work/help" 2>&1
cat "$deploy"/pistachio-serve.service "$deploy"/kubernetes/server.yaml | grep -v '^ *#' | grep -oE -- '--[a-z][a-z-]+' | sort -u >"$work/options"
while read -r option; do
    check "option $option" grep -qe "$option " "$work/help"
done <"$work/options"
for setting in memory_limit temp_directory threads; do
    check "setting $setting" "$program" -c "show $setting"
done
# Metrics of alerts are the server's: their names are written there without the prefix.
grep -oE 'pistachio_[a-z_]+' "$deploy/alerts.yaml" | sort -u >"$work/metrics"
while read -r metric; do
    check "metric $metric" grep -rqE "\"(# HELP )?(pistachio_)?${metric#pistachio_}[\" ]" "$(dirname "$0")/../../src/server"
done <"$work/metrics"
finish
