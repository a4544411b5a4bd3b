"""What tasks and streams of a lazy device did, as a trace has it (src/base/trace/trace.h, trace_point), done again with a
GPU's times: a simulation of events, as the simulated device's kernels are computed by the cores that the host needs.

What is kept: the steps of each task and the processor's time between them, what they told their streams, in that
order, who woke whom, which stage waits for which. What is made anew: when a thread runs a task, when a stream
comes to a command, who waits and for how long. Stages, lanes and the queue of ready tasks are as in
src/exec/sched/pool.c. What storage has to give is there at once.
"""
import collections, heapq, itertools, json

COMMANDS = "kernel", "copy", "zero", "event", "wait"


class Task:
    def __init__(self):
        self.items = []  # (nanoseconds before it, what, argument)
        self.wakes = []  # whether the k-th comes from outside
        self.start()

    def start(self):
        self.position = self.leaves = 0
        self.woken = set()  # of the wakes, those that have been
        self.waits_for = None  # a number of a wake
        self.is_busy = self.skips = False


class Recording:
    """A trace's: stages as {id: Stage}, tasks with their items."""

    def __init__(self, path):
        with open(path) as file:
            trace = json.load(file)
        if int(trace["otherData"]["dropped"]):
            raise SystemExit(f"{path}: not all of the trace was kept")
        points = [(e["ts"], e["name"], e["tid"], e["args"]) for e in trace["traceEvents"] if e.get("cat") == "device"]
        points.sort(key=lambda point: point[0])
        self.kernels = {tid: self.times_of(points, tid) for tid in {p[2] for p in points if p[1] == "begin"}}
        self.pending, self.dependents, self.phases = {}, collections.defaultdict(list), collections.defaultdict(dict)
        self.commands = collections.defaultdict(list)  # of a stream, in their order
        self.events = itertools.count()
        self.walk(points)
        self.give_times()

    @staticmethod
    def times_of(points, tid):
        """[(stream, nanoseconds)] of what a stream's thread did."""
        times, begun = [], 0
        for _, name, thread, args in points:
            if thread == tid and name == "begin":
                begun = args["used"]
            elif thread == tid and name == "done":
                times.append((args["a"], args["used"] - begun))
        return times

    def walk(self, points):
        tasks, event, used, running, gap = {}, {}, {}, {}, collections.Counter()
        workers = {tid for _, name, tid, _ in points if name == "turn"}
        for _, name, tid, args in points:
            a, b, number = args["a"], args["b"], args["number"]
            if tid in workers:
                gap[tid] += max(0, args["used"] - used.get(tid, args["used"]))
                used[tid] = args["used"]
            if name == "stage":
                self.pending[a] = number
            elif name == "then":
                self.dependents[a].append(b)
            elif name == "task":
                tasks[a] = Task()
                self.phases[b].setdefault(number, []).append(tasks[a])
            elif name == "turn":
                running[tid], gap[tid] = tasks[a], 0  # the thread slept
                self.add(running, tid, gap, "turn", None)
            elif name == "wake" and a in tasks:
                target, task = tasks[a], running.get(tid)
                target.wakes.append(task is None)
                if task:
                    self.add(running, tid, gap, "wake", (target, len(target.wakes) - 1))
            elif name in COMMANDS:
                if name == "event":
                    event[b] = next(self.events)
                command = [name, event.get(b), number, 0]
                self.commands[a].append(command)
                self.add(running, tid, gap, "tell", (a, command))
            elif name == "mark":
                self.commands[a].append([name, None, 0, 0])
            elif name in ("await", "block", "reached", "stop"):
                if name == "block":
                    gap[tid] = 0
                self.add(running, tid, gap, name, (a, event.get(b)))
            elif name == "leave":
                self.add(running, tid, gap, "leave", None)
            elif name in ("yield", "end"):
                self.add(running, tid, gap, name, None)
                running.pop(tid, None)

    @staticmethod
    def add(running, tid, gap, what, argument):
        task = running.get(tid)
        if task:
            task.items.append((gap[tid], what, argument))
            gap[tid] = 0

    def give_times(self):
        """Commands of a stream are done in their order."""
        times = collections.defaultdict(list)
        for thread in self.kernels.values():
            for stream, nanoseconds in thread:
                times[stream].append(nanoseconds)
        for stream, commands in self.commands.items():
            if len(commands) != len(times[stream]):
                raise SystemExit(f"a stream was told {len(commands)} commands and did {len(times[stream])}")
            for command, nanoseconds in zip(commands, times[stream]):
                command[3] = nanoseconds


class Stream:
    def __init__(self):
        self.queue, self.is_busy, self.drainers = collections.deque(), False, []


