/* summarize.c - SUMMARIZE t: a row for each column of t, with what its values are like.
 *
 *     with r as (select min(c0)::varchar as min0, ..., min(c1)::varchar as min1, ... from t as s(c0, c1, ...))
 *     select name, type, min, ... from
 *       (select number, name, type, case number when 0 then min0 when 1 then min1 ... end as min, ...
 *        from r, (values (0, 'a', 'integer'), (1, 'b', 'varchar'), ...) as v(number, name, type)
 *        union all ...) as u
 *     order by number
 *
 * One SELECT for all columns would take time and memory by the square of their number. */
#include "sql/text/summarize.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct measure {
    const char *name;   /* of the result's column; NULL: others are made of it */
    const char *format; /* of the column: %zu */
    const char *none;   /* for columns of other types than numbers; NULL: it is of all */
    const char *nested; /* for lists, structs and maps */
} measure;

static const measure measures[] = {
    {"min", "CAST(min(c%zu) AS varchar)", NULL, "CAST(NULL AS varchar)"},
    {"max", "CAST(max(c%zu) AS varchar)", NULL, "CAST(NULL AS varchar)"},
    {"approx_unique", "approx_count_distinct(c%zu)", NULL, "CAST(NULL AS bigint)"},
    {"avg", "CAST(avg(c%zu) AS double precision)", "CAST(NULL AS double precision)",
     "CAST(NULL AS double precision)"},
    {"std", "stddev(c%zu)", "CAST(NULL AS double precision)", "CAST(NULL AS double precision)"},
    {NULL, "count(c%zu)", NULL, "count(CASE WHEN c%zu IS NULL THEN NULL ELSE 1 END)"},
};
#define MEASURE_COUNT (sizeof measures / sizeof *measures)

static void write_quoted(FILE *to, const char *text)
{
    putc('\'', to);
    for (; *text; text++) {
        if (*text == '\'')
            putc('\'', to);
        putc(*text, to);
    }
    putc('\'', to);
}

/* One row: each measure of each column. */
static void write_measures(FILE *to, const plan_column_list *columns)
{
    fputs("SELECT count(*) AS all_rows", to);
    for (size_t i = 0; i < columns->count; i++)
        for (size_t m = 0; m < MEASURE_COUNT; m++) {
            const char *none = type_is_numeric(columns->items[i].type) ? NULL : measures[m].none;
            fputs(", ", to);
            if (type_is_nested(columns->items[i].type))
                fprintf(to, measures[m].nested, i);
            else if (none)
                fputs(none, to);
            else
                fprintf(to, measures[m].format, i);
            fprintf(to, " AS m%zu_%zu", m, i);
        }
}

static void write_source(FILE *to, const char *source, bool is_table, size_t columns)
{
    fprintf(to, is_table ? " FROM (SELECT * FROM %s\n) AS s(" : " FROM (%s\n) AS s(", source);
    for (size_t i = 0; i < columns; i++)
        fprintf(to, "%sc%zu", i ? ", " : "", i);
    putc(')', to);
}

/* Columns whose rows one SELECT makes: each row looks at as many branches. */
#define BLOCK_COLUMNS 256

/* Columns [from, to). */
typedef struct block {
    const plan_column_list *columns;
    size_t from, to;
} block;

/* Writes a row for each column. */
static void write_columns(FILE *to, const block *b)
{
    char type[TYPE_NAME_BYTES];
    fputs("(VALUES ", to);
    for (size_t i = b->from; i < b->to; i++) {
        const plan_column *column = &b->columns->items[i];
        fprintf(to, "%s(%zu, ", i > b->from ? ", " : "", i);
        write_quoted(to, column->name);
        fputs(", ", to);
        write_quoted(to, type_name(column->type, type));
        putc(')', to);
    }
    fputs(") AS v(number, column_name, column_type)", to);
}

static void write_choice(FILE *to, size_t m, const block *b)
{
    fputs("CASE number", to);
    for (size_t i = b->from; i < b->to; i++)
        fprintf(to, " WHEN %zu THEN m%zu_%zu", i, m, i);
    fputs(" END", to);
}

static void summarize_write_block(FILE *to, const block *b)
{
    fputs("SELECT number, column_name, column_type", to);
    for (size_t m = 0; measures[m].name; m++) {
        fputs(", ", to);
        write_choice(to, m, b);
        fprintf(to, " AS %s", measures[m].name);
    }
    fputs(", all_rows AS count, CAST(100 * (all_rows - ", to);
    write_choice(to, MEASURE_COUNT - 1, b);
    fputs(") / CAST(nullif(all_rows, 0) AS double precision) AS decimal(9,2)) AS null_percentage"
          " FROM r CROSS JOIN ",
          to);
    write_columns(to, b);
}

static void write_summary(FILE *to, const char *source, bool is_table,
                          const plan_column_list *columns)
{
    fputs("WITH r AS (", to);
    write_measures(to, columns);
    write_source(to, source, is_table, columns->count);
    fputs(") SELECT column_name, column_type", to);
    for (size_t m = 0; measures[m].name; m++)
        fprintf(to, ", %s", measures[m].name);
    fputs(", count, null_percentage FROM (", to);
    for (block b = {columns, 0, 0}; b.from < columns->count; b.from = b.to) {
        b.to = columns->count - b.from > BLOCK_COLUMNS ? b.from + BLOCK_COLUMNS : columns->count;
        fputs(b.from ? " UNION ALL " : "", to);
        summarize_write_block(to, &b);
    }
    fputs(") AS u ORDER BY number", to);
}

status sql_summary_text(arena *a, const char *source, bool is_table,
                        const plan_column_list *columns, const char **out)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return status_no_memory("statement", 0);
    write_summary(to, source, is_table, columns);
    bool is_written = !ferror(to);
    is_written &= !fclose(to);
    *out = is_written ? arena_copy_text(a, text, bytes) : NULL;
    (free)(text); /* the library's memory */
    return *out ? STATUS_OK : status_no_memory("statement", bytes);
}
