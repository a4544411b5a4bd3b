"""The program's own lists of what there is, read from its sources: what coverage is measured against."""
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "..", "..", ".."))


def find_source(name):
    for folder, _, names in os.walk(os.path.join(ROOT, "src")):
        if name in names:
            return os.path.join(folder, name)
    raise SystemExit(f"there is no {name} below src")


def read_list(file_name, macro):
    """The arguments of each line that begins MACRO(...), without quotes. `macro`: a regular expression."""
    with open(find_source(file_name), encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    text = re.sub(r'"\s*\n?\s*"', lambda m: m.group(0) if m.group(0) == '""' else "", text)
    found = []
    for match in re.finditer(rf"^{macro}\(((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*)\)", text, flags=re.M):
        parts = re.findall(r'"((?:[^"]*))"|([^,\s"][^,"]*)', match.group(1))
        found.append([quoted if not bare else bare.strip() for quoted, bare in parts])
    return found


def functions():
    """Names of the operations of expressions: ADD, LIKE ..."""
    return [row[0] for row in read_list("functions.def", "FUNCTION")]


def aggregates():
    return [row[0] for row in read_list("aggregates.def", "AGGREGATE")]


def windows():
    return [row[0] for row in read_list("windows.def", "WINDOW_FUNCTION")]


def settings():
    """name: (kind, default, minimum, choices)"""
    return {row[0]: (row[1], row[2], row[3], [c for c in row[5].split("|") if c])
            for row in read_list("settings.def", "SETTING(?:_OF_[A-Z]+)?")}


def quoted_of(function, file_name):
    """The texts in a function's body that are in its table of names."""
    with open(find_source(file_name), encoding="utf-8") as file:
        text = file.read()
    body = re.search(rf"\b{function}\([^;{{]*\)\s*{{(.*?)\n}}", text, flags=re.S)
    return re.findall(r'"([^"]+)"', body.group(1)) if body else []


def plan_nodes():
    """Names of plan nodes, of joins and of exchanges, as EXPLAIN prints them."""
    kinds = [row[2] for row in read_list("nodes.def", "PLAN_NODE")]
    named = quoted_of("plan_join_name", "plan.c") + quoted_of("plan_exchange_name", "plan.c")
    return [name for name in kinds if name not in ("join", "exchange")] + named


def optimizer_rules():
    """Names of what may be left out."""
    rules = [row[0] for row in read_list("optimizer_rules.def", "RULE") if row[1] == "false"]
    return rules + [row[0] for row in read_list("optimizer_rules.def", "PART")]
