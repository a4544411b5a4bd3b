/* engine.h - the functions of the engine that the server calls.
 *
 *   cli/serve.c ── server_engine, a table of their addresses ──> server_module.c ──> engine_calls
 *
 * The module is linked with none of the engine: the names below become calls by the table, in each file that includes
 * this header after those that declare them. Where SERVER_IS_LINKED is defined (cli/serve.c, unit tests, fuzz targets) they
 * are the functions themselves. Tests give the table to the server's files by tests/server/server_engine.c. */
#ifndef PISTACHIO_SERVER_ENGINE_H
#define PISTACHIO_SERVER_ENGINE_H

#include "api/handles/batch.h"
#include "api/handles/error.h"
#include "api/handles/handles.h"
#include "api/ipc/ipc.h"
#include "api/query/parquet_stream.h"
#include "api/session/database.h"
#include "api/session/statement.h"
#include "api/write/row_writer.h"
#include "base/mem.h"
#include "base/row/csv.h"
#include "base/status.h"
#include "base/system/sha256.h"
#include "base/system/slice.h"
#include "base/text/type_parse.h"
#include "base/time/zone_moment.h"
#include "base/trace/usage.h"
#include "base/type/nested_type.h"
#include "base/type/pg_type.h"
#include "sql/text/split.h"

#define SERVER_ENGINE_LIST(FUNCTION)                                                               \
    FUNCTION(mem_new)                                                                              \
    FUNCTION(mem_new_array)                                                                        \
    FUNCTION(mem_resize)                                                                           \
    FUNCTION(mem_copy_text)                                                                        \
    FUNCTION(mem_free)                                                                             \
    FUNCTION(array_reserve_)                                                                       \
    FUNCTION(status_new)                                                                           \
    FUNCTION(status_new_errno)                                                                     \
    FUNCTION(status_no_memory)                                                                     \
    FUNCTION(status_context)                                                                       \
    FUNCTION(status_hint)                                                                          \
    FUNCTION(status_at)                                                                            \
    FUNCTION(status_get_kind)                                                                      \
    FUNCTION(status_message)                                                                       \
    FUNCTION(status_get_hint)                                                                      \
    FUNCTION(status_position)                                                                      \
    FUNCTION(status_free)                                                                          \
    FUNCTION(slice_manage)                                                                         \
    FUNCTION(api_error_status)                                                                     \
    FUNCTION(api_value_at)                                                                         \
    FUNCTION(int128_format)                                                                        \
    FUNCTION(zone_format_value)                                                                    \
    FUNCTION(sql_check_utf8)                                                                       \
    FUNCTION(sql_catalog_new_shared)                                                               \
    FUNCTION(sql_catalog_free)                                                                     \
    FUNCTION(sql_catalog_clone)                                                                    \
    FUNCTION(sql_catalog_take)                                                                     \
    FUNCTION(sql_catalog_set_below)                                                                \
    FUNCTION(sql_catalog_put)                                                                      \
    FUNCTION(sql_catalog_define)                                                                   \
    FUNCTION(sql_catalog_each_own)                                                                 \
    FUNCTION(sql_definition_copy)                                                                  \
    FUNCTION(sql_catalog_use_activity)                                                             \
    FUNCTION(pistachio_statement_free)                                                             \
    FUNCTION(pistachio_parameter_count)                                                            \
    FUNCTION(pistachio_execute)                                                                    \
    FUNCTION(api_prepare)                                                                          \
    FUNCTION(api_bind)                                                                             \
    FUNCTION(api_settings)                                                                         \
    FUNCTION(settings_get)                                                                         \
    FUNCTION(api_database_ranks)                                                                   \
    FUNCTION(value_parse)                                                                          \
    FUNCTION(bool_parse)                                                                           \
    FUNCTION(int128_parse)                                                                         \
    FUNCTION(double_parse)                                                                         \
    FUNCTION(float_parse)                                                                          \
    FUNCTION(decimal_parse)                                                                        \
    FUNCTION(value_null)                                                                           \
    FUNCTION(value_int)                                                                            \
    FUNCTION(value_double)                                                                         \
    FUNCTION(value_text)                                                                           \
    FUNCTION(value_decimal)                                                                        \
    FUNCTION(type_make)                                                                            \
    FUNCTION(type_decimal)                                                                         \
    FUNCTION(power_of_ten)                                                                         \
    FUNCTION(sql_is_comment)                                                                       \
    FUNCTION(sql_skip_token)                                                                       \
    FUNCTION(sql_statement_length)                                                                 \
    FUNCTION(type_name)                                                                            \
    FUNCTION(type_is_text)                                                                         \
    FUNCTION(sha256_begin)                                                                         \
    FUNCTION(sha256_add)                                                                           \
    FUNCTION(sha256_end)                                                                           \
    FUNCTION(sha256_is_equal)                                                                      \
    FUNCTION(hmac_sha256_begin)                                                                    \
    FUNCTION(hmac_sha256_add)                                                                      \
    FUNCTION(hmac_sha256_end)                                                                      \
    FUNCTION(csv_write_field)                                                                      \
    FUNCTION(tsv_write_field)                                                                      \
    FUNCTION(text_out_flush)                                                                       \
    FUNCTION(text_out_add_more)                                                                    \
    FUNCTION(pg_type_of)                                                                           \
    FUNCTION(pg_type_find)                                                                         \
    FUNCTION(pg_function_name)                                                                     \
    FUNCTION(pg_is_array)                                                                          \
    FUNCTION(nested_type_of)                                                                       \
    FUNCTION(nested_type_make_list)                                                                \
    FUNCTION(nested_type_hold)                                                                     \
    FUNCTION(nested_type_release)                                                                  \
    FUNCTION(api_row_text_json)                                                                    \
    FUNCTION(pistachio_version)                                                                    \
    FUNCTION(pistachio_open)                                                                       \
    FUNCTION(pistachio_close)                                                                      \
    FUNCTION(pistachio_connect)                                                                    \
    FUNCTION(pistachio_connect_session)                                                            \
    FUNCTION(pistachio_disconnect)                                                                 \
    FUNCTION(pistachio_add_path)                                                                   \
    FUNCTION(pistachio_query)                                                                      \
    FUNCTION(pistachio_cancel)                                                                     \
    FUNCTION(pistachio_next)                                                                       \
    FUNCTION(pistachio_tag)                                                                        \
    FUNCTION(pistachio_notice)                                                                     \
    FUNCTION(pistachio_result_free)                                                                \
    FUNCTION(pistachio_arrow_stream)                                                               \
    FUNCTION(api_parquet_write)                                                                    \
    FUNCTION(ipc_write)                                                                            \
    FUNCTION(ipc_batch_unref)                                                                      \
    FUNCTION(api_row_writer_open)                                                                  \
    FUNCTION(api_row_writer_add)                                                                   \
    FUNCTION(api_row_writer_end)                                                                   \
    FUNCTION(api_row_writer_close)                                                                 \
    FUNCTION(row_style_default)                                                                    \
    FUNCTION(pistachio_prepare)                                                                    \
    FUNCTION(pistachio_bind_text)                                                                  \
    FUNCTION(pistachio_parameter_name)                                                             \
    FUNCTION(usage_new)                                                                            \
    FUNCTION(usage_ref)                                                                            \
    FUNCTION(usage_unref)                                                                          \
    FUNCTION(usage_has_steps)                                                                      \
    FUNCTION(usage_write)                                                                          \
    FUNCTION(pistachio_progress)                                                                   \
    FUNCTION(pistachio_memory_peak)                                                                \
    FUNCTION(pistachio_column_count)                                                               \
    FUNCTION(pistachio_column_name)                                                                \
    FUNCTION(pistachio_column_type)                                                                \
    FUNCTION(pistachio_batch_rows)

