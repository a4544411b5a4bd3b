"""Makes tables of TPC-DS's schema (tests/tpcds/schema.txt), DATA_FOLDER/*.parquet, in which TPC-DS's statements find rows.

    tpcds_data.py DATA_FOLDER QUERIES [--scale N] [--seed S]

They are no dsdgen's. The numbers of rows are TPC-DS's at scale factor 1 (store_sales 2.9 million, inventory 11.7 million),
those of facts times the scale, those of customers, addresses, items and catalog pages times its square root, the others as
they are. What values there are of a column, and how many, is as the benchmark describes it as far as it matters to its
statements (10 categories, 92 colors, 1,000 manufacturers, 5 years of sales, more in the last months); text columns have
the constants that a statement of QUERIES (a folder of NN.sql, TPC's texts) compares them with, and others beside them.
Values of different columns are independent but for: lines of an order, which have one buyer, day and place; sales lie by
their day; a return is a tenth of the sales' lines, by the same buyer; prices, which are each other's parts; ids, names and
numbers of brands, classes, categories and manufacturers.

Numbers are DuckDB's hash() of the row's number, the column and the seed: the same rows for the same version of DuckDB, which
writes the files with its defaults.
"""
import argparse, glob, os, re, sys

import duckdb

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/tpcds"))
import data  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("queries")
parser.add_argument("--scale", type=float, default=1)
parser.add_argument("--seed", type=int, default=1)
options = parser.parse_args()
wide = options.scale ** 0.5
ROWS = {"customer": int(100000 * wide), "customer_address": int(50000 * wide), "item": int(18000 * wide),
        "catalog_page": int(11718 * wide), "customer_demographics": 1920800, "household_demographics": 7200,
        "date_dim": 73049, "time_dim": 86400, "promotion": 300, "store": 12, "call_center": 6, "web_site": 30, "web_page": 60,
        "warehouse": 5, "ship_mode": 20, "reason": 35, "income_band": 20}
SALES = {"store_sales": 2880404, "catalog_sales": 1441548, "web_sales": 719384}
LINES = {"store_sales": 12, "catalog_sales": 9, "web_sales": 12}  # of an order
FIRST_DAY, SALE_DAYS, LAST_SALE = 2415022, 1823, 2450816 + 1823  # of 1900-01-02; of sales, from 1998-01-02
VALUES = {"category": 10, "class": 100, "brand": 700, "manufact": 1000, "color": 92, "units": 21, "size": 7, "manager": 100,
          "ca_city": 700, "ca_county": 1800, "ca_state": 51, "zip": 5000, "street_name": 8000, "street_number": 1000,
          "c_first_name": 5000, "c_last_name": 5000, "c_birth_country": 210, "gmt_offset": 4, "cd_gender": 2,
          "marital_status": 5, "education_status": 7, "credit_rating": 4, "buy_potential": 6, "location_type": 3,
          "preferred_cust_flag": 2, "country": 1, "s_state": 2, "s_county": 4, "s_city": 4, "s_market_id": 10,
          "store_name": 6, "carrier": 20, "sm_type": 6, "web_company_name": 6, "meal_time": 4}
NUMBERS = {"manufact_id": (1, 1000), "manager_id": (1, 100), "brand_id": (1, 700), "class_id": (1, 100), "category_id": (1, 10),
           "dep_count": (0, 10), "dep_employed_count": (0, 7), "dep_college_count": (0, 7), "vehicle_count": (-1, 6),
           "birth_day": (1, 28), "birth_month": (1, 12), "birth_year": (1924, 69), "char_count": (100, 7000), "link_count": (2, 24),
           "quantity_on_hand": (0, 1000), "number_employees": (200, 100), "floor_space": (5000000, 4500000),
           "purchase_estimate": (500, 20), "s_market_id": (1, 10), "warehouse_sq_ft": (50000, 900000)}
