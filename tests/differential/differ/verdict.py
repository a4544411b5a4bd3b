"""What a statement's outcome means: it agrees, is refused, or is a failure."""
import re
from dataclasses import dataclass

from .compare import differs

# Messages of statements that the program says it does not do. They are counted, and shown by message.
REFUSALS = re.compile(r"not supported|more than \d+ (levels|grouping|sort|pairs)|memory_limit|must be a constant")
# Errors that follow from the data (docs/SQL.md: overflow, division by zero, casts that do not fit).
DATA_ERRORS = re.compile(r"overflow|out of range|division by zero|does not fit|is not a value of type|more than one row|is not representable|"
                         r"square root of|logarithm of|too large|cannot be|negative")
INTERNAL = re.compile(r"internal error|visible here|made twice|break the format|are missing|wrong number of arguments|result needs|plan node|"
                      r"bytes of memory|needs \d{9,}")


@dataclass
class Verdict:
    """kind: agree, refused, both fail, oracle fails, lone error, wrong, internal, crash, hang"""

    kind: str
    why: str = ""

    @property
    def is_failure(self):
        return self.kind in ("wrong", "internal", "crash", "hang", "lone error")


def judge(query, outcome, expected, oracle_error):
    """expected: the oracle's rows, or None where it failed with oracle_error."""
    if outcome.kind == "not run":
        return Verdict("not run")
    if outcome.kind in ("crash", "hang"):
        return Verdict(outcome.kind, outcome.text)
    if outcome.kind == "error":
        if INTERNAL.search(outcome.text):
            return Verdict("internal", outcome.text)
        if REFUSALS.search(outcome.text):
            return Verdict("refused", outcome.text)
        if expected is None:
            return Verdict("both fail", outcome.text)
        if query.is_risky and DATA_ERRORS.search(outcome.text):
            return Verdict("data error", outcome.text)
        return Verdict("lone error", outcome.text)
    if expected is None:
        return Verdict("oracle fails", oracle_error)
    why = outcome.text or differs(query, outcome.rows, expected)
    return Verdict("wrong", why) if why else Verdict("agree")


def general(message):
    """A message without what differs from statement to statement."""
    message = re.sub(r"r\d+\.\w+#\d+|\w+#\d+", "COLUMN", message)
    message = re.sub(r'"[^"]*"', '"..."', message)
    return re.sub(r"-?\d[\d.]*", "N", message)[:150]
