"""A script of psql's, cut into statements, commands that begin with a backslash, and rows that COPY reads."""
import re

TOKEN = re.compile(
    r"(?P<space>\s+|--[^\n]*)|(?P<comment>/\*)|(?P<text>[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*')|(?P<name>\"(?:[^\"]|\"\")*\")"
    r"|(?P<dollar>\$(?:[A-Za-z_]\w*)?\$)|(?P<command>\\[^\n]*)|(?P<end>;)|(?P<word>[A-Za-z_]\w*)|(?P<other>.)", re.S)


def comment_end(text, at):
    depth = 0
    for mark in re.finditer(r"/\*|\*/", text[at:]):
        depth += 1 if mark[0] == "/*" else -1
        if not depth:
            return at + mark.end()
    return len(text)


def token_end(text, found):
    if found.lastgroup == "comment":
        return comment_end(text, found.start())
    if found.lastgroup == "dollar":
        close = text.find(found[0], found.end())
        return len(text) if close < 0 else close + len(found[0])
    return found.end()


def depth_after(words, depth):
    """How many of BEGIN ATOMIC and its CASEs are open: no semicolon ends the statement in them."""
    if words[-2:] == ["begin", "atomic"] or (depth and words[-1] == "case"):
        return depth + 1
    return depth - 1 if depth and words[-1] == "end" else depth


def pieces(text):
    """Yields (kind, text): statement, command (a statement may end in one, such as \\gset) or rows."""
    start, at, depth, words = 0, 0, 0, []
    while at < len(text):
        found = TOKEN.match(text, at)
        kind, at = found.lastgroup, token_end(text, found)
        if kind == "word":
            words.append(found[0].lower())
            depth = depth_after(words, depth)
        elif kind == "command" or (kind == "end" and not depth):
            yield ("command" if kind == "command" else "statement"), text[start:at].strip()
            if kind == "end" and words[:1] == ["copy"] and "from" in words and {"stdin", "stdout"} & set(words):
                stop = re.compile(r"^\\\.\n", re.M).search(text, at)
                stop = stop.end() if stop else len(text)
                yield "rows", text[at:stop].lstrip("\n")
                at = stop
            start, words, depth = at, [], 0
