"""What ADBC tells of a database: GetInfo, GetObjects, GetTableTypes, GetTableSchema, GetStatistics; options of all four
types. What is expected is what pyarrow wrote into the files."""
import os
import platform
import subprocess
import sys
import tempfile
import unittest

import adbc_driver_manager
import pyarrow
import pyarrow.parquet
from adbc_driver_manager import dbapi

from client import LIBRARY, connect


def objects(connection, **options):
    return connection.adbc_get_objects(**options).read_all().to_pylist()


def tables_of(found):
    return {t["table_name"]: t for t in found[0]["catalog_db_schemas"][0]["db_schema_tables"]}


class Catalog(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        table = pyarrow.table({"i": pyarrow.array([3, None, 5], pyarrow.int32()), "s": ["a", "b", None],
                               "d": pyarrow.array([1, 2, 3], pyarrow.decimal128(9, 2))})
        for name in ("one", "two", "other"):
            pyarrow.parquet.write_table(table, os.path.join(folder.name, name + ".parquet"))
        self.c = connect(folder.name)
        self.addCleanup(self.c.close)
        with self.c.cursor() as cursor:
            cursor.execute("create view v as select i + 1 as j from one")

    def test_info(self):
        info = self.c.adbc_get_info()
        self.assertEqual(info["vendor_name"], "Pistachio")
        self.assertEqual(info["driver_adbc_version"], 1001000)
        self.assertEqual((info[3], info[4]), (True, False))  # SQL, Substrait

    def test_table_types(self):
        self.assertEqual(self.c.adbc_get_table_types(), ["table", "view"])

    def test_depths(self):
        self.assertEqual(objects(self.c, depth="catalogs"), [{"catalog_name": None, "catalog_db_schemas": None}])
        self.assertEqual(objects(self.c, depth="db_schemas"), [{"catalog_name": None, "catalog_db_schemas": [
            {"db_schema_name": None, "db_schema_tables": None}]}])
        tables = tables_of(objects(self.c, depth="tables"))
        self.assertEqual({name: t["table_type"] for name, t in tables.items()},
                         {"one": "table", "other": "table", "two": "table", "v": "view"})
        self.assertIsNone(tables["one"]["table_columns"])
        tables = tables_of(objects(self.c, depth="all"))
        columns = tables["one"]["table_columns"]
        self.assertEqual([(c["column_name"], c["ordinal_position"], c["xdbc_type_name"], c["xdbc_is_nullable"])
                          for c in columns],
                         [("i", 1, "integer", "YES"), ("s", 2, "varchar", "YES"), ("d", 3, "decimal(9,2)", "NO")])
        self.assertEqual([c["column_name"] for c in tables["v"]["table_columns"]], ["j"])
        self.assertEqual(tables["one"]["table_constraints"], [])

    def test_filters(self):
        def names(**options):
            found = objects(self.c, depth="tables", **options)
            return sorted(tables_of(found)) if found and found[0]["catalog_db_schemas"] else None
        self.assertEqual(names(table_name_filter="o%"), ["one", "other"])
        self.assertEqual(names(table_name_filter="_w_"), ["two"])
        self.assertEqual(names(table_name_filter="%e%r%"), ["other"])
        self.assertEqual(names(table_name_filter="O%"), [])
        self.assertEqual(names(table_types_filter=["view"]), ["v"])
        self.assertEqual(names(table_types_filter=["nonsense"]), [])
        self.assertIsNone(names(catalog_filter="x"))
        self.assertIsNone(names(db_schema_filter="x"))
        self.assertEqual(len(names(catalog_filter="%", db_schema_filter="")), 4)
        tables = tables_of(objects(self.c, depth="all", column_name_filter="_"))
        self.assertEqual([c["column_name"] for c in tables["two"]["table_columns"]], ["i", "s", "d"])
        tables = tables_of(objects(self.c, depth="all", column_name_filter="s"))
        self.assertEqual([c["column_name"] for c in tables["two"]["table_columns"]], ["s"])

    def test_table_schema(self):
        self.assertEqual(self.c.adbc_get_table_schema("one").names, ["i", "s", "d"])
        with self.assertRaises(dbapi.Error):
            self.c.adbc_get_table_schema("nosuch")
        with self.assertRaises(dbapi.Error):
            self.c.adbc_get_table_schema("one", db_schema_filter="x")

    def test_statistics(self):
        if not hasattr(self.c, "adbc_get_statistics"):
            self.skipTest("this driver manager has no statistics")
        found = self.c.adbc_get_statistics(table_name_filter="one").read_all().to_pylist()
        rows = {(s["column_name"], s["statistic_key"]): s["statistic_value"]
                for s in found[0]["catalog_db_schemas"][0]["db_schema_statistics"]}
        self.assertEqual(rows[(None, 6)], 3)
        self.assertEqual([rows[("i", key)] for key in (3, 4, 5)], [5, 3, 1])
        self.assertEqual(rows[("s", 5)], 1)

    def test_options_of_each_type(self):
        c = self.c.adbc_connection
        c.set_options(**{"pistachio.read_ahead": "1MiB"})
        self.assertEqual(c.get_option("pistachio.read_ahead"), "1MiB")
        self.assertEqual(c.get_option_bytes("pistachio.read_ahead"), b"1MiB")
        with self.assertRaisesRegex(adbc_driver_manager.Error, "not a number"):
            c.get_option_int("pistachio.read_ahead")
        c.set_options(**{"pistachio.arrow_decimal": 64})
        self.assertEqual(c.get_option_int("pistachio.arrow_decimal"), 64)
        self.assertEqual(c.get_option_float("pistachio.arrow_decimal"), 64.0)
        self.assertEqual(c.get_option("adbc.connection.autocommit"), "true")
        self.assertEqual(c.get_option("adbc.connection.readonly"), "false")
        with self.assertRaisesRegex(adbc_driver_manager.Error, "only be"):
            c.set_options(**{"adbc.connection.readonly": "true"})
        with self.assertRaisesRegex(adbc_driver_manager.Error, "not set"):
            c.get_option("nonsense")

    def test_by_uri_and_path(self):
        for options in ({"uri": "pistachio:" + self.folder_path()}, {"uri": self.folder_path()},
                        {"path": self.folder_path()}):
            with dbapi.connect(driver=LIBRARY, db_kwargs=options, autocommit=True) as c, c.cursor() as cursor:
                cursor.execute("select count(*) from two")
                self.assertEqual(cursor.fetchone(), (3,))

    def test_by_manifest(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(os.path.dirname(__file__), "..", "..", "cmake", "pistachio.toml.in")) as file:
                text = file.read().replace("@version@", "1.0").replace("@library@", LIBRARY)
            machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
            with open(os.path.join(folder, "pistachio.toml"), "w") as file:
                file.write(text.replace("@machine@", machine))
            ran = subprocess.run([sys.executable, "-c", "from adbc_driver_manager import dbapi\n"
                                  "print(dbapi.connect(driver='pistachio', autocommit=True).adbc_get_info()['vendor_name'])"],
                                 env={**os.environ, "ADBC_DRIVER_PATH": folder}, capture_output=True, text=True)
            if "NOT_FOUND" in ran.stderr and "manifest" not in ran.stderr:
                self.skipTest("this driver manager reads no manifests")
            self.assertEqual(ran.stdout, "Pistachio\n", ran.stderr)

    def folder_path(self):
        return self.c.adbc_database.get_option("path")


if __name__ == "__main__":
    unittest.main()