LINE = {  # of a line of a sale: quantity q, prices w, l, s, coupon c, tax t, shipping h
    "quantity": "q", "wholesale_cost": "w", "list_price": "l", "sales_price": "s", "ext_discount_amt": "(l - s) * q",
    "ext_sales_price": "s * q", "ext_wholesale_cost": "w * q", "ext_list_price": "l * q", "ext_tax": "(s * q - c) * t",
    "coupon_amt": "c", "ext_ship_cost": "l * q * h", "net_paid": "s * q - c", "net_paid_inc_tax": "(s * q - c) * (1 + t)",
    "net_paid_inc_ship": "s * q - c + l * q * h", "net_paid_inc_ship_tax": "(s * q - c) * (1 + t) + l * q * h",
    "net_profit": "s * q - c - w * q"}
RETURN = {  # of a return of r pieces
    "return_quantity": "r", "return_amt": "s * r", "return_amount": "s * r", "return_tax": "s * r * t",
    "return_amt_inc_tax": "s * r * (1 + t)", "fee": "0.5 + 99.5 * f", "return_ship_cost": "l * r * h", "refunded_cash": "s * r * f",
    "reversed_charge": "s * r * (1 - f) * g", "store_credit": "s * r * (1 - f) * (1 - g)",
    "account_credit": "s * r * (1 - f) * (1 - g)", "net_loss": "0.5 + 99.5 * f + l * r * h + s * r * t"}

db = duckdb.connect()
texts = [open(path, encoding="utf-8").read() for path in sorted(glob.glob(os.path.join(options.queries, "*.sql")))]
points, ranges = data.constants(texts)


def salt(name):
    return sum(ord(letter) * 31 ** i for i, letter in enumerate(name)) % 1000003


def number(name, most, row="i"):
    return f"(hash({row}, {salt(name)}, {options.seed}) % {most})::bigint"


def uniform(name, row="i"):
    return f"({number(name, 1 << 30, row)} / {1 << 30})"


def known(table, name, default=None):
    """By the name whole, or without the table's prefix."""
    return table.get(name, table.get(name.split("_", 1)[1], default))


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def text_of(name, rows, index):
    """Texts that have ids beside them are drawn with the same salt as these."""
    end = name.split("_", 1)[1]
    if name == "i_product_name" or end in ("email_address", "url", "login"):
        return f"'{end[:4]}' || i || lower(to_hex(hash(i, 3) % 65536)) || '@example.com'"
    if index == 1 and end.endswith("id"):
        return f"'AAAAAAAA' || lpad(to_hex(i // {2 if name[:2] in ('i_', 's_') else 1}), 8, 'A')"
    if end.endswith("_desc") and rows > 1000 or end == "description":
        return f"repeat('words of {end} ', 3) || to_hex(hash(i, 5))"
    pool = list(dict.fromkeys(p for p in points.get(name, ()) if isinstance(p, str)))
    if end == "zip":
        pool = list(dict.fromkeys(p for p in points.get("ca_zip", ()) if isinstance(p, str)))
    count = max(known(VALUES, name, 20 if rows > 20 else len(pool) or 4), 1)
    pool = pool[:max(count - (count > len(pool)), 1)]
    drawn = number(end, count) if rows > 40 else f"(i * {max(count // max(rows, 1), 1)} % {count})"
    filler = f"lpad(({drawn} * 17 + 10000)::varchar, 5, '0')" if end == "zip" else f"'{end[:8]} ' || {drawn}"
    if end == "desc":
        return "'reason ' || (i + 1)"
    if not pool:
        return filler
    list_ = ", ".join(map(quoted, pool))
    return f"case when {drawn} < {len(pool)} then [{list_}][{drawn} + 1] else {filler} end"


def key_of(name, rows):
    """Of another table; NULL in one row of 25 but for items."""
    for end, target in data.KEY_TABLES:
        if name.endswith(end) or target == "date_dim" and "date_sk" in name:
            key = f"{FIRST_DAY} + 35000 + {number(name, 3000)}" if target == "date_dim" else number(name, ROWS[target])
            if target not in ("date_dim", "time_dim"):
                key = f"1 + {key}"
            return key if "item" in name or rows < 1000 else f"case when {number(name + '?', 25)} > 0 then {key} end"
    raise KeyError(name)


def integer_of(name):
    least, count = known(NUMBERS, name, (None, 0))
    if name == "cd_purchase_estimate":
        return f"500 * (1 + {number(name, 20)})"
    if count:
        return f"{least} + {number(name.split('_', 1)[1].removesuffix('_id'), count)}"
    pool = [int(p) for p in points.get(name, ()) if isinstance(p, float)]
    pool = list(dict.fromkeys(pool + list(range(1, 20))))
    return f"{pool}[1 + {number(name, len(pool))}]"