class Replay:
    """Of a recording, once: costs in nanoseconds."""

    def __init__(self, recording, threads, lanes, is_blocking, launch, wait, speed, copy_rate, one_at_a_time=False, host=1):
        self.host_factor = host
        self.r, self.lanes, self.is_blocking = recording, lanes, is_blocking
        self.launch, self.wait, self.speed, self.copy_rate = launch, wait, speed, copy_rate
        self.idle, self.ready, self.busy = list(range(threads)), [], 0
        self.streams = collections.defaultdict(Stream)
        self.reached, self.waiting = set(), collections.defaultdict(list)
        self.heap, self.order, self.now = [], itertools.count(), 0
        self.one_at_a_time, self.device_free = one_at_a_time, 0
        self.pending, self.left, self.phase = dict(recording.pending), {}, {}
        self.counts, self.host, self.kernel_time, self.finished = collections.Counter(), 0, 0, 0
        self.lost = 0  # events that the replay did not have yet
        self.known = set()

    def run(self):
        for stage in [s for s, pending in self.pending.items() if not pending]:
            self.start_stage(stage)
        self.hand_out()
        while self.heap:
            self.now, _, call, arguments = heapq.heappop(self.heap)
            call(*arguments)
        if self.finished != len(self.pending):
            raise SystemExit(f"{len(self.pending) - self.finished} stages of {len(self.pending)} did not finish")
        return self

    def later(self, nanoseconds, call, *arguments):
        heapq.heappush(self.heap, (self.now + nanoseconds, next(self.order), call, arguments))

    # ---- stages ----

    def start_stage(self, stage):
        phases = sorted(self.r.phases.get(stage, {}).items())
        k = self.phase.get(stage, 0)
        if k == len(phases):
            self.finished += 1
            for dependent in self.r.dependents[stage]:
                self.pending[dependent] -= 1
                if not self.pending[dependent]:
                    self.start_stage(dependent)
            return
        self.left[stage] = len(phases[k][1])
        for task in phases[k][1]:
            task.start()
            task.stage = stage
            self.ready.append(task)

    def end_task(self, task):
        self.set_busy(task, False)
        self.left[task.stage] -= 1
        if not self.left[task.stage]:
            self.phase[task.stage] = self.phase.get(task.stage, 0) + 1
            self.start_stage(task.stage)

    # ---- threads ----

    def set_busy(self, task, is_busy):
        self.busy += is_busy - task.is_busy
        task.is_busy = is_busy

    def hand_out(self):
        """Ready tasks to idle threads, first in first out."""
        while self.idle:
            task = next((t for t in self.ready if t.is_busy or self.busy < self.lanes), None)
            if not task:
                return
            self.ready.remove(task)
            self.set_busy(task, True)
            self.step(self.idle.pop(), task)

    def give_up(self, thread):
        self.idle.append(thread)
        self.hand_out()

    def make_ready(self, task):
        self.ready.append(task)
        self.hand_out()

    def step(self, thread, task):
        """The time until the task's next item passes."""
        if task.position == len(task.items):
            self.end_task(task)
            return self.give_up(thread)
        nanoseconds, what, argument = task.items[task.position]
        if task.skips and what in ("yield", "turn"):  # it goes on at once, other than when it was recorded
            task.skips = what == "yield"
            nanoseconds = 0
        else:
            task.skips = False
        nanoseconds *= self.host_factor
        self.host += nanoseconds
        self.later(nanoseconds, self.act, thread, task, what, argument)

    def act(self, thread, task, what, argument):
        task.position += 1
        if what == "tell":
            self.tell(*argument)
        elif what == "wake":
            self.wake(*argument)
        elif what in ("await", "block", "reached"):
            if self.stops(thread, task, what, *argument):
                return
            task.skips = what == "await"
        elif what == "leave":
            number, task.leaves = task.leaves, task.leaves + 1
            is_there = number >= len(task.wakes) or task.wakes[number] or number in task.woken
            if not is_there:
                task.waits_for = number
                self.set_busy(task, False)
                return self.give_up(thread)
            if self.ready and number < len(task.wakes) and task.wakes[number]:
                self.set_busy(task, False)
                self.ready.append(task)
                return self.give_up(thread)
            task.skips = True
        self.step(thread, task)

    def wake(self, task, number):
        task.woken.add(number)
        if task.waits_for == number:
            task.waits_for = None
            self.make_ready(task)

    def stops(self, thread, task, what, stream_id, event):
        """True: the task does not go on now."""
        stream = self.streams[stream_id]
        is_late = event is not None and event not in self.reached
        if is_late and event not in self.known:
            self.lost += 1
            is_late = False
        if self.is_blocking:
            drains = stream.is_busy or stream.queue
            if what == "reached" and not is_late or what != "reached" and not drains and not is_late:
                return False
            self.counts["waits"] += 1
            self.waits(stream if drains else None, event if is_late else None,
                       lambda: self.later(self.wait, self.step, thread, task))
            return True
        if not is_late:
            return False
        self.counts["waits"] += 1
        self.waiting[event].append(lambda: self.later(self.wait, self.make_ready, task))
        self.give_up(thread)
        return True

    def waits(self, stream, event, then):
        def after_stream():
            if event is not None and event not in self.reached:
                self.waiting[event].append(then)
            else:
                then()
        if stream:
            stream.drainers.append(after_stream)
        else:
            after_stream()

    # ---- streams ----

    def tell(self, stream_id, command):
        stream = self.streams[stream_id]
        if command[0] == "event":
            self.known.add(command[1])
        stream.queue.append(command)
        if not stream.is_busy:
            self.next_command(stream)

    def next_command(self, stream):
        stream.is_busy = bool(stream.queue)
        if not stream.queue:
            drainers, stream.drainers = stream.drainers, []
            for call in drainers:
                call()
            return
        name, event, size, nanoseconds = stream.queue.popleft()
        if name == "event":
            self.reached.add(event)
            for call in self.waiting.pop(event, []):
                call()
            return self.next_command(stream)
        if name == "wait":
            if event in self.reached or event not in self.known:
                self.lost += event not in self.known and event is not None
                return self.next_command(stream)
            self.waiting[event].append(lambda: self.next_command(stream))
            return
        work = size / self.copy_rate if name == "copy" else nanoseconds / self.speed
        self.counts["launches"] += 1
        self.kernel_time += work
        start = self.launch
        if self.one_at_a_time:
            self.device_free = max(self.device_free, self.now + self.launch) + work
            start, work = self.device_free - self.now, 0
        self.later(start + work, self.next_command, stream)