typedef struct server_engine {
#define FUNCTION(name) __typeof__(name) *name;
    SERVER_ENGINE_LIST(FUNCTION)
#undef FUNCTION
} server_engine;

#ifndef SERVER_IS_LINKED

/* Set once, before the server starts. */
extern const server_engine *engine_calls;

#define mem_new engine_calls->mem_new
#define mem_new_array engine_calls->mem_new_array
#define mem_resize engine_calls->mem_resize
#define mem_copy_text engine_calls->mem_copy_text
#define mem_free engine_calls->mem_free
#define array_reserve_ engine_calls->array_reserve_
#define status_new engine_calls->status_new
#define status_new_errno engine_calls->status_new_errno
#define status_no_memory engine_calls->status_no_memory
#define status_context engine_calls->status_context
#define status_hint engine_calls->status_hint
#define status_at engine_calls->status_at
#define status_get_kind engine_calls->status_get_kind
#define status_message engine_calls->status_message
#define status_get_hint engine_calls->status_get_hint
#define status_position engine_calls->status_position
#define status_free engine_calls->status_free
#define slice_manage engine_calls->slice_manage
#define api_error_status engine_calls->api_error_status
#define api_value_at engine_calls->api_value_at
#define int128_format engine_calls->int128_format
#define zone_format_value engine_calls->zone_format_value
#define sql_check_utf8 engine_calls->sql_check_utf8
#define sql_catalog_new_shared engine_calls->sql_catalog_new_shared
#define sql_catalog_free engine_calls->sql_catalog_free
#define sql_catalog_clone engine_calls->sql_catalog_clone
#define sql_catalog_take engine_calls->sql_catalog_take
#define sql_catalog_set_below engine_calls->sql_catalog_set_below
#define sql_catalog_put engine_calls->sql_catalog_put
#define sql_catalog_define engine_calls->sql_catalog_define
#define sql_catalog_each_own engine_calls->sql_catalog_each_own
#define sql_definition_copy engine_calls->sql_definition_copy
#define sql_catalog_use_activity engine_calls->sql_catalog_use_activity
#define pistachio_statement_free engine_calls->pistachio_statement_free
#define pistachio_parameter_count engine_calls->pistachio_parameter_count
#define pistachio_execute engine_calls->pistachio_execute
#define api_prepare engine_calls->api_prepare
#define api_bind engine_calls->api_bind
#define api_settings engine_calls->api_settings
#define settings_get engine_calls->settings_get
#define api_database_ranks engine_calls->api_database_ranks
#define value_parse engine_calls->value_parse
#define bool_parse engine_calls->bool_parse
#define int128_parse engine_calls->int128_parse
#define double_parse engine_calls->double_parse
#define float_parse engine_calls->float_parse
#define decimal_parse engine_calls->decimal_parse
#define value_null engine_calls->value_null
#define value_int engine_calls->value_int
#define value_double engine_calls->value_double
#define value_text engine_calls->value_text
#define value_decimal engine_calls->value_decimal
#define type_make engine_calls->type_make
#define type_decimal engine_calls->type_decimal
#define power_of_ten engine_calls->power_of_ten
#define sql_is_comment engine_calls->sql_is_comment
#define sql_skip_token engine_calls->sql_skip_token
#define sql_statement_length engine_calls->sql_statement_length
#define type_name engine_calls->type_name
#define type_is_text engine_calls->type_is_text
#define sha256_begin engine_calls->sha256_begin
#define sha256_add engine_calls->sha256_add
#define sha256_end engine_calls->sha256_end
#define sha256_is_equal engine_calls->sha256_is_equal
#define hmac_sha256_begin engine_calls->hmac_sha256_begin
#define hmac_sha256_add engine_calls->hmac_sha256_add
#define hmac_sha256_end engine_calls->hmac_sha256_end
#define csv_write_field engine_calls->csv_write_field
#define tsv_write_field engine_calls->tsv_write_field
#define text_out_flush engine_calls->text_out_flush
#define text_out_add_more engine_calls->text_out_add_more
#define pg_type_of engine_calls->pg_type_of
#define pg_type_find engine_calls->pg_type_find
#define pg_function_name engine_calls->pg_function_name
#define pg_is_array engine_calls->pg_is_array
#define nested_type_of engine_calls->nested_type_of
#define nested_type_make_list engine_calls->nested_type_make_list
#define nested_type_hold engine_calls->nested_type_hold
#define nested_type_release engine_calls->nested_type_release
#define api_row_text_json engine_calls->api_row_text_json
#define pistachio_version engine_calls->pistachio_version
#define pistachio_open engine_calls->pistachio_open
#define pistachio_close engine_calls->pistachio_close
#define pistachio_connect engine_calls->pistachio_connect
#define pistachio_connect_session engine_calls->pistachio_connect_session
#define pistachio_disconnect engine_calls->pistachio_disconnect
#define pistachio_add_path engine_calls->pistachio_add_path
#define pistachio_query engine_calls->pistachio_query
#define pistachio_cancel engine_calls->pistachio_cancel
#define pistachio_next engine_calls->pistachio_next
#define pistachio_tag engine_calls->pistachio_tag
#define pistachio_notice engine_calls->pistachio_notice
#define pistachio_result_free engine_calls->pistachio_result_free
#define pistachio_arrow_stream engine_calls->pistachio_arrow_stream
#define api_parquet_write engine_calls->api_parquet_write
#define ipc_write engine_calls->ipc_write
#define ipc_batch_unref engine_calls->ipc_batch_unref
#define api_row_writer_open engine_calls->api_row_writer_open
#define api_row_writer_add engine_calls->api_row_writer_add
#define api_row_writer_end engine_calls->api_row_writer_end
#define api_row_writer_close engine_calls->api_row_writer_close
#define row_style_default engine_calls->row_style_default
#define pistachio_prepare engine_calls->pistachio_prepare
#define pistachio_bind_text engine_calls->pistachio_bind_text
#define pistachio_parameter_name engine_calls->pistachio_parameter_name
#define usage_new engine_calls->usage_new
#define usage_ref engine_calls->usage_ref
#define usage_unref engine_calls->usage_unref
#define usage_has_steps engine_calls->usage_has_steps
#define usage_write engine_calls->usage_write
#define pistachio_progress engine_calls->pistachio_progress
#define pistachio_memory_peak engine_calls->pistachio_memory_peak
#define pistachio_column_count engine_calls->pistachio_column_count
#define pistachio_column_name engine_calls->pistachio_column_name
#define pistachio_column_type engine_calls->pistachio_column_type
#define pistachio_batch_rows engine_calls->pistachio_batch_rows

#endif

#endif
