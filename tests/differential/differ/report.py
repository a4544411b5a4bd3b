"""What a run found, put together from its batches."""
import os
import resource
from collections import Counter

from .areas.run import AreaCase
from .areas.run import describe as describe_area
from .areas.run import write_reproduction as write_area
from .case import describe, write_reproduction
from .coverage import Coverage
from .groups import Groups

GOOD = ("agree", "both fail", "refused", "oracle fails", "data error", "not run")


class Total:
    def __init__(self, options):
        self.options = options
        self.statements = self.batches = 0
        self.broken = []  # batches that failed in this program itself
        self.kinds, self.messages, self.examples, self.times = Counter(), Counter(), {}, Counter()
        self.coverage, self.groups, self.areas = Coverage(), Groups(), set()

    def add(self, result):
        self.batches += 1
        self.statements += result.statements
        self.kinds.update(result.kinds)
        self.messages.update(result.messages)
        self.times.update(result.times)
        for key, example in result.examples.items():
            self.examples.setdefault(key, example)
        self.coverage.add(Counter(result.covered))
        for case in result.cases:
            if isinstance(case, AreaCase):
                self.add_area(case)
                continue
            group, is_new = self.groups.add(case)
            if is_new and len(self.groups.groups) <= 200:
                number = len(self.groups.groups)
                path = os.path.join(self.options.out, f"seed-{self.options.seed}", str(number))
                write_reproduction(case, path, self.options.program)
                print(f"--- failure {number}: {path}/again", describe(case), sep="\n", flush=True)

    def add_area(self, case):
        if case.key in self.areas:
            return
        self.areas.add(case.key)
        if len(self.areas) <= 200:
            path = os.path.join(self.options.out, f"seed-{self.options.seed}", f"{case.area}-{len(self.areas)}")
            write_area(case, path, self.options.program)
            print(f"--- failure: {path}/again", describe_area(case), sep="\n", flush=True)

    def crashed(self, batch, status):
        """Of the program only processes of its own run: it is the oracle that does this to a job."""
        self.kinds["oracle fails"] += 1
        key = ("oracle fails", f"the oracle crashed (exit status {status}); the rest of its batch did not run")
        self.messages[key] += 1
        self.examples.setdefault(key, f"batch {batch}")

    def finish(self, seconds):
        """Prints what there is to say; the exit status."""
        own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
        rate = self.statements / max(spent - self.times["reducing"], 0.001)
        print(f"seed {self.options.seed}: {self.statements} statements in {seconds:.0f} s; "
              f"processor time {spent:.0f} s, {rate:.0f} statements a second of it without reducing")
        parts = self.times.most_common() + [("the rest", spent - sum(self.times.values()))]
        print("seconds: " + ", ".join(f"{name} {value:.1f}" for name, value in parts))
        for kind, count in self.kinds.most_common():
            print(f"{count:8} {kind}")
            for (of, message), n in self.messages.most_common():
                if of == kind and kind != "agree":
                    print(f"         {n:6} {message}")
                    if kind in ("oracle fails", "lone error", "both fail", "internal", "hang", "crash") or message.startswith(("writing", "inspect", "COPY")):
                        print(f"                {str(self.examples.get((of, message), ''))[:300]}")
        missing = self.coverage.missing(self.options.least)
        if self.options.coverage:
            print("statements that ran and agreed, by what they have:")
            print(self.coverage.table())
        for (kind, name), count in missing:
            print(f"covered {count} times, less than {self.options.least}: {kind} {name}")
        bad = len(self.broken) + sum(count for kind, count in self.kinds.items() if kind not in GOOD)
        skipped = sum(self.kinds[k] for k in GOOD if k != "agree")
        print(f"{self.kinds['agree']} passed, {bad + len(missing)} failed, {skipped} skipped")
        return 1 if bad or missing else 0