def decimal_of(name):
    if name.endswith("gmt_offset"):
        return f"-5 - {number(name, 4)}"
    if name.endswith("percentage"):
        return f"{number(name, 12)} / 100"
    price = f"0.09 + 99.9 * pow({uniform('price')}, 3)"
    return f"({price}) * 0.6" if name == "i_wholesale_cost" else price


def dimension_column(table, name, kind, index):
    rows, end = ROWS[table], name.split("_", 1)[1]
    if index == 0:
        return "i + (1)" if table not in ("time_dim",) else "i"
    if table == "time_dim" and end in ("time", "hour", "minute", "second"):
        return {"time": "i", "hour": "i // 3600", "minute": "i // 60 % 60", "second": "i % 60"}[end]
    if table == "time_dim" and end == "meal_time":
        return ("case when i // 3600 between 6 and 8 then 'breakfast' when i // 3600 between 11 and 12 then 'lunch' "
                "when i // 3600 between 17 and 20 then 'dinner' end")
    if table == "income_band":
        return "i * 10000 + 1" if end == "lower_bound" else "(i + 1) * 10000"
    if end.endswith("_sk"):
        return key_of(name, rows)
    if kind == "d":
        return f"date '1997-10-27' + ({number(end, 4)} * 365)::integer" if "start" in end else f"case when i % 2 = 0 then date '2000-10-26' end"
    return text_of(name, rows, index) if kind == "t" else integer_of(name) if kind == "i" else decimal_of(name)


def calendar_column(name, kind):
    day = "(date '1900-01-02' + i::integer)"
    year = f"year({day})"
    end = name[2:]
    return {"date_sk": f"{FIRST_DAY} + i", "date_id": "'AAAAAAAA' || lpad(to_hex(i), 8, 'A')", "date": day,
            "month_seq": f"({year} - 1900) * 12 + month({day}) - 1", "week_seq": "(i + 1) // 7 + 1",
            "quarter_seq": f"({year} - 1900) * 4 + quarter({day})", "year": year, "dow": f"dayofweek({day})",
            "moy": f"month({day})", "dom": f"day({day})", "qoy": f"quarter({day})", "fy_year": year,
            "fy_quarter_seq": f"({year} - 1900) * 4 + quarter({day})", "fy_week_seq": "(i + 1) // 7 + 1",
            "day_name": f"dayname({day})", "quarter_name": f"{year} || 'Q' || quarter({day})", "holiday": "'N'",
            "weekend": f"case when dayofweek({day}) in (0, 6) then 'Y' else 'N' end",
            "following_holiday": "'N'"}.get(end, f"{FIRST_DAY} + i" if kind == "i" else "'N'")


def cast(expression, kind):
    kinds = {"i": "integer", "t": "varchar", "d": "date"}
    return f"({expression})::" + (kinds.get(kind) or "decimal" + kind)


def sale_column(table, name, kind):
    """Over rows i of the order n."""
    end = name.split("_", 1)[1]
    if end in LINE:
        return cast(LINE[end], kind)
    if end in ("ticket_number", "order_number"):
        return cast("n + 1", kind)
    if end == "item_sk":
        return cast(f"1 + {number(name, ROWS['item'])}", kind)
    if end in ("sold_date_sk", "ship_date_sk"):
        late = "" if end == "sold_date_sk" else f" + 2 + {number(name, 119)}"
        return cast(f"case when {number('day?', 25, 'n')} > 0 then day{late} end", kind)
    if end == "sold_time_sk":
        return cast(f"28800 + {number(name, 46800, 'n')}", kind)
    each_line = end in ("promo_sk", "warehouse_sk", "ship_mode_sk", "catalog_page_sk", "web_page_sk")
    key = key_of(name, 1 << 30)
    if end.startswith("ship_") and end.endswith(("customer_sk", "addr_sk", "demo_sk")):  # most to the buyer
        bill = key_of(name.replace("ship_", "bill_"), 1 << 30)
        key = f"case when {number('gift', 8)} > 0 then {bill} else {key} end"
    return cast(key if each_line else re.sub(r"hash\(i,", "hash(n,", key), kind)


