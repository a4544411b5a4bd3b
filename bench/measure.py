"""What the experiments share: runs of the program, cold files, and what the machine did meanwhile, by the
kernel's own counters, not by the program's."""
import glob, mmap, os, shutil, subprocess, threading, time

HERE = os.path.dirname(os.path.abspath(__file__))
SCAN = ("select max(l_orderkey), max(l_partkey), max(l_suppkey), max(l_linenumber), max(l_quantity), "
        "max(l_extendedprice), max(l_discount), max(l_tax), max(l_returnflag), max(l_linestatus), "
        "max(l_shipdate), max(l_commitdate), max(l_receiptdate), max(l_shipinstruct), max(l_shipmode), "
        "max(l_comment) from lineitem")


def add_options(parser, has_data=True):
    if has_data:
        parser.add_argument("data")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--program", default=os.path.join(HERE, "../build/release/pistachio"))
    parser.add_argument("--json")
    parser.add_argument("--svg")


def query_text(number):
    with open(os.path.join(HERE, f"../src/tpch/queries/q{number:02d}.sql")) as file:
        return file.read()


def files_of(data):
    return sorted(glob.glob(os.path.join(data, "**/*.parquet"), recursive=True))


def forget(data, everything=False):
    """Puts the files out of the page cache; everything (needs root): all that the kernel has cached."""
    if everything:
        os.sync()
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("3")
        return
    for path in files_of(data):
        descriptor = os.open(path, os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def bandwidth(path, seconds=2.0):
    """Bytes a second of large direct reads in order: the best of a few shapes by fio where it is installed,
    else one after another."""
    if shutil.which("fio"):
        best = 0
        for size, depth in (("128k", 32), ("1M", 4), ("1M", 16)):
            done = subprocess.run(
                ["fio", "--name=read", f"--filename={path}", "--readonly", "--rw=read", f"--bs={size}",
                 f"--iodepth={depth}", "--direct=1", "--ioengine=io_uring", "--time_based",
                 f"--runtime={seconds:g}", "--output-format=terse", "--terse-version=3"],
                capture_output=True, text=True)
            if done.returncode == 0:
                best = max(best, int(done.stdout.split(";")[6]) * 1024)
        if best:
            return best
    descriptor, block = os.open(path, os.O_RDONLY | os.O_DIRECT), mmap.mmap(-1, 8 << 20)
    started, done = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        got = os.preadv(descriptor, [block], done)
        if got < len(block):
            break
        done += got
    os.close(descriptor)
    return done / (time.perf_counter() - started)


class Watch:
    """Samples, while a process runs: [(seconds, bytes that its device has read, seconds of processor time that
    its threads had or were ready for and others had)]."""

    def __init__(self, process, path, every=0.01):
        device = os.stat(path).st_dev
        self.stat = f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat"
        self.process, self.every, self.samples, self.threads = process, every, [], {}
        self.has_device = os.path.exists(self.stat)
        self.started = time.perf_counter()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def take(self):
        for task in glob.glob(f"/proc/{self.process.pid}/task/*/schedstat"):
            try:
                with open(task) as file:
                    ran, waited = file.read().split()[:2]
                self.threads[task] = int(ran) + int(waited)
            except (OSError, ValueError):
                pass
        read = 0
        if self.has_device:
            with open(self.stat) as file:
                read = int(file.read().split()[2]) * 512
        self.samples.append((time.perf_counter() - self.started, read, sum(self.threads.values()) / 1e9))

    def run(self):
        while self.process.poll() is None:
            self.take()
            time.sleep(self.every)
        self.take()

    def finish(self):
        self.thread.join()
        return self.samples


def at(samples, when, column):
    """The counter at a time, between samples."""
    before = samples[0]
    for sample in samples:
        if sample[0] >= when:
            span = sample[0] - before[0]
            share = (when - before[0]) / span if span else 0
            return before[column] + (sample[column] - before[column]) * share
        before = sample
    return before[column]


def parts(samples, count):
    """Equal parts of the time: [(start, end, bytes a second, cores busy)]."""
    start, end, result = samples[0][0], samples[-1][0], []
    for i in range(count):
        low, high = start + (end - start) * i / count, start + (end - start) * (i + 1) / count
        result.append((low, high, *((at(samples, high, c) - at(samples, low, c)) / (high - low) for c in (1, 2))))
    return result


def command(options, sql, settings=(), words=()):
    words = [options.program, "--format", "csv", "--set", f"threads={options.threads}", *words]
    if sql == SCAN:  # is to read the rows, whatever footers say
        words += ["--set", "disabled_optimizer_rules=footers"]
    for setting in settings:
        words += ["--set", setting]
    return words + ["-c", sql, options.data]


def run(options, sql, settings=(), words=()):
    """Seconds of the whole process, and what it printed."""
    started = time.perf_counter()
    done = subprocess.run(command(options, sql, settings, words), capture_output=True, text=True)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(done.stderr)
    return seconds, done.stdout


def run_watched(options, sql, settings=()):
    """The same, and the samples."""
    path = max(files_of(options.data), key=os.path.getsize)
    process = subprocess.Popen(command(options, sql, settings), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
    watch = Watch(process, path)
    text, problem = process.communicate()
    samples = watch.finish()
    if process.returncode:
        raise SystemExit(problem)
    return samples[-1][0] - samples[0][0], text, samples
