"""Writes generated.sql and generated.txt: sums over TPC-H data of scale factor 0.01 that is not ours.

    expect.py FOLDER     of *.parquet files, as DuckDB's `CALL dbgen(sf=0.01)` and COPY make them
"""
import os, sys
import duckdb
here = os.path.dirname(os.path.abspath(__file__))
c = duckdb.connect()
out, exp = [], []
for t in 'region nation supplier customer part partsupp orders lineitem'.split():
    c.execute(f"create view {t} as from '{sys.argv[1]}/{t}.parquet'")
    cols = c.execute(f"describe {t}").fetchall()
    parts = ['count(*)']
    for n, ty, *_ in cols:
        if ty == 'VARCHAR':
            parts += [f'sum(length({n}))',f'min({n})',f'max({n})',f'count(distinct {n})']
        elif ty == 'DATE':
            parts += [f'min({n})',f'max({n})',f"sum({n} - date '1992-01-01')"]
        else:
            parts += [f'sum({n})',f'min({n})',f'max({n})',f'count(distinct {n})']
    q = f"select {', '.join(parts)} from {t}"
    out.append(q+';')
    exp.append('|'.join(str(v) for v in c.execute(q).fetchall()[0]))
# rows as wholes: which values stand beside each other
q = "select l_linenumber, l_shipmode, sum(l_orderkey * l_partkey % 1009 * l_suppkey), sum(l_extendedprice * l_tax), sum(length(l_comment) * l_orderkey) from lineitem group by 1, 2 order by 1, 2"
out.append(q+';'); exp += ['|'.join(str(v) for v in r) for r in c.execute(q).fetchall()]
q = "select substring(o_clerk, 1, 13), o_orderstatus, sum(o_custkey * o_orderkey), sum(o_totalprice), min(o_comment) from orders group by 1, 2 order by 1, 2"
out.append(q+';'); exp += ['|'.join(str(v) for v in r) for r in c.execute(q).fetchall()]
open(os.path.join(here, 'generated.sql'),'w').write('-- What DuckDB answers over the data of its own dbgen is in generated.txt.\n'+'\n'.join(out)+'\n')
open(os.path.join(here, 'generated.txt'),'w').write('\n'.join(exp)+'\n')
