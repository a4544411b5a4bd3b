"""One engine in a process of its own: `peer.py ENGINE DATA_FOLDER THREADS [--arrow]`.

Reads one JSON string (SQL) a line, answers one JSON line each: {"s": seconds, "cpu": seconds of processor time,
"rows": [[text or null]], "peak": MiB of resident memory so far} or {"error": text}. Time is from the text to all rows in
this process; opening the files' footers anew is part of it only where the engine does not keep them. --arrow: the result is a
table of Arrow, of the engines that give one, and its rows are made of it when the clock has stopped. Hyper writes Arrow's
stream format to a file in memory, or makes Python's rows: for each statement what took less time when it was first asked.
"""
import glob, json, os, re, resource, sys, time

engine, data, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
is_arrow = "--arrow" in sys.argv
os.environ["POLARS_MAX_THREADS"] = str(threads)
tables = {os.path.basename(path)[: -len(".parquet")]: path
          for path in sorted(glob.glob(os.path.join(data, "*.parquet")))}


def duckdb_run(connection):
    def run(sql):
        relation = connection.sql(sql) if is_arrow else None
        return relation.to_arrow_table() if relation else connection.execute(sql).fetchall()
    return run


def start_duckdb():
    import duckdb
    connection = duckdb.connect()
    connection.execute(f"set threads={threads}")
    connection.execute("set timezone='UTC'")
    for name, path in tables.items():
        connection.execute(f"create view {name} as select * from '{path}'")
    return duckdb_run(connection)


def start_duckdb_tables():
    """DuckDB's own tables, loaded once into a database beside the data."""
    import duckdb
    path = os.path.join(data, f"tables-{duckdb.__version__}.duckdb")
    if not os.path.exists(path):
        made = duckdb.connect(path + ".new")
        for name, parquet in tables.items():
            made.execute(f"create table {name} as select * from '{parquet}'")
        made.close()
        os.rename(path + ".new", path)
    connection = duckdb.connect(path, read_only=True)
    connection.execute(f"set threads={threads}")
    connection.execute("set timezone='UTC'")
    return duckdb_run(connection)


def hyper_arrow(connection, sql):
    """The result as Arrow, by way of a file in memory: the interface gives Python's rows alone."""
    import pyarrow
    path = f"/dev/shm/hyper-{os.getpid()}.arrow"
    connection.execute_command(f"copy ({sql}) to '{path}' with (format => 'arrowstream')")
    with pyarrow.memory_map(path) as file, pyarrow.ipc.open_stream(file) as stream:
        table = stream.read_all()
    os.unlink(path)
    return table


def start_hyper():
    """Hyper's own tables, loaded once into a file beside the data. Its threads are a setting of its process."""
    import tableauhyperapi as hyper
    path = os.path.join(data, f"tables-{hyper.__version__}.hyper")
    settings = {"log_config": "", "hard_concurrent_query_thread_limit": f"{threads}"}
    process = hyper.HyperProcess(hyper.Telemetry.DO_NOT_SEND_USAGE_DATA_TO_TABLEAU, parameters=settings)
    if not os.path.exists(path):
        with hyper.Connection(process.endpoint, path + ".new", hyper.CreateMode.CREATE_AND_REPLACE) as made:
            for name, parquet in tables.items():
                made.execute_command(f"create table {name} as (select * from external('{os.path.abspath(parquet)}', format => 'parquet'))")
        os.rename(path + ".new", path)
    connection = hyper.Connection(process.endpoint, path)
    ways = [lambda sql: connection.execute_list_query(sql)]
    if is_arrow:
        ways.append(lambda sql: hyper_arrow(connection, sql))
    tried = {}
    def run(sql, keeps_running=process):
        sql = sql.strip().rstrip(";")
        seconds = tried.setdefault(sql, [])
        if len(seconds) < 2 * len(ways):  # the first time of each is not counted: what is read then stays in memory
            way, since = ways[len(seconds) % len(ways)], time.perf_counter()
            rows = way(sql)
            seconds.append(time.perf_counter() - since)
            return rows
        least = seconds[len(ways):]
        return ways[least.index(min(least))](sql)
    return run


def start_pistachio():
    from adbc_driver_manager import dbapi
    library = os.environ.get("PISTACHIO_LIBRARY", os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                                               "../build/release/libpistachio.so.0"))
    connection = dbapi.connect(driver=library, autocommit=True,
                               db_kwargs={"uri": os.path.abspath(data), "pistachio.threads": str(threads)})
    def run(sql):
        with connection.cursor() as cursor:
            cursor.execute(sql)
            if not cursor.description:
                return [[None]]
            return cursor.fetch_arrow_table() if is_arrow else cursor.fetchall()
    return run


def start_polars():
    import polars
    context = polars.SQLContext({name: polars.scan_parquet(path) for name, path in tables.items()})
    return lambda sql: context.execute(sql).collect(engine="streaming").rows()


def start_chdb():
    import chdb.session
    session = chdb.session.Session()
    session.query(f"set max_threads={threads}")
    session.query("set join_use_nulls=1")
    for name, path in tables.items():
        session.query(f"create view {name} as select * from file('{path}', Parquet)")
    def run(sql):
        text = str(session.query(sql, "JSONCompactStringsEachRow"))
        return [json.loads(line) for line in text.splitlines()]
    return run


def start_datafusion():
    import datafusion
    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(threads))
    for name, path in tables.items():
        context.register_parquet(name, path)
    def run(sql):
        batches = context.sql(sql).collect()
        return [list(row.values()) for batch in batches for row in batch.to_pylist()]
    return run


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def rows_of(result):
    """The rows of a table of Arrow; those that are rows already."""
    return list(zip(*(column.to_pylist() for column in result.columns))) if hasattr(result, "to_pylist") else result


run = globals()[f"start_{engine}"]()
for line in sys.stdin:
    try:
        started, used = time.perf_counter(), processor_seconds()
        rows = run(json.loads(line))
        seconds, used = time.perf_counter() - started, processor_seconds() - used
        # A date may come as a timestamp of midnight, and UTC is written in two ways.
        text = [[None if v is None else re.sub(r" 00:00:00(\.0+)?$|(?<=:\d\d\+00):00$", "", str(v)) for v in row] for row in rows_of(rows)]
        answer = {"s": seconds, "cpu": used, "rows": text}
    except BaseException as problem:
        answer = {"error": " ".join(str(problem).split())[:300]}
    answer["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps(answer), flush=True)
