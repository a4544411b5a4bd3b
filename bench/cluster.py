"""Ranks in network namespaces whose links are shaped: what a join makes of storage and network.

    bench/cluster [--data DIR] [--parts link,thread,queries,skew] [--queries 3,5] [--runs N] [--threads N] [--rate MBIT]
                  [--storage MB/s] [--shuffle OPTIONS] [--program build/release/pistachio] [--json FILE] [--svg FILE]

--data is TPC-H; by default scale factor 0.1 in a temporary folder. --storage gives each rank a disk of that rate, by
control groups: on a machine whose processors are busy or few, what is waited for is then storage and network.

link: what iperf3 gets of a link of --rate (500 by default), and `pistachio bench shuffle` over it.
thread: the share of a core that the network threads take while no statement runs, and while one only computes.
queries: two ranks, joins by repartition without runtime filters (the set-up of PystachIO), read past the page cache, under
each `join_variant`, in turns with the same over an unshaped link, and what the planner chooses. The link is shaped so
that both terms of T_min = max(storage, network) are equal (--rate: to that instead). Storage is what fio takes to read
the same bytes in the same order (replay.py), network what the larger direction's bytes take at iperf3's rate, both
measured again between the rounds. For each round: full over max(T_min, unshaped), blocking over full. Then what each
technique adds: seconds saved against the one before it, as a share of what all save.
skew: three ranks, links of 200 Mbit/s: a join half of whose probe rows have one key against one by uniform keys, with
`heavy_keys` on and off.

Exit status: 0; 1 something failed; 2 wrong usage; 77 this machine does not allow it, which one line says.
"""
import argparse, json, os, re, signal, statistics, subprocess, sys, tempfile, time
import measure, namespaces, plot, replay

REPARTITION = ["disabled_optimizer_rules=broadcast,runtime_filters"]
VARIANTS = ["blocking", "pooled", "chunking", "deferred", "full"]
SKEW_RATE = 200e6
median = statistics.median

parser = argparse.ArgumentParser(usage=__doc__)
measure.add_options(parser, has_data=False)
parser.set_defaults(threads=1)
parser.add_argument("--data")
parser.add_argument("--parts", default="link,thread,queries,skew")
parser.add_argument("--queries", default="3,5")
parser.add_argument("--runs", type=int, default=3)
parser.add_argument("--rate", type=float)
parser.add_argument("--storage", type=float)
parser.add_argument("--shuffle", default="--left-rows 2000000 --right-rows 6000000 --runs 3")
options = parser.parse_args()


def words_of(settings):
    return [word for setting in settings for word in ("--set", setting)]


# ---- the link ----

def measure_link(machines):
    rate = (options.rate or 500) * 1e6
    machines.shape(rate)
    result = {"rate": rate / 8e6, "iperf3": machines.rate() / 1e6}
    print(f"link of {rate / 8e6:.1f} MB/s: iperf3 gets {result['iperf3']:.1f} MB/s")
    for variant in ("blocking", "deferred"):
        text, _ = machines.run(options.program, ["bench", "shuffle", "--variant", variant, *options.shuffle.split()])
        result[variant] = {name: float(got) for name, got in re.findall(r"^([a-z-]+[a-z -]*?) +[\d.]+ +([\d.]+)", text, re.M)}
        for name, got in result[variant].items():
            print(f"  {variant}, {name}: {got:.0f} MB/s to a rank, {got / result['iperf3']:.0%} of iperf3's")
    return result


# ---- the network's thread ----

