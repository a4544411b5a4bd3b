"""Failures with one cause are shown once.

A failure is cut down, and what is left names its cause: the kind of failure, the message, and the
operations of the small statement. Later failures that have the same kind, message and operations are
counted with it; so that a cause that hides behind another is seen, some of them are cut down too.
"""
import copy
from dataclasses import dataclass, field

from .coverage import of_query
from .query import expressions, nodes, walk
from .verdict import general


def signature(case):
    """What tells a failure's cause from others. A crash in one function is one in its like."""
    found = operations(case.query)
    if case.kind == "crash":
        found = {(kind, "any" if kind == "function" else name) for kind, name in found if kind != "join"}
    return found


def operations(query):
    """What a small statement is made of; what is computed from constants alone counts as that."""
    folded = copy.deepcopy(query)
    for q in walk(folded):
        for e in expressions(q):
            for node in nodes(e):
                if node.args and node.op not in ("query", "aggregate", "window", "column") and not node.has_column():
                    node.op, node.args = "constants", []
    return {pair for pair in of_query(folded) if pair[0] in ("function", "aggregate", "window", "form", "join", "set operation", "clause")
            and pair not in (("clause", "no FROM"), ("clause", "path in FROM"))}


@dataclass
class Group:
    case: object  # the smallest that was cut down
    operations: set
    count: int = 1
    cut: int = 1
    seeds: list = field(default_factory=list)

    def covers(self, case, found):
        return self.matches(case) and (self.says_enough or self.operations <= found) and (not self.case.settings or self.settings_of(case))

    @property
    def says_enough(self):
        """Errors: their message names the cause."""
        return self.case.kind in ("internal", "lone error")

    def matches(self, case):
        return self.case.kind == case.kind and (case.kind in ("wrong", "crash", "hang") or general(self.case.why) == general(case.why))

    def settings_of(self, case):
        return all(case.settings.get(k) == v for k, v in self.case.settings.items())


class Groups:
    def __init__(self, most=400):
        self.groups, self.most, self.lost = [], most, 0

    def wants(self, case):
        """Whether a failure should be cut down; else it is counted where it belongs."""
        found = signature(case)
        fitting = [g for g in self.groups if g.covers(case, found)]
        if not fitting:
            return sum(g.cut for g in self.groups) < self.most
        group = max(fitting, key=lambda g: len(g.operations))
        group.count += 1
        # The first, second, fourth, eighth ... of a group is cut down again.
        return group.count & (group.count - 1) == 0 and group.count <= 64

    def add(self, case):
        """A case that was cut down. Returns its group, and whether it is new."""
        found = signature(case)
        for group in self.groups:
            if case.stack and group.case.stack:
                is_same = case.stack == group.case.stack
            else:
                is_same = group.says_enough or group.operations == found
            if group.matches(case) and is_same and bool(group.case.settings) == bool(case.settings):
                group.cut += 1
                if len(case.sql) < len(group.case.sql):
                    group.case = case
                return group, False
        group = Group(case, found, seeds=[case.seed])
        self.groups.append(group)
        return group, True
