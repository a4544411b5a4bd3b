"""One file by one writer, with options that the writer lets one choose, at random. Each function writes a table and returns
what it chose; it may raise: then the writer cannot."""
import os
import subprocess

import pyarrow as pa
import pyarrow.parquet as pq

CODECS = ["NONE", "SNAPPY", "GZIP", "BROTLI", "ZSTD", "LZ4"]


def with_pyarrow(table, path, rng):
    encodings = {}
    use_dictionary = rng.random() < 0.5
    for field in table.schema:
        choices = ["PLAIN"]
        if pa.types.is_integer(field.type) and field.type.bit_width >= 32 or pa.types.is_temporal(field.type):
            choices += ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"]
        elif pa.types.is_floating(field.type):
            choices += ["BYTE_STREAM_SPLIT"]
        elif pa.types.is_string(field.type) or pa.types.is_binary(field.type):
            choices += ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]
        elif pa.types.is_fixed_size_binary(field.type):
            choices += ["BYTE_STREAM_SPLIT", "DELTA_BYTE_ARRAY"]
        elif pa.types.is_boolean(field.type):
            choices += ["RLE"]
        encodings[field.name] = rng.choice(choices)
    options = {
        "version": rng.choice(["1.0", "2.4", "2.6"]),
        "data_page_version": rng.choice(["1.0", "2.0"]),
        "compression": rng.choice(CODECS),
        "use_dictionary": use_dictionary,
        "column_encoding": None if use_dictionary else encodings,
        "write_statistics": rng.choice([True, True, False, table.column_names[:2]]),
        "data_page_size": rng.choice([1, 100, 2 ** 20]),
        "write_batch_size": rng.choice([1, 64, 1024]),
        "dictionary_pagesize_limit": rng.choice([1, 200, 2 ** 20]),
        "row_group_size": rng.choice([1, 100, 2 ** 20]) if table.num_rows < 50 else rng.choice([100, 2 ** 20]),
        "write_page_index": rng.random() < 0.5,
        "write_page_checksum": rng.random() < 0.5,
        "store_schema": rng.random() < 0.5,
        "store_decimal_as_integer": rng.random() < 0.5,
        "use_deprecated_int96_timestamps": rng.random() < 0.15,
    }
    pq.write_table(table, path, **options)
    return options


def with_polars(table, path, rng):
    import polars

    options = {
        "compression": rng.choice(["uncompressed", "snappy", "gzip", "brotli", "zstd", "lz4"]),
        "statistics": rng.choice([True, False, "full"]),
        "row_group_size": rng.choice([None, 100, 1000]),
        "data_page_size": rng.choice([None, 100, 10000]),
    }
    frame = polars.from_arrow(table)
    if rng.random() < 0.2 and "few" in frame.columns:
        frame = frame.with_columns(polars.col("few").cast(polars.Categorical))
    frame.write_parquet(path, **options)
    return options