def share_of_a_core(machines, sql, seconds=3):
    """The most of any rank's network thread while rank 0's shell does that ("": nothing)."""
    ranks = machines.start_ranks(options.program, ["--set", "distribute=always", *words_of([f"threads={options.threads}"]),
                                                   options.data], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    ranks[0].popen.stdin.write(sql)
    ranks[0].popen.stdin.flush()
    time.sleep(2)  # until they have met, and the statement has begun
    shares = []
    for rank in ranks:
        rank.look()
        if not rank.thread:
            sys.exit("a rank has no network thread")
    before, start = [rank.network for rank in ranks], time.monotonic()
    time.sleep(seconds)
    for rank, had in zip(ranks, before):
        rank.look()
        shares.append((rank.network - had) / (time.monotonic() - start))
    for rank in ranks:
        rank.kill()
    return max(shares)


def measure_thread(machines):
    result = {"idle": share_of_a_core(machines, ""),
              "computing": share_of_a_core(machines, "select count(*) from lineitem a, lineitem b "
                                                     "where a.l_orderkey + b.l_orderkey = -1;\n")}
    print(f"a network thread takes {result['idle']:.4f} of a core while no statement runs, "
          f"{result['computing']:.4f} while one computes")
    return result


# ---- queries ----

def run_query(machines, number, settings):
    """Seconds, the most bytes that went one way, and the most of a core that a network thread took."""
    before = machines.bytes(0)
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        settings = [f"threads={options.threads}", "distribute=always", "direct_io=always", *settings]
        _, ranks = machines.run(options.program, ["tpch", "run", "--data", options.data, "--queries", str(number),
                                                  "--json", file.name, *words_of(settings)])
        seconds = json.load(file)["queries"][0]["median_s"]
    sent = max(after - was for after, was in zip(machines.bytes(0), before))
    return seconds, sent, max(rank.network for rank in ranks) / seconds


class Terms:
    """T_min's two, measured again whenever they are asked for."""

    def __init__(self, machines, number, sent):
        self.machines, self.sent = machines, sent
        depths = [16] if options.storage else replay.DEPTHS
        self.reads = replay.Replay(options, measure.query_text(number), 1, REPARTITION, depths)
        rate = options.rate * 1e6 if options.rate else sent * 8 / self.storage() * sent_factor(sent, machines)
        self.rate = rate
        machines.shape(rate)

    def storage(self):
        """fio counts milliseconds."""
        return max(self.reads.seconds(), 1e-3)

    def take(self):
        self.machines.shape(self.rate)
        return self.storage(), self.sent / self.machines.rate(1)


def sent_factor(sent, machines):
    """Of a link's rate iperf3 gets less, as headers are sent, too: what the rate is to be more."""
    machines.shape(200e6)
    return 200e6 / 8 / machines.rate(1)


def measure_query(machines, number):
    machines.shape(None)
    _, sent, _ = run_query(machines, number, REPARTITION)  # also warms up
    terms = Terms(machines, number, sent)
    rounds, before = [], terms.take()
    for _ in range(options.runs):
        taken = {"shares": []}
        machines.shape(None)
        taken["unshaped"], _, _ = run_query(machines, number, REPARTITION)
        machines.shape(terms.rate)
        for variant in VARIANTS:
            taken[variant], _, share = run_query(machines, number, [*REPARTITION, "join_variant=" + variant])
            taken["shares"].append(share)
        taken["planner"], taken["planner_sent"], _ = run_query(machines, number, [])
        after = terms.take()
        taken["storage"], taken["network"] = ((a + b) / 2 for a, b in zip(before, after))
        taken["t_min"] = max(taken["storage"], taken["network"])
        taken["full / floor"] = taken["full"] / max(taken["t_min"], taken["unshaped"])
        taken["blocking / full"] = taken["blocking"] / taken["full"]
        before = after
        rounds.append(taken)
    result = {name: median(r[name] for r in rounds) for name in rounds[0] if name != "shares"}
    return {"query": number, "sent": sent, "read": terms.reads.bytes, "rate": terms.rate / 8,
            "network thread": max(max(r["shares"]) for r in rounds), **result, "rounds": rounds}


def measure_queries(machines):
    shown = ["storage", "network", "unshaped", *VARIANTS, "planner"]
    print(f"seconds, medians of {options.runs}; {options.threads} threads a rank, joins by repartition, read from storage")
    print("query  read MB  sent MB  link MB/s" + "".join(f"{name:>10}" for name in shown) +
          "  full/floor  blocking/full  network thread")
    results = []
    for number in map(int, options.queries.split(",")):
        r = measure_query(machines, number)
        results.append(r)
        print(f"Q{number:<4}{r['read'] / 1e6:9.0f}{r['sent'] / 1e6:9.0f}{r['rate'] / 1e6:11.1f}" +
              "".join(f"{r[name]:10.2f}" for name in shown) +
              f"{r['full / floor']:12.2f}{r['blocking / full']:15.2f}{r['network thread']:16.2f}", flush=True)
    print("what each adds: seconds saved against the one before, and the share of all that is saved")
    for r in results:
        saved = r["blocking"] - r["full"] or 1e-9
        steps = [(after, r[was] - r[after]) for was, after in zip(VARIANTS, VARIANTS[1:])]
        r["techniques"] = dict(steps)
        print(f"Q{r['query']:<4}" + ", ".join(f"{name} {step:.2f} s ({step / saved:.0%})" for name, step in steps))
    return results


# ---- heavy keys ----

def make_skewed(folder):
    """Build rows have keys 0 to 299,999; of 3 million probe rows each has any of them, or (q) half have the key 7."""
    digits = "d(i) as (values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9))"
    rows = "select a.i + 10 * b.i + 100 * c.i + 1000 * e.i + 10000 * f.i + 100000 * g.i {} as n from d a, d b, d c, d e, d f, d g"
    six, seven = rows.format(""), rows.format("+ 1000000 * h.i") + ", d h where h.i < 3"
    key = "n * 709 % 300007 % 300000"
    tables = {"b": f"select n as k, n * 7 as w from ({six}) x where n < 300000",
              "p": f"select {key} as k, n as v, n * 31 % 1000003 as u, n * 17 % 1000033 as x from ({seven}) y",
              "q": f"select case when n % 2 = 0 then 7 else {key} end as k, n as v, n * 31 % 1000003 as u, "
                   f"n * 17 % 1000033 as x from ({seven}) y"}
    for name, sql in tables.items():
        subprocess.run([options.program, "-c", f"copy (with {digits} {sql}) to '{folder}/{name}.parquet' (row_group_size 20000)"],
                       check=True, stdout=subprocess.DEVNULL)


def run_skewed(machines, folder, table, heavy_keys):
    """Seconds, and the most rows that a rank has probed over the mean."""
    sql = f"explain analyze select count(*), sum(v), sum(u), sum(x), sum(w) from '{folder}/{table}.parquet' t " \
          f"join '{folder}/b.parquet' b on t.k = b.k"
    settings = ["threads=1", "distribute=always", "network_message_bytes=65536", "heavy_keys=" + heavy_keys, *REPARTITION]
    text, _ = machines.run(options.program, ["--format", "csv", *words_of(settings), "-c", sql])
    probed = re.search(r"probed (\d+), at most (\d+) on a rank", text)
    return float(re.search(r"time ([\d.]+) s", text)[1]), int(probed[2]) / (int(probed[1]) / machines.count)


def measure_skew(machines):
    cases = {"uniform": ("p", "on"), "half on one key": ("q", "on"), "heavy_keys = off": ("q", "off")}
    machines.shape(SKEW_RATE)
    taken = {name: [] for name in cases}
    with tempfile.TemporaryDirectory() as folder:
        make_skewed(folder)
        for _ in range(options.runs):
            for name, (table, heavy_keys) in cases.items():
                taken[name].append(run_skewed(machines, folder, table, heavy_keys))
    base = [seconds for seconds, _ in taken["uniform"]]
    result = {}
    print(f"three ranks, links of {SKEW_RATE / 1e6:.0f} Mbit/s, medians of {options.runs}")
    for name, runs in taken.items():
        result[name] = {"seconds": median(s for s, _ in runs), "probed": max(p for _, p in runs),
                        "ratio": median(s / b for (s, _), b in zip(runs, base))}
        print(f"  {name}: {result[name]['seconds']:.2f} s, {result[name]['ratio']:.2f} of the uniform one's; "
              f"the rank with most probes {result[name]['probed']:.2f} times the mean")
    return result


# ---- all of it ----

def on_machines(count, measure_it):
    machines = namespaces.Machines(count, options.data, options.storage and options.storage * 1e6)
    try:
        return measure_it(machines)
    finally:
        machines.close()


def main():
    parts = {"link": (2, measure_link), "thread": (2, measure_thread), "queries": (2, measure_queries),
             "skew": (3, measure_skew)}
    wanted = options.parts.split(",")
    if set(wanted) - set(parts):
        parser.error("--parts are of " + ", ".join(parts))
    if not os.access(options.program, os.X_OK):
        parser.error(f"there is no program {options.program}; --program says where it is")
    if "queries" in wanted and not replay.is_possible():
        raise namespaces.NotPossible("fio is not installed, which says how fast storage is")
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        if not options.data:
            options.data = folder
            subprocess.run([options.program, "tpch", "generate", "--scale", "0.1", "--out", folder], check=True,
                           stdout=subprocess.DEVNULL)
        for name in wanted:
            results[name] = on_machines(*parts[name])
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"threads": options.threads, "storage": options.storage, **results}, file, indent=1)
    if options.svg and "queries" in results:
        queries = results["queries"]
        plot.bars(options.svg, "seconds, two ranks, joins by repartition", [f"Q{r['query']}" for r in queries],
                  {name: [r[name] for r in queries] for name in [*VARIANTS, "planner", "unshaped"]},
                  {"T_min": [r["t_min"] for r in queries]}, bar=20)


options.program = os.path.realpath(options.program)
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda *_: sys.exit(1))
try:
    main()
except namespaces.NotPossible as reason:
    print(f"skipped bench/cluster: {reason}")
    sys.exit(77)
