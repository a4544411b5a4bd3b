#!/usr/bin/env python3
"""What Grafana, Metabase and DBeaver ask first, of a server with a table and a view: relations, columns, functions and forms are
those of their public sources (Grafana's postgresMetaQuery.ts, Metabase's postgres.clj, DBeaver's model of PostgreSQL); by the simple
and by the extended query. tools.py PROGRAM"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import Server, check, finish  # noqa: E402  pylint: disable=wrong-import-position
from wire import Client, SYNC, bind, execute, failures, parse, rows  # noqa: E402  pylint: disable=wrong-import-position

# The schemas that need no name, as Grafana finds them.
NEAR = """quote_ident(table_schema) in (select case when trim(s[i]) = '"$user"' then user else trim(s[i]) end
    from generate_series(array_lower(string_to_array(current_setting('search_path'), ','), 1),
                         array_upper(string_to_array(current_setting('search_path'), ','), 1)) as i,
         string_to_array(current_setting('search_path'), ',') s)"""
NAMED = "'\"' || t.space || '\".\"' || t.name || '\"'"

# A statement, and its rows; None: however many.
GRAFANA = (
    ("select current_setting('server_version_num')::int / 100 as version", [['1500']]),
    ("select extversion from pg_extension where extname = 'timescaledb'", []),
    ("select schema_name as name from information_schema.schemata where schema_name not in ('information_schema', 'pg_catalog') "
     'order by schema_name', [['public']]),
    ("select case when %s then quote_ident(table_name) else quote_ident(table_schema) || '.' || quote_ident(table_name) end as \"table\" "
     "from information_schema.tables where quote_ident(table_schema) not in ('information_schema', 'pg_catalog') "
     'order by case when %s then 0 else 1 end, 1' % (NEAR, NEAR), [['"Seen"'], ['things']]),
    ("select quote_ident(table_name) as \"table\" from information_schema.tables where quote_ident(table_schema) = 'public' order by 1",
     [['"Seen"'], ['things']]),
    ("select quote_ident(column_name) as \"column\", data_type as \"type\" from information_schema.columns where case when "
     "array_length(parse_ident('things'), 1) = 2 then quote_ident(table_schema) = (parse_ident('things'))[1] and "
     "quote_ident(table_name) = (parse_ident('things'))[2] else quote_ident(table_name) = 'things' and %s end" % NEAR,
     [['id', 'integer'], ['name', 'text']]),
    ("select floor(extract(epoch from at) / 60) * 60 as \"time\", avg(id) as id from (select timestamp '2020-01-01 00:01:10' as at, id "
     "from things) t where at between '2020-01-01T00:00:00Z' and '2020-01-02T00:00:00Z' group by 1 order by 1", [['1577836860', '2']]),
)

METABASE = (
    ('show timezone', [['UTC']]),
    ('select nspname, typname from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.oid in (select distinct enumtypid '
     'from pg_enum e)', []),
    ("select n.nspname as schema, c.relname as name, case c.relkind when 'r' then 'TABLE' when 'v' then 'VIEW' else null end as type, "
     'd.description, s.n_live_tup from pg_catalog.pg_class c join pg_catalog.pg_namespace n on c.relnamespace = n.oid '
     "left join pg_catalog.pg_description d on c.oid = d.objoid and d.objsubid = 0 and d.classoid = 'pg_class'::regclass "
     'left join pg_stat_user_tables s on n.nspname = s.schemaname and c.relname = s.relname '
     "where c.relnamespace = n.oid and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and c.relkind in "
     "('r', 'p', 'v', 'f', 'm') and n.nspname in ('public') order by type, schema, name",
     [['public', 'things', 'TABLE', None, None], ['public', 'Seen', 'VIEW', None, None]]),
    ("select c.column_name, case when c.udt_schema in ('public', 'pg_catalog') then format('%s', c.udt_name) else "
     "format('\"%s\".\"%s\"', c.udt_schema, c.udt_name) end, c.ordinal_position - 1, pk.column_name is not null, "
     "col_description(cast(cast(format('%I.%I', cast(c.table_schema as text), cast(c.table_name as text)) as regclass) as oid), "
     "c.ordinal_position), (column_default is null or lower(column_default) = 'null') and is_nullable = 'NO' and not "
     "((column_default is not null and column_default like '%nextval(%') or is_identity <> 'NO') "
     'from information_schema.columns c left join (select tc.table_schema, tc.table_name, kc.column_name '
     'from information_schema.table_constraints tc join information_schema.key_column_usage kc on tc.constraint_name = '
     'kc.constraint_name and tc.table_schema = kc.table_schema and tc.table_name = kc.table_name where tc.constraint_type = '
     "'PRIMARY KEY') pk on c.table_schema = pk.table_schema and c.table_name = pk.table_name and c.column_name = pk.column_name "
     "where c.table_schema !~ '^information_schema|catalog_history|pg_' and c.table_name = 'things' union all "
     "select pa.attname, format('%s', pt.typname), pa.attnum - 1, false, null, false from pg_catalog.pg_class pc "
     'join pg_catalog.pg_namespace pn on pn.oid = pc.relnamespace join pg_catalog.pg_attribute pa on pa.attrelid = pc.oid '
     "join pg_catalog.pg_type pt on pt.oid = pa.atttypid where pc.relkind = 'm' and pa.attnum >= 1 order by 3",
     [['id', 'int4', '0', 'f', None, 't'], ['name', 'text', '1', 'f', None, 't']]),
    ('select fn.nspname, ft.relname, fc.attname, pt.relname, pc.attname from pg_constraint c join pg_class ft on c.conrelid = ft.oid '
     'join pg_namespace fn on c.connamespace = fn.oid join pg_attribute fc on c.conrelid = fc.attrelid join pg_class pt on '
     "c.confrelid = pt.oid join pg_attribute pc on c.confrelid = pc.attrelid where c.contype = 'f'::char and fc.attnum = any(c.conkey) "
     'and pc.attnum = any(c.confkey)', []),
    ("select tmp.name, trim(both '\"' from pg_catalog.pg_get_indexdef(tmp.ci, tmp.pos, false)) from (select ct.relname as name, ci.oid "
     'as ci, (information_schema._pg_expandarray(i.indkey)).n as pos from pg_catalog.pg_class ct join pg_catalog.pg_index i on '
     'ct.oid = i.indrelid join pg_catalog.pg_class ci on ci.oid = i.indexrelid where pg_catalog.pg_get_expr(i.indpred, i.indrelid) is '
     'null) tmp where tmp.pos = 1', []),
    ('with p as (select t.space, t.name, pg_catalog.has_any_column_privilege(current_user, %s, \'update\') as u, '
     "pg_catalog.has_any_column_privilege(current_user, %s, 'select') as s, pg_catalog.has_table_privilege(current_user, %s, 'delete') "
     'as d from (select schemaname as space, tablename as name from pg_catalog.pg_tables union select schemaname, viewname from '
     "pg_catalog.pg_views union select schemaname, matviewname from pg_catalog.pg_matviews) t where t.space !~ '^pg_' and "
     "pg_catalog.has_schema_privilege(current_user, t.space, 'usage')) select p.* from p order by 2" % (NAMED, NAMED, NAMED),
     [['public', 'Seen', 'f', 't', 'f'], ['public', 'things', 'f', 't', 'f']]),
    ('select true as "_" from "public"."things" where 1 <> 1 limit 0', []),
    ('select "source"."id" as "id", "source"."part" as "part" from (select "public"."things"."id" as "id", '
     'substring("public"."things"."name", 1, 1234) as "part" from "public"."things") as "source" order by 1 limit 1', [['1', 'n1']]),
)

ABOUT = " left outer join pg_catalog.pg_description d on d.objoid = %s.oid and d.objsubid = 0 and d.classoid = '%s'::regclass "
DBEAVER = (
    ('select db.oid, db.* from pg_catalog.pg_database db where not datistemplate and datallowconn order by db.datname', None),
    ('select current_schema(), session_user', [['public', 'pistachio']]),
    ('show search_path', [['public']]),
    ("select setting from pg_catalog.pg_settings where name = 'standard_conforming_strings'", [['on']]),
    ('select n.oid, n.*, d.description from pg_catalog.pg_namespace n' + ABOUT % ('n', 'pg_namespace') + 'order by nspname', None),
    ('select t.oid, t.*, c.relkind, format_type(nullif(t.typbasetype, 0), t.typtypmod) as base, d.description from pg_catalog.pg_type t '
     'left outer join pg_catalog.pg_type et on et.oid = t.typelem left outer join pg_catalog.pg_class c on c.oid = t.typrelid '
     "left outer join pg_catalog.pg_description d on t.oid = d.objoid where t.typname is not null and (c.relkind is null or c.relkind = "
     "'c') and (et.typcategory is null or et.typcategory <> 'C') and t.typnamespace = 11", None),
    ('select c.oid, c.*, d.description, pg_catalog.pg_get_expr(c.relpartbound, c.oid) as parts, pg_catalog.pg_get_partkeydef(c.oid) as key '
     'from pg_catalog.pg_class c' + ABOUT % ('c', 'pg_class') + "where c.relnamespace = 2200 and c.relkind not in ('i', 'I', 'c')", None),
    ('select c.relname, a.*, pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as made, dsc.description, dep.objid from '
     'pg_catalog.pg_attribute a join pg_catalog.pg_class c on a.attrelid = c.oid left outer join pg_catalog.pg_attrdef ad on a.attrelid = '
     'ad.adrelid and a.attnum = ad.adnum left outer join pg_catalog.pg_description dsc on c.oid = dsc.objoid and a.attnum = dsc.objsubid '
     "left outer join pg_depend dep on dep.refobjid = a.attrelid and dep.deptype = 'i' and dep.refobjsubid = a.attnum and dep.classid = "
     "dep.refclassid where not a.attisdropped and c.oid = 'things'::regclass order by a.attnum", None),
    ("select c.oid, c.*, t.relname as of, d.description, case when c.contype = 'c' then \"substring\"(pg_get_constraintdef(c.oid), 7) else "
     'null end as made from pg_catalog.pg_constraint c join pg_catalog.pg_class t on t.oid = c.conrelid left outer join '
     'pg_catalog.pg_class rt on rt.oid = c.confrelid' + ABOUT % ('c', 'pg_constraint') + 'order by c.oid', []),
    ('select i.*, i.indkey as keys, c.relname, pg_catalog.pg_get_expr(i.indpred, i.indrelid) as p, pg_catalog.pg_relation_size(i.indexrelid) '
     'as size, pg_catalog.pg_stat_get_numscans(i.indexrelid) as scans from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = '
     "i.indexrelid where i.indrelid = 'things'::regclass order by c.relname", []),
    ('select p.oid as poid, p.*, pg_catalog.pg_get_expr(p.proargdefaults, 0) as made, d.description from pg_catalog.pg_proc p left outer '
     'join pg_catalog.pg_description d on d.objoid = p.oid where p.pronamespace = 2200 order by p.proname', []),
    ('select a.oid, a.*, pd.description from pg_catalog.pg_roles a left join pg_catalog.pg_shdescription pd on a.oid = pd.objoid order by '
     'a.rolname', None),
    ('select c.contoencoding as id, pg_catalog.pg_encoding_to_char(c.contoencoding) as name from pg_catalog.pg_conversion c group by '
     'c.contoencoding order by 2', None),
    ('select t.oid, t.*, pg_tablespace_location(t.oid) from pg_catalog.pg_tablespace t order by t.oid', None),
    ('select l.oid, l.*, p.proname, pn.nspname from pg_catalog.pg_foreign_data_wrapper l left outer join pg_catalog.pg_proc p on p.oid = '
     'l.fdwhandler left outer join pg_catalog.pg_namespace pn on pn.oid = p.pronamespace order by l.fdwname', []),
    ('select e.oid, a.rolname, ns.nspname, e.* from pg_catalog.pg_extension e join pg_authid a on a.oid = e.extowner join pg_namespace ns '
     'on ns.oid = e.extnamespace', []),
    ('select name, default_version, installed_version, comment from pg_catalog.pg_available_extensions order by name', []),
    ("select x.oid, x.*, p.pronamespace from pg_catalog.pg_trigger x left outer join pg_catalog.pg_proc p on p.oid = x.tgfoid where "
     "x.tgrelid = 'things'::regclass and not x.tgisinternal", []),
    ("select i.*, c.relnamespace from pg_catalog.pg_inherits i, pg_catalog.pg_class c where i.inhrelid = 'things'::regclass and c.oid = "
     'i.inhparent order by i.inhseqno', []),
    ('select pg_catalog.pg_total_relation_size(c.oid), pg_catalog.pg_relation_size(c.oid) from pg_class c where c.relnamespace = 2200', None),
    ("select pg_catalog.pg_get_viewdef('\"Seen\"'::regclass, true)", [['select id + 1 as x from things']]),
    ('select x.* from public.things x order by 1 limit 200', [['1', 'n1'], ['2', 'n2'], ['3', 'n3']]),
    ("select string_agg(word, ',') from pg_catalog.pg_get_keywords() where word <> all ('{a,abs,absolute}'::text[])", [[None]]),
)


def texts(answer):
    return [[None if v is None else v.decode() for v in row] for row in rows(answer)]


def main():
    server = Server()
    try:
        with Client(server.path) as c:
            c.query('create view "Seen" as select id + 1 as x from things')
            for tool, statements in (('Grafana', GRAFANA), ('Metabase', METABASE), ('DBeaver', DBEAVER)):
                for number, (sql, expected) in enumerate(statements):
                    for how, ask in (('simple', lambda: c.query(sql)), ('extended', lambda: c.ask(parse(sql), bind(), execute(), SYNC))):
                        answer = ask()
                        name = '%s %d, %s' % (tool, number + 1, how)
                        check(name, [f['M'] for f in failures(answer)], [])
                        if expected is not None:
                            check('rows of ' + name, texts(answer), expected)
        server.end()
    finally:
        server.process.kill()
    return finish()


sys.exit(main())