def with_fastparquet(table, path, rng):
    import fastparquet

    options = {
        "compression": rng.choice(["UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "LZ4_RAW"]),
        "has_nulls": rng.choice([True, "infer"]),
        "stats": rng.choice([True, False, "auto"]),
        "times": rng.choice(["int64", "int64", "int96"]),
        "row_group_offsets": rng.choice([100, 5000]),
    }
    frame = table.to_pandas(types_mapper=None)
    for name in list(frame.columns):
        if str(frame[name].dtype) in ("str", "string"):
            frame[name] = frame[name].astype(object)
        if name in ("date", "time", "dec4", "dec15", "dec38", "blob", "fixed", "null", "bool"):
            del frame[name]
    if rng.random() < 0.3 and "few" in frame.columns:
        frame["few"] = frame["few"].astype("category")
    if not len(frame.columns):
        raise ValueError("no column left")
    fastparquet.write(path, frame, object_encoding="utf8", **options)
    return options


def with_duckdb(table, path, rng):
    import duckdb

    codec = rng.choice(["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"])
    options = [f"compression {codec}", f"parquet_version {rng.choice(['v1', 'v2'])}"]
    if rng.random() < 0.5:
        options.append(f"row_group_size {rng.choice([100, 2048, 10000])}")
    if rng.random() < 0.5:
        options.append(f"dictionary_size_limit {rng.choice([1, 10, 100000])}")
    if rng.random() < 0.3:
        options.append("write_bloom_filter false")
    connection = duckdb.connect()
    connection.register("t", table)
    connection.execute(f"COPY (SELECT * FROM t) TO '{path}' (FORMAT parquet, {', '.join(options)})")
    return options


def with_clickhouse(table, path, rng):
    import chdb

    settings = {
        "output_format_parquet_compression_method": f"'{rng.choice(['none', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4'])}'",
        "output_format_parquet_version": f"'{rng.choice(['1.0', '2.4', '2.6', '2.latest'])}'",
        "output_format_parquet_row_group_size": rng.choice([100, 1000000]),
        "output_format_parquet_use_custom_encoder": rng.choice([0, 1]),
        "output_format_parquet_data_page_size": rng.choice([100, 1048576]),
        "output_format_parquet_write_page_index": rng.choice([0, 1]),
        "output_format_parquet_string_as_string": 1,
        "output_format_parquet_fixed_string_as_fixed_byte_array": rng.choice([0, 1]),
    }
    source = path + ".source"
    pq.write_table(table, source)
    try:
        listed = ", ".join(f"{name} = {value}" for name, value in settings.items())
        chdb.query(f"INSERT INTO FUNCTION file('{path}', 'Parquet') SELECT * FROM file('{source}', 'Parquet') "
                   f"SETTINGS {listed}, engine_file_truncate_on_insert = 1")
    finally:
        os.unlink(source)
    return settings


def with_datafusion(table, path, rng):
    import datafusion

    options = {
        "compression": rng.choice(["uncompressed", "snappy", "gzip(6)", "brotli(3)", "zstd(3)", "lz4_raw"]),
        "writer_version": rng.choice(["1.0", "2.0"]),
        "dictionary_enabled": rng.choice(["true", "false"]),
        "statistics_enabled": rng.choice(["none", "chunk", "page"]),
        "data_page_row_count_limit": rng.choice([10, 20000]),
        "data_pagesize_limit": rng.choice([100, 1048576]),
        "dictionary_page_size_limit": rng.choice([100, 1048576]),
        "max_row_group_size": rng.choice([100, 1048576]),
        "bloom_filter_on_write": rng.choice(["true", "false"]),
        "column_index_truncate_length": rng.choice([1, 64]),
        "statistics_truncate_length": rng.choice([1, 64]),
    }
    context = datafusion.SessionContext()
    context.register_record_batches("t", [table.to_batches() or [pa.RecordBatch.from_pylist([], table.schema)]])
    listed = ", ".join(f"'format.{name}' '{value}'" for name, value in options.items())
    context.sql(f"COPY (SELECT * FROM t) TO '{path}' STORED AS PARQUET OPTIONS ({listed})").collect()
    return options


# ---- Pistachio itself ----

PROGRAM = None


def pistachio(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise ValueError(done.stderr)


def with_source(table, path, work):
    source = path + ".source"
    pq.write_table(table, source)
    try:
        work(source)
    finally:
        os.unlink(source)


def with_copy(table, path, rng):
    options = [f"CODEC {rng.choice(['none', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4_raw'])}"]
    if rng.random() < 0.6:
        options.append(f"ROW_GROUP_SIZE {rng.choice([64, 1000, 100000])}")
    with_source(table, path, lambda source: pistachio(
        "-c", f"COPY (SELECT * FROM '{source}') TO '{path}' (FORMAT parquet, {', '.join(options)})"))
    return options


def with_rewrite(table, path, rng):
    options = ["--page-version", rng.choice(["1", "2"]), "--encoding", rng.choice(
        ["v1", "v2", "plain", "dictionary", "delta", "delta_length", "delta_bytes", "split", "rle"])]
    options += ["--codec", rng.choice(["none", "snappy", "lz4_raw", "zstd(1)", "gzip(1)", "brotli(1)", "optimal"])]
    options += rng.choice([[], ["--page-rows", "64"], ["--page-size", "1000"], ["--pages", "5"]])
    options += rng.choice([[], ["--row-group-rows", "512"], ["--row-groups", "3"]])
    options += [flag for flag in ("--no-page-index", "--no-statistics", "--no-checksums") if rng.random() < 0.2]
    if rng.random() < 0.3:
        options += ["--bloom", table.column_names[0]]
    with_source(table, path, lambda source: pistachio("rewrite", *options, source, path))
    return options


WRITERS = {"pyarrow": with_pyarrow, "polars": with_polars, "fastparquet": with_fastparquet, "duckdb": with_duckdb,
           "clickhouse": with_clickhouse, "datafusion": with_datafusion, "copy": with_copy, "rewrite": with_rewrite}
OURS = ("copy", "rewrite")
SHARES = {"pyarrow": 4, "polars": 2, "fastparquet": 1, "duckdb": 2, "clickhouse": 2, "datafusion": 3, "copy": 2, "rewrite": 4}
