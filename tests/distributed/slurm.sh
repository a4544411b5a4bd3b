#!/bin/sh
# Ranks that Slurm starts: salloc, srun, sbatch, scancel, a rank that is killed. slurm.sh PROGRAM
# A Slurm of its own, with one node that says it has several processors, in the test's folder; skipped where slurmctld,
# slurmd or munged are missing, or where the test is not root (who starts jobs of a user).
set -u
# shellcheck source=tests/distributed/distributed_common.sh
. "$(dirname "$0")/distributed_common.sh"
PATH=$PATH:/usr/sbin
for tool in slurmctld slurmd munged srun salloc sbatch scancel; do
    command -v $tool >/dev/null && continue
    skip "Slurm: $tool is missing (apt install slurmctld slurmd slurm-client munge)"
    exit 77
done
if [ "$(id -u)" != 0 ]; then
    skip "Slurm: only root can start its daemons"
    exit 77
fi

slurm=$work/slurm
mkdir -p "$slurm/state" "$slurm/spool" "$slurm/munge" || exit 2
chmod 755 "$work" "$slurm"
head -c 1024 /dev/urandom >"$slurm/munge/key" && chmod 400 "$slurm/munge/key" && chmod 755 "$slurm/munge"
free_port() { # one that nobody listens at, by the process's number
    echo $((20000 + ($$ * 7 + $1) % 20000))
}
host=$(hostname -s)
cat >"$slurm/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port 1)
SlurmdPort=$(free_port 2)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/munge/socket
CredType=cred/munge
CommunicationParameters=NoAddrCache
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
KillWait=2
InactiveLimit=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=5 State=UP
CONF
export SLURM_CONF="$slurm/slurm.conf"

munged --foreground --force --key-file="$slurm/munge/key" --socket="$slurm/munge/socket" --num-threads=2 \
    --pid-file="$slurm/munge/pid" --log-file="$slurm/munge/log" --seed-file="$slurm/munge/seed" >"$slurm/munged.out" 2>&1 &
munged=$!
slurmctld -D -c >"$slurm/ctld.out" 2>&1 &
ctld=$!
slurmd -D -c -N "$host" >"$slurm/slurmd.out" 2>&1 &
daemon=$!
end_slurm() {
    kill $daemon $ctld $munged 2>/dev/null
    wait $daemon $ctld $munged 2>/dev/null
}
trap 'end_slurm; rm -rf "$work"' EXIT
for _ in $(seq 100); do
    sinfo -h -o %T 2>/dev/null | grep -q idle && break
    sleep 0.2
done
if ! sinfo -h -o %T 2>/dev/null | grep -q idle; then
    tail -3 "$slurm"/*.out "$slurm"/*.log >&2
    skip "Slurm: its daemons do not start here"
    exit 77
fi
make_table "$work/t.parquet"
sum="select sum(x) as s from t"
right=$(printf 's\n49995000')

# By PMIx, as srun and mpirun say who is who; by a port of the first node, where Slurm has no plugin for it.
if srun --mpi=list 2>&1 | grep -q pmix; then
    ways="pmix none"
else
    ways="none"
    skip "Slurm: no plugin for PMIx"
fi
PISTACHIO_ROOT=127.0.0.1:$(free_port 3)
PISTACHIO_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
for way in $ways; do
    [ "$way" = none ] && export PISTACHIO_ROOT PISTACHIO_TOKEN
    expect "srun, $way" 0 "$right" srun --mpi="$way" -n 4 "$program" --format csv -c "$sum" "$work/t.parquet"
    expect "salloc and two steps, $way" 0 "$(printf '%s\n%s' "$right" "$right")" salloc -Q -n 2 sh -c \
        "for i in 1 2; do srun --mpi=$way '$program' --format csv -c '$sum' '$work/t.parquet'; done"
    expect "a failure of one rank, $way" 1 - srun --mpi="$way" -n 3 "$program" -c "select sum(1 / (x - 9999)) from t" "$work/t.parquet"
    says "names it" "error: rank 2 (host "
done

# Jobs of sbatch: one to its end, one that scancel ends, one whose rank is killed. None leaves a process.
cat >"$work/job" <<JOB
#!/bin/sh
#SBATCH --ntasks=3
exec srun --mpi=none --kill-on-bad-exit=1 "$program" --format csv -c "\$1" "$work/t.parquet"
JOB
long="select sum((a.x + b.x + c.x) % 7) from t a, t b, t c"
wait_for_state() { # JOB STATES: of its end
    for _ in $(seq 300); do
        state=$(scontrol show job "$1" -o | sed 's/.*JobState=\([A-Z_]*\).*/\1/')
        case " $2 " in *" $state "*) return 0 ;; esac
        sleep 0.1
    done
    echo "job $1 is $state"
    return 1
}
ranks() { # the processes that are ranks of this test's jobs
    ps -eo pid=,comm=,args= | awk -v table="$work/t.parquet" '$2 == "pistachio" && index($0, table) { print $1 }'
}
has_ended() { # no process of the job's is left
    for _ in $(seq 100); do
        [ -z "$(ranks)" ] && return 0
        sleep 0.1
    done
    ranks
    return 1
}
runs() { # so many ranks
    for _ in $(seq 100); do
        [ "$(ranks | wc -l)" -ge "$1" ] && return 0
        sleep 0.1
    done
    return 1
}
job=$(sbatch --parsable -o "$work/job.out" "$work/job" "$sum")
check "a job of sbatch" wait_for_state "$job" COMPLETED
expect "has the sum" 0 "$right" cat "$work/job.out"
job=$(sbatch --parsable -o "$work/job.out" "$work/job" "$long")
check "a long one" runs 3
check "is cancelled" scancel "$job"
check "and ends so" wait_for_state "$job" CANCELLED
check "without leaving a process" has_ended
job=$(sbatch --parsable -o "$work/job.out" "$work/job" "$long")
check "another one" runs 3
kill -9 "$(ranks | tail -n 1)"
check "whose rank is killed, fails" wait_for_state "$job" FAILED
check "and leaves no process" has_ended
finish
