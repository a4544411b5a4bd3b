"""Random data of TPC-DS's schema, in which a set of statements finds rows: values are drawn, most of the time, from the constants
that the statements compare the column with.

    write(folder, statements, seed)      a Parquet file for each table
"""
import datetime
import os
import random
import re

import pyarrow as pa
import pyarrow.parquet as pq
from decimal import Decimal

here = os.path.dirname(os.path.abspath(__file__))
ROWS = {"store_sales": 60000, "catalog_sales": 40000, "web_sales": 40000, "store_returns": 15000, "catalog_returns": 10000,
        "web_returns": 10000, "inventory": 30000, "customer": 300, "customer_address": 200, "customer_demographics": 600,
        "household_demographics": 200, "item": 150, "time_dim": 1440, "promotion": 40, "catalog_page": 60, "store": 12,
        "call_center": 6, "web_site": 6, "web_page": 30, "warehouse": 5, "ship_mode": 10, "reason": 35, "income_band": 20}
FIRST_DAY, DAYS, FIRST_KEY = datetime.date(1998, 1, 1), 1826, 2450815
KEY_TABLES = (("date_sk", "date_dim"), ("time_sk", "time_dim"), ("item_sk", "item"), ("cdemo_sk", "customer_demographics"),
              ("hdemo_sk", "household_demographics"), ("addr_sk", "customer_address"), ("customer_sk", "customer"),
              ("store_sk", "store"), ("promo_sk", "promotion"), ("call_center_sk", "call_center"),
              ("catalog_page_sk", "catalog_page"), ("ship_mode_sk", "ship_mode"), ("warehouse_sk", "warehouse"),
              ("reason_sk", "reason"), ("web_page_sk", "web_page"), ("web_site_sk", "web_site"), ("income_band_sk", "income_band"))
RETURNS = {"store_returns": ("store_sales", ("item_sk", "customer_sk", "ticket_number")),
           "catalog_returns": ("catalog_sales", ("item_sk", "order_number")),
           "web_returns": ("web_sales", ("item_sk", "order_number"))}
CONSTANT = r"(?:CAST\s*\(\s*)?('(?:[^']|'')*'|-?\d+(?:\.\d+)?)"


def tables():
    found = {}
    with open(os.path.join(here, "schema.txt"), encoding="utf-8") as lines:
        for line in lines:
            if not line.startswith("#"):
                name, prefix, *columns = line.split()
                found[name] = [(prefix + c.split(":")[0], c.split(":")[1]) for c in columns]
    return found


def value(text):
    return text[1:-1].replace("''", "'") if text[0] == "'" else float(text)


def constants(statements):
    """By column: values, and pairs that values lie between."""
    points, ranges = {}, {}
    for text in statements:
        for column, low, high in re.findall(r"(\w+)\s+between\s+" + CONSTANT + r"\s+and\s+" + CONSTANT, text, re.I):
            ranges.setdefault(column.lower(), []).append((value(low), value(high)))
        for column, found in re.findall(r"(\w+)\)?\s*(?:=|>=|<=)\s*" + CONSTANT, text, re.I):
            points.setdefault(column.lower(), []).append(value(found))
        for column, found in re.findall(r"(\w+)\s*(?:,\s*1\s*,\s*\d+\s*\))?\s+in\s*\(([^()]*)\)", text, re.I):
            points.setdefault(column.lower(), []).extend(value(v) for v in re.findall(CONSTANT, found))
    return points, ranges


def calendar(names):
    rows = []
    for i in range(DAYS):
        day = FIRST_DAY + datetime.timedelta(i)
        quarter, weekday = (day.month + 2) // 3, (day.weekday() + 1) % 7
        known = {"date_sk": FIRST_KEY + i, "date_id": f"D{i:015}", "date": day, "month_seq": (day.year - 1900) * 12 + day.month - 1,
                 "week_seq": 5113 + (i + 4) // 7, "quarter_seq": (day.year - 1900) * 4 + quarter - 1, "year": day.year, "dow": weekday,
                 "moy": day.month, "dom": day.day, "qoy": quarter, "fy_year": day.year, "day_name": day.strftime("%A"),
                 "quarter_name": f"{day.year}Q{quarter}", "holiday": "N", "weekend": "NY"[weekday in (0, 6)],
                 "following_holiday": "N"}
        rows.append([known.get(n[2:], 0 if t == "i" else "N") for n, t in names])
    return rows


