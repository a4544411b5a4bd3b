"""Random choices that can be made again, and made smaller: what an area's scenes and checks are drawn from.

A scene is a function of a list of numbers. A failure is cut down by making the list shorter and its numbers smaller, as
Hypothesis does it: an area has no code for that. So of several choices the simplest stands first, and numbers begin with the least.
"""


class Choices:
    """Numbers from `rng`, or, to do it again, those of `given` and zeros behind them."""

    def __init__(self, rng=None, given=()):
        self.rng, self.given, self.made = rng, list(given), []

    def below(self, n):
        """One of 0 ... n - 1."""
        if self.rng is not None:
            value = self.rng.randrange(n)
        else:
            at = len(self.made)
            value = min(self.given[at], n - 1) if at < len(self.given) else 0
        self.made.append(value)
        return value

    def between(self, least, most):
        return least + self.below(most - least + 1)

    def pick(self, options):
        return options[self.below(len(options))]

    def weighted(self, weights):
        """A key of {key: weight}, whole numbers; the first is the simplest."""
        at = self.below(sum(weights.values()))
        for key, weight in weights.items():
            at -= weight
            if at < 0:
                return key
        raise AssertionError("weights")

    def chance(self, percent):
        return self.below(100) >= 100 - percent  # false is simpler

    def some(self, options, most):
        """Up to `most` different ones, at least one, in the order drawn."""
        rest, found = list(options), []
        for _ in range(self.between(1, min(most, len(rest)))):
            found.append(rest.pop(self.below(len(rest))))
        return found

    def seed(self):
        """Of values that need not be cut down one by one."""
        return self.below(1 << 20)


def smaller(made):
    """Lists that are shorter or smaller than this one, the boldest first."""
    size = max(1, len(made) // 2)
    while True:
        for at in range(0, len(made), size):
            yield made[:at] + made[at + size:]
        if size == 1:
            break
        size //= 2
    for at, value in enumerate(made):
        for lower in sorted({0, value // 2, value - value // 8, value - 1}):
            if 0 <= lower < value:
                yield made[:at] + [lower] + made[at + 1:]