def sales(table, columns):
    rows, lines = int(SALES[table] * options.scale), LINES[table]
    orders = rows // lines
    season = f"(n * {SALE_DAYS} // {orders})"  # a third of the days of a year's first months are of its last
    day = (f"2450816 + (case when {season} % 365 < 210 and {number('season', 3, 'n')} = 0 then "
           f"{season} // 365 * 365 + 300 + {number('late', 64, 'n')} else {season} end)")
    prices = (f"select *, case when {number('coupon', 5)} = 0 then s * q * {uniform('off')} else 0 end as c from "
              f"(select *, w * (1 + {uniform('up')}) as l, w * (1 + {uniform('up')}) * {uniform('down')} as s, "
              f"{number('tax', 10)} / 100 as t, 0.5 * {uniform('haul')} as h from "
              f"(select i, n, least({day}, {LAST_SALE}) as day, 1 + {number('pieces', 100)} as q, 1 + 99 * {uniform('cost')} as w from "
              f"(select i, i // {lines} as n from range({rows}) r(i))))")
    return f"select {', '.join(sale_column(table, n, k) + ' as ' + n for n, k in columns)} from ({prices})"


def return_column(table, name, kind, sold):
    end = name.split("_", 1)[1]
    if end in RETURN:
        return cast(RETURN[end], kind)
    prefix, shared = sold.split("_")[0][0] + "s_", end
    if end == "returned_date_sk":
        return cast(f"{prefix}sold_date_sk + 1 + {number(name, 90)}", kind)
    if end in ("item_sk", "ticket_number", "order_number", "customer_sk", "cdemo_sk", "hdemo_sk", "addr_sk", "store_sk",
               "catalog_page_sk", "web_page_sk", "call_center_sk", "ship_mode_sk", "warehouse_sk"):
        return cast(prefix + shared, kind)
    if end.startswith(("refunded_", "returning_")):
        bill = prefix + "bill_" + end.split("_", 1)[1]
        other = key_of(name, 1 << 30)
        return cast(f"case when {number(end.split('_')[0], 5)} > 0 then {bill} else {other} end", kind)
    return cast(key_of(name, 1 << 30), kind)


def returns(table, columns):
    sold = data.RETURNS[table][0]
    prefix = sold[0] + "s_"
    path = os.path.join(options.data, sold + ".parquet")
    parts = (f"select *, {prefix}list_price as l, {prefix}sales_price as s, 1 + {number('back', 1000)} % {prefix}quantity as r, "
             f"{number('tax', 10)} / 100 as t, 0.5 * {uniform('haul')} as h, {uniform('cash')} as f, {uniform('credit')} as g "
             f"from (select *, file_row_number as i from read_parquet('{path}', file_row_number = true)) "
             f"where {number('returned', 10)} = 0")
    return f"select {', '.join(return_column(table, n, k, sold) + ' as ' + n for n, k in columns)} from ({parts})"


def inventory(columns):
    items = ROWS["item"] // 2
    rows = 261 * items * 5
    places = {"inv_date_sk": f"2450815 + i // {items * 5} * 7", "inv_item_sk": f"1 + i // 5 % {items} * 2", "inv_warehouse_sk": "1 + i % 5",
              "inv_quantity_on_hand": f"case when {number('stock?', 20)} > 0 then {number('stock', 1000)} end"}
    return f"select {', '.join(cast(places[n], k) + ' as ' + n for n, k in columns)} from range({rows}) r(i)"


def select(table, columns):
    if table in SALES:
        return sales(table, columns)
    if table in data.RETURNS:
        return returns(table, columns)
    if table == "inventory":
        return inventory(columns)
    made = [cast(calendar_column(n, k) if table == "date_dim" else dimension_column(table, n, k, i), k) + " as " + n
            for i, (n, k) in enumerate(columns)]
    return f"select {', '.join(made)} from range({ROWS[table]}) r(i)"


os.makedirs(options.data, exist_ok=True)
db.execute("set threads = 2")
for table, columns in sorted(data.tables().items(), key=lambda entry: entry[0] in data.RETURNS):
    db.execute(f"copy ({select(table, columns)}) to '{os.path.join(options.data, table + '.parquet')}' (format parquet)")