class Maker:
    def __init__(self, statements, seed):
        self.rng = random.Random(seed)
        self.points, self.ranges = constants(statements)

    def key(self, name, table):
        for end, target in KEY_TABLES:
            if name.endswith(end) or (target == "date_dim" and "date_sk" in name):
                if self.rng.random() < 0.03 and "item" not in name:
                    return None
                return FIRST_KEY + self.rng.randrange(DAYS) if target == "date_dim" else self.rng.randrange(ROWS[target])
        return self.rng.randrange(ROWS[table])

    def chosen(self, name, is_text):
        points = [p for p in self.points.get(name, ()) if isinstance(p, str) == is_text]
        ranges = [] if is_text else [r for r in self.ranges.get(name, ()) if isinstance(r[0], float) and isinstance(r[1], float)]
        if not points and not ranges or self.rng.random() < 0.1:
            return None
        pick = self.rng.randrange(len(points) + len(ranges))
        if pick < len(points):
            return points[pick]
        low, high = ranges[pick - len(points)]
        return low + round(self.rng.random() * (high - low), 2)

    def cell(self, name, kind, table):
        rng = self.rng
        found = None if kind == "d" else self.chosen(name, kind == "t")
        if name.endswith("_sk"):
            return self.key(name, table)
        if kind == "d":
            return FIRST_DAY + datetime.timedelta(rng.randrange(DAYS)) if rng.random() < 0.6 else None
        if kind == "t":
            return found if found is not None else None if rng.random() < 0.02 else f"{name[-6:]}{rng.randrange(9)}"
        if kind == "i":
            return int(found) if found is not None else rng.randrange(1, 100)
        return Decimal(str(round(found, 2) if found is not None else rng.randrange(1, 30000) / 100)).quantize(Decimal("0.01"))

    def order(self, number):
        """Of 4 lines most, some of 16."""
        return number // 16 * 4 if number // 48 % 3 == 0 else number // 4

    def same_buyer(self, names, cells, number):
        """The lines of an order have one buyer, day and place."""
        if number and self.order(number) == self.order(number - 1):
            for i, (name, _) in enumerate(names):
                if name.endswith("_sk") and not name.endswith(("item_sk", "promo_sk", "warehouse_sk")):
                    cells[i] = self.last[i]
        self.last = list(cells)

    def row(self, names, table, number, sale):
        cells = [number if i == 0 and n.endswith("_sk") and table in ROWS and table not in RETURNS and "sales" not in table
                 and table != "inventory" else self.cell(n, t, table) for i, (n, t) in enumerate(names)]
        places = {n.split("_", 1)[1]: i for i, (n, t) in enumerate(names)}
        for column in ("ticket_number", "order_number"):
            if column in places and table not in RETURNS:
                cells[places[column]] = self.order(number)
                self.same_buyer(names, cells, number)
        for column, found in (sale or {}).items():
            cells[places[column]] = found
        if table == "time_dim":
            cells[places["time"]], cells[places["hour"]], cells[places["minute"]] = number * 60, number // 60, number % 60
        if names[1][0].endswith("_id") and table not in ("date_dim", "time_dim"):
            cells[1] = f"A{number // 2:015}"
        return cells


def arrow_type(kind):
    return {"i": pa.int32(), "t": pa.string(), "d": pa.date32()}.get(kind) or pa.decimal128(*map(int, kind[1:-1].split(",")))


def write(folder, statements, seed):
    maker, made = Maker(statements, seed), {}
    for table, names in sorted(tables().items(), key=lambda t: t[0] in RETURNS):
        rows = calendar(names) if table == "date_dim" else []
        for number in range(0 if rows else ROWS[table]):
            sale = None
            if table in RETURNS:
                sales, shared = RETURNS[table]
                places = {n.split("_", 1)[1]: i for i, (n, t) in enumerate(tables()[sales])} if number == 0 else places
                found = maker.rng.choice(made[sales])
                sale = {c: found[places[c]] for c in shared if c in places}
            rows.append(maker.row(names, table, number, sale))
        made[table] = rows
        columns = [pa.array([r[i] for r in rows], arrow_type(t)) for i, (n, t) in enumerate(names)]
        pq.write_table(pa.table(columns, [n for n, t in names]), os.path.join(folder, table + ".parquet"))
