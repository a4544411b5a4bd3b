"""SVG plots of the experiments, by hand: nothing to install."""

COLOURS = ["#b2432f", "#dd9a3c", "#6d9dc5", "#2f6b4f", "#7b5ea7", "#888888", "#c2649a", "#4f4f4f"]
LEFT, TOP, HEIGHT = 60, 28, 240


def escape(text):
    return str(text).replace("&", "&amp;").replace("<", "&lt;")


def round_up(most):
    """The least of 1, 2, 2.5, 5 and their tenfolds that is not below."""
    step = 1.0
    while step >= most:
        step /= 10
    while step * 10 < most:
        step *= 10
    return next(step * factor for factor in (1, 2, 2.5, 5, 10) if step * factor >= most)


class Picture:
    """A frame with an axis of values from 0 to `most`."""

    def __init__(self, width, title, most):
        self.width, self.most = width, round_up(most or 1)
        self.parts = [f'<text x="10" y="16" font-weight="bold">{escape(title)}</text>']
        for tick in range(5):
            y, value = self.y(self.most * tick / 4), self.most * tick / 4
            self.parts.append(f'<line x1="{LEFT - 4}" x2="{LEFT + width}" y1="{y}" y2="{y}" stroke="#ddd"/>'
                              f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{value:g}</text>')

    def y(self, value):
        return round(TOP + HEIGHT * (1 - min(value / self.most, 1)), 1)

    def add(self, text):
        self.parts.append(text)

    def below(self, x, text):
        self.add(f'<text x="{x:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{escape(text)}</text>')

    def legend(self, names, colours):
        x = LEFT
        for name, colour in zip(names, colours):
            self.add(f'<rect x="{x}" y="{TOP + HEIGHT + 30}" width="10" height="10" fill="{colour}"/>'
                     f'<text x="{x + 14}" y="{TOP + HEIGHT + 39}">{escape(name)}</text>')
            x += 28 + 7 * len(name)
        self.width = max(self.width, x - LEFT)

    def write(self, path):
        width, height = LEFT + self.width + 20, TOP + HEIGHT + 50
        with open(path, "w") as file:
            file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                       'font-family="sans-serif" font-size="11">\n'
                       f'<rect width="{width}" height="{height}" fill="white"/>\n' +
                       "\n".join(self.parts) + "\n</svg>\n")


def bars(path, title, groups, series, marks=None, bar=None, most=None):
    """groups: names below the axis. series: {name: a value (or None) for each group}. marks: {name: the same},
    drawn as a line across the group. most: where the axis ends; what is more is cut and has its value above it."""
    marks = marks or {}
    bar = bar or max(6, 60 // len(series))
    step = bar * len(series) + 10
    values = [v for s in [*series.values(), *marks.values()] for v in s if v is not None]
    picture = Picture(step * len(groups), title, most or max(values))
    for g, group in enumerate(groups):
        x = LEFT + 5 + g * step
        for s, (name, of_groups) in enumerate(series.items()):
            if of_groups[g] is not None:
                y = picture.y(of_groups[g])
                picture.add(f'<rect x="{x + s * bar}" y="{y}" width="{bar - 1}" height="{TOP + HEIGHT - y:.1f}" '
                            f'fill="{COLOURS[s % 8]}"><title>{escape(name)}: {of_groups[g]:.3f}</title></rect>')
                if of_groups[g] > picture.most:
                    picture.add(f'<text x="{x + s * bar}" y="{TOP - 3}" font-size="9">{of_groups[g]:.1f}</text>')
        for of_groups in marks.values():
            y = picture.y(of_groups[g])
            picture.add(f'<line x1="{x - 2}" x2="{x + bar * len(series) + 1}" y1="{y}" y2="{y}" stroke="black"/>')
        picture.below(x + bar * len(series) / 2, group)
    picture.legend([*series, *marks], [*COLOURS[:len(series)], *["black"] * len(marks)])
    picture.write(path)


def lines(path, title, series, below="", width=560):
    """series: {name: [(x, y), ...]}, x from 0 on."""
    most = max(y for points in series.values() for _, y in points)
    end = max(x for points in series.values() for x, _ in points) or 1
    picture = Picture(width, title, most)
    for s, points in enumerate(series.values()):
        path_text = "L".join(f"{LEFT + width * x / end:.1f} {picture.y(y)}" for x, y in points)
        picture.add(f'<path d="M{path_text}" fill="none" stroke-width="1.5" stroke="{COLOURS[s % 8]}"/>')
        if len(points) < 30:
            for x, y in points:
                picture.add(f'<circle cx="{LEFT + width * x / end:.1f}" cy="{picture.y(y)}" r="2.5" '
                            f'fill="{COLOURS[s % 8]}"/>')
    for tick in range(5):
        picture.below(LEFT + width * tick / 4, f"{end * tick / 4:.3g}" + (f" {below}" if tick == 4 else ""))
    picture.legend(list(series), COLOURS[:len(series)])
    picture.write(path)
