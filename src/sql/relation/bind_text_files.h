/* bind_text_files.h - csv and JSON files in FROM. */
#ifndef PISTACHIO_SQL_RELATION_BIND_TEXT_FILES_H
#define PISTACHIO_SQL_RELATION_BIND_TEXT_FILES_H

#include "sql/types/binder.h"
#include "textfile/table/text_table.h"

/* Returns whether the function reads such files: read_csv, read_csv_auto, read_json and so on. */
bool bind_is_text_function(const char *name, text_kind *out);
/* The call of such a function. *out_path: the first path. */
CHECKED status bind_text_call(binder *b, const FuncCall *call, text_kind kind, plan_node **out,
                              const char **out_path);
/* All that is said of the files is their path. */
CHECKED status bind_text_path(binder *b, const char *path, text_kind kind, int32_t location,
                              plan_node **out);
/* COPY ... FROM such a file: the types are those of the table's columns, which csv has by their places, JSON by their
 * names. `options`: DefElems; FORMAT is not looked at. */
CHECKED status bind_text_copy(binder *b, const char *path, text_kind kind, const List *options,
                              const text_said_type *columns, size_t column_count, plan_node **out);
/* Rows that a client sends to COPY, as sql_copy_source says; the types are those of the table's columns. path NULL: no rows. */
CHECKED status bind_text_exchange(binder *b, const char *path, const text_said_type *columns,
                                  size_t column_count, plan_node **out);
/* name => value, or name = value: its name and value; else false. */
bool bind_find_option(const pg_node *node, const char **out_name, const pg_node **out_value);
/* Returns what the option's constant says as text: a text, true, false, or a number's digits; NULL: it is not
 * a constant. */
const char *bind_option_text(binder *b, const pg_node *node);

#endif
