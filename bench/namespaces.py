"""Machines to try ranks on: network namespaces of this one, joined by a bridge in one of their own, with links whose
rate can be changed; and control groups that bound what each reads from its disk. Needs root, ip and tc."""
import json, os, shutil, subprocess, sys, tempfile, time


class NotPossible(Exception):
    """This machine does not allow it; says why."""


def do(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise NotPossible(f"{' '.join(words[:6])}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def wait_until(is_so, seconds=20):
    end = time.monotonic() + seconds
    while not is_so():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Disk:
    """A control group (version 1 or 2) that bounds what its processes read of the disk that holds a path."""

    def __init__(self, name, path, bytes_a_second):
        device = os.stat(path).st_dev
        disk = f"/sys/dev/block/{os.major(device)}:{os.minor(device)}"
        if os.path.exists(disk + "/partition"):
            disk = os.path.dirname(os.path.realpath(disk))
        with open(disk + "/dev") as file:
            number = file.read().strip()
        first = os.path.isdir("/sys/fs/cgroup/blkio")
        self.root = "/sys/fs/cgroup/blkio" if first else "/sys/fs/cgroup"
        self.group = f"{self.root}/pistachio-{name}-{os.getpid()}"
        try:
            os.mkdir(self.group)
            if first:
                self.write(self.group + "/blkio.throttle.read_bps_device", f"{number} {bytes_a_second:.0f}")
            else:
                self.write(self.root + "/cgroup.subtree_control", "+io")
                self.write(self.group + "/io.max", f"{number} rbps={bytes_a_second:.0f}")
        except OSError as error:
            self.close()
            raise NotPossible(f"reads cannot be bounded here: {error}") from error

    @staticmethod
    def write(path, text):
        with open(path, "w") as file:
            file.write(text)

    def enter(self):
        """The calling process, and all that it will start."""
        self.write(self.group + "/cgroup.procs", str(os.getpid()))

    def close(self):
        """After all that was started has ended; the calling process leaves."""
        try:
            with open(self.group + "/cgroup.procs") as file:
                if str(os.getpid()) in file.read().split():
                    self.write(self.root + "/cgroup.procs", str(os.getpid()))
            os.rmdir(self.group)
        except OSError:
            pass


class Process:
    """A process of a namespace. `network`: seconds of processor time that its network thread has had so far."""

    def __init__(self, popen):
        self.popen, self.network, self.thread = popen, 0.0, None

    def look(self):
        """Network threads are called "network" (src/net/ucx/ucx.c); the process is what `ip` has become."""
        folder = f"/proc/{self.popen.pid}/task"
        try:
            if not self.thread:
                for task in os.listdir(folder):
                    with open(f"{folder}/{task}/comm") as file:
                        if file.read().strip() == "network":
                            self.thread = f"{folder}/{task}/schedstat"
            if self.thread:
                with open(self.thread) as file:
                    self.network = int(file.read().split()[0]) / 1e9
        except (OSError, ValueError, IndexError):
            pass  # it has ended

    def kill(self):
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()


class Machines:
    """`count` namespaces with the addresses 10.77.0.1 and so on. Where `bytes_a_second` says so each has a disk of that
    rate, which holds `path`, and this process one of the rate of all together."""

    def __init__(self, count, path=None, bytes_a_second=None):
        for tool in ("ip", "tc", "ss", "iperf3"):
            if not shutil.which(tool):
                raise NotPossible(f"{tool} is not installed (packages iproute2 and iperf3)")
        tag = os.getpid()
        self.count, self.processes, self.port, self.servers = count, [], 7077, False
        self.disks, self.all_disks = [], None
        self.bridge = f"pistachio-bridge-{tag}"
        self.spaces = [f"pistachio-{i}-{tag}" for i in range(count)]
        self.links = [f"pi{i}x{tag}" for i in range(count)]  # at most 15 letters
        try:
            if bytes_a_second:
                self.disks = [Disk(str(i), path, bytes_a_second) for i in range(count)]
                self.all_disks = Disk("all", path, count * bytes_a_second)
                self.all_disks.enter()
            self.make()
        except NotPossible:
            self.close()
            raise

    def make(self):
        for space in [self.bridge, *self.spaces]:
            do("ip", "netns", "add", space)
            do("ip", "-n", space, "link", "set", "lo", "up")
        do("ip", "-n", self.bridge, "link", "add", "bridge", "type", "bridge")
        do("ip", "-n", self.bridge, "link", "set", "bridge", "up")
        for i, (space, link) in enumerate(zip(self.spaces, self.links)):
            do("ip", "link", "add", link, "netns", space, "type", "veth", "peer", "name", link, "netns", self.bridge)
            do("ip", "-n", self.bridge, "link", "set", link, "master", "bridge")
            do("ip", "-n", self.bridge, "link", "set", link, "up")
            do("ip", "-n", space, "addr", "add", self.address(i) + "/24", "dev", link)
            do("ip", "-n", space, "link", "set", link, "up")
        # The kernel says so a moment after both ends are; UCX leaves out what is down.
        if not wait_until(lambda: all("state UP" in do("ip", "-n", s, "link", "show", link)
                                      for s, link in zip(self.spaces, self.links))):
            raise NotPossible("the links do not come up")

    @staticmethod
    def address(machine):
        return f"10.77.0.{machine + 1}"

    def shape(self, bits_a_second):
        """Each machine's link, each way; None: not at all. A burst of 100 ms: a busy machine looks at it late."""
        for space, link in zip(self.spaces, self.links):
            for end in (space, self.bridge):
                if bits_a_second:
                    do("ip", "netns", "exec", end, "tc", "qdisc", "replace", "dev", link, "root", "tbf", "rate",
                       f"{bits_a_second:.0f}bit", "burst", f"{max(bits_a_second / 80, 131072):.0f}", "latency", "100ms")
                else:
                    subprocess.run(["ip", "netns", "exec", end, "tc", "qdisc", "del", "dev", link, "root"],
                                   capture_output=True)

    def start(self, machine, words, environment=(), **how):
        enter = self.disks[machine].enter if self.disks else None
        process = Process(subprocess.Popen(["ip", "netns", "exec", self.spaces[machine], *words], preexec_fn=enter,
                                           env={**os.environ, **dict(environment)}, **how))
        self.processes.append(process)
        return process

    def bytes(self, machine):
        """That have left, and have come to, a machine."""
        link = json.loads(do("ip", "-n", self.spaces[machine], "-s", "-j", "link", "show", self.links[machine]))[0]
        return link["stats64"]["tx"]["bytes"], link["stats64"]["rx"]["bytes"]

    def rate(self, seconds=2):
        """Bytes a second that iperf3 gets from machine 0 to machine 1."""
        if not self.servers:
            self.start(1, ["iperf3", "-s"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.servers = wait_until(lambda: ":5201 " in do("ip", "netns", "exec", self.spaces[1], "ss", "-ltn"))
        text = do("ip", "netns", "exec", self.spaces[0], "iperf3", "-J", "-c", self.address(1), "-t", str(seconds))
        return json.loads(text)["end"]["sum_received"]["bits_per_second"] / 8

    def rank(self, number, program, words, **how):
        environment = {"PISTACHIO_RANK": str(number), "PISTACHIO_RANKS": str(self.count), "PISTACHIO_TOKEN": self.bridge,
                       "PISTACHIO_ROOT": f"{self.address(0)}:{self.port}", "UCX_NET_DEVICES": self.links[number],
                       "UCX_LOG_LEVEL": "fatal"}
        return self.start(number, [program, *words], environment, **how)

    def start_ranks(self, program, words, **how):
        """The program on each machine; only rank 0 is given what `how` says."""
        self.port += 1
        others = [self.rank(number, program, words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL) for number in range(1, self.count)]
        return [self.rank(0, program, words, **how), *others]

    def run(self, program, words):
        """What rank 0 prints, and the processes."""
        with tempfile.TemporaryFile("w+") as said:  # a pipe would be full after 64 KB
            ranks = self.start_ranks(program, words, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
            while ranks[0].popen.poll() is None:
                for rank in ranks:
                    rank.look()
                try:
                    ranks[0].popen.wait(0.05)
                except subprocess.TimeoutExpired:
                    pass
            said.seek(0)
            text = said.read()
        for rank in ranks[1:]:
            rank.popen.wait()
        if any(rank.popen.returncode for rank in ranks):
            sys.exit(f"failed: {program} {' '.join(words)}\n{text}")
        return text, ranks

    def close(self):
        for process in self.processes:
            process.kill()
        for space in [*self.spaces, self.bridge]:
            subprocess.run(["ip", "netns", "del", space], capture_output=True)
        for disk in [*self.disks, *([self.all_disks] if self.all_disks else [])]:
            disk.close()
