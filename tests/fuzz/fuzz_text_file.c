/* fuzz_text_file.c - any bytes as a csv or JSON file: all ways to index csv agree, a text in two pieces has the records that
 * it has in one, each row lies in the file, a walk over a record of JSON gives what yyjson does, and statements over the file
 * give rows or an error that such a file may cause. The first byte chooses the format and the options. */
#include "fuzz.h"
#include "pistachio/pistachio.h"
#include "textfile/read/csv_index.h"
#include "textfile/read/json_index.h"
#include "textfile/read/json_rows.h"

#include <string.h>

/* ---- indexes ---- */

/* The text with bytes behind it that a reader may look at. */
static char *padded(const uint8_t *bytes, size_t length)
{
    char *text = mem_new(length + CSV_PADDING);
    FUZZ_CHECK(text);
    if (length)
        memcpy(text, bytes, length);
    return text;
}

static void check_equal(const csv_index *a, const csv_index *b)
{
    FUZZ_CHECK(a->record_count == b->record_count && a->used == b->used);
    FUZZ_CHECK(a->ends.count == b->ends.count && a->is_open == b->is_open);
    FUZZ_CHECK(!a->ends.count ||
               !memcmp(a->ends.items, b->ends.items, a->ends.count * sizeof *a->ends.items));
    FUZZ_CHECK(
        !memcmp(a->firsts.items, b->firsts.items, (a->record_count + 1) * sizeof *a->firsts.items));
    FUZZ_CHECK(
        !memcmp(a->begins.items, b->begins.items, (a->record_count + 1) * sizeof *a->begins.items));
}

/* Records follow one another, and so do the fields within them. */
static void check_order(const csv_index *x, size_t length)
{
    uint32_t before = 0;
    for (size_t record = 0; record < x->record_count; record++) {
        uint32_t begin = x->begins.items[record];
        FUZZ_CHECK(begin >= before && x->firsts.items[record] < x->firsts.items[record + 1]);
        for (uint32_t f = x->firsts.items[record]; f < x->firsts.items[record + 1]; f++) {
            FUZZ_CHECK(x->ends.items[f] >= begin && x->ends.items[f] <= length);
            begin = x->ends.items[f];
        }
        before = begin;
    }
}

/* The whole has the records of the piece and of what it leaves. */
static void check_pieces(const csv_form *form, const char *text, size_t length, size_t cut,
                         const csv_index *whole)
{
    csv_index piece = {0};
    char *first = padded((const uint8_t *)text, cut);
    FUZZ_CHECK(!csv_index_make(form, cpu_isa_best(), first, cut, false, &piece));
    FUZZ_CHECK(piece.used <= cut && piece.record_count <= whole->record_count);
    size_t count = piece.record_count, used = piece.used;
    FUZZ_CHECK(
        !memcmp(piece.begins.items, whole->begins.items, count * sizeof *piece.begins.items));
    FUZZ_CHECK(!csv_index_make(form, cpu_isa_best(), text + used, length - used, true, &piece));
    FUZZ_CHECK(count + piece.record_count == whole->record_count);
    for (size_t i = 0; i < piece.record_count; i++)
        FUZZ_CHECK(piece.begins.items[i] + used == whole->begins.items[count + i]);
    csv_index_release(&piece);
    mem_free(first);
}

static void index_csv(const uint8_t *bytes, size_t length)
{
    static const csv_form forms[] = {{',', '"', '"', '\0'},
                                     {';', '\'', '\\', '\0'},
                                     {',', '"', '"', '#'},
                                     {'\t', '\0', '\0', '\0'}};
    char *text = padded(bytes, length);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        csv_index best = {0}, other = {0};
        csv_form by_states = forms[i];
        FUZZ_CHECK(!csv_index_make(&forms[i], cpu_isa_best(), text, length, true, &best));
        check_order(&best, length);
        FUZZ_CHECK(!csv_index_make(&forms[i], CPU_ISA_SCALAR, text, length, true, &other));
        check_equal(&best, &other);
        if (!by_states.comment && !memchr(text, '\1', length)) {
            by_states.comment = '\1';
            FUZZ_CHECK(!csv_index_make(&by_states, CPU_ISA_SCALAR, text, length, true, &other));
            check_equal(&best, &other);
        }
        check_pieces(&forms[i], text, length, length * 2 / 3, &best);
        csv_index_release(&best);
        csv_index_release(&other);
    }
    mem_free(text);
}

/* Takes the field that yyjson has next: the walk has it, too. */
static void compare_field(json_walk *walk, yyjson_val *key)
{
    json_field f;
    yyjson_val *v = yyjson_obj_iter_get_val(key);
    json_kind kind = json_kind_of(v);
    size_t bytes = 0;
    FUZZ_CHECK(json_walk_next(walk, &f) == JSON_STEP_FIELD);
    FUZZ_CHECK(f.name_bytes == yyjson_get_len(key) &&
               !memcmp(f.name, yyjson_get_str(key), f.name_bytes) && f.kind == kind);
    const char *text =
        kind == JSON_NESTED || kind == JSON_NULL ? NULL : json_scalar_text(v, &bytes);
    FUZZ_CHECK(!text || (f.bytes == bytes && !memcmp(f.text, text, bytes)));
}

/* Returns whether the walk reaches the record's end. */
static bool is_walked(const char *record, size_t bytes)
{
    json_walk walk;
    json_field f;
    json_step step = JSON_STEP_ODD;
    if (json_walk_begin(&walk, record, bytes))
        while ((step = json_walk_next(&walk, &f)) == JSON_STEP_FIELD)
            FUZZ_CHECK(f.text + f.bytes <= record + bytes);
    return step == JSON_STEP_END;
}

static void walk_record(const char *record, size_t bytes)
{
    json_walk walk;
    json_field f;
    json_memory memory;
    yyjson_doc *doc;
    yyjson_read_err error;
    if (!is_walked(record, bytes))
        return;
    FUZZ_CHECK(json_walk_begin(&walk, record, bytes));
    json_memory_init(&memory, NULL);
    FUZZ_CHECK(!json_record_parse(record, bytes, &memory, &doc, &error) && doc);
    yyjson_obj_iter fields = yyjson_obj_iter_with(yyjson_doc_get_root(doc));
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&fields));)
        compare_field(&walk, key);
    FUZZ_CHECK(json_walk_next(&walk, &f) == JSON_STEP_END);
    json_memory_release(&memory);
}

static void index_json(const uint8_t *bytes, size_t length)
{
    char *text = padded(bytes, length);
    for (int are_lines = 0; are_lines < 2; are_lines++) {
        csv_index x = {0};
        size_t end = 0;
        FUZZ_CHECK(!json_index_make((json_form){are_lines, true, true}, text, length, &x));
        FUZZ_CHECK(x.used == length);
        for (size_t i = 0; i < x.record_count; i++) {
            FUZZ_CHECK(x.begins.items[i] >= end && x.ends.items[i] > x.begins.items[i]);
            end = x.ends.items[i];
            walk_record(text + x.begins.items[i], end - x.begins.items[i]);
        }
        FUZZ_CHECK(end <= length);
        FUZZ_CHECK(!json_index_make((json_form){are_lines, true, false}, text, length * 2 / 3, &x));
        FUZZ_CHECK(x.used <= length * 2 / 3);
        csv_index_release(&x);
    }
    mem_free(text);
}

/* ---- statements ---- */

static void settle(pistachio_error *error)
{
    FUZZ_CHECK(!error || (pistachio_error_get_kind(error) != PISTACHIO_ERROR_INTERNAL &&
                          pistachio_error_message(error)[0]));
    pistachio_error_free(error);
}

static void run(pistachio_connection *connection, const char *sql)
{
    pistachio_result *result = NULL;
    const pistachio_batch *batch;
    pistachio_error *error = pistachio_query(connection, sql, NULL, &result);
    do {
        batch = NULL;
        if (!error)
            error = pistachio_next(result, &batch);
    } while (!error && batch);
    pistachio_result_free(result);
    settle(error);
}

static const char *const calls[] = {
    "FROM read_csv('%s')",
    "FROM read_csv('%s', delim => ',', quote => '\"', null_padding => true, header => true)",
    "FROM read_csv('%s', ignore_errors => true, types => ['bigint', 'date', 'boolean', 'varchar'])",
    "FROM read_csv('%s', delim => ';', decimal_separator => ',', comment => '#', skip => 1)",
    "FROM read_csv('%s', auto_detect => false, encoding => 'latin-1')",
    "FROM read_json('%s')",
    "FROM read_json('%s', ignore_errors => true)",
    "FROM read_json_rejects('%s', columns => 'a timestamp, b varchar, json double')",
    "FROM read_csv_rejects('%s', header => false, types => ['bigint', 'date', 'bool'])",
    "FROM read_json('%s', columns => 'a timestamp, b varchar, json double')",
};

static void run_all(const char *path, size_t choice)
{
    static const pistachio_option options[] = {
        {"threads", "1"}, {"memory_limit", "256MB"}, {"chunk_rows", "7"}};
    pistachio_database *database = NULL;
    pistachio_connection *connection = NULL;
    char sql[300];
    pistachio_error *error = pistachio_open(options, 3, &database);
    if (!error)
        error = pistachio_connect(database, &connection);
    FUZZ_CHECK(!error);
    snprintf(sql, sizeof sql, calls[choice % (sizeof calls / sizeof *calls)], path);
    run(connection, sql);
    pistachio_disconnect(connection);
    pistachio_close(database);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    uint64_t blocks = mem_in_use();
    if (!length)
        return 0;
    index_csv(bytes + 1, length - 1);
    index_json(bytes + 1, length - 1);
    fuzz_file f = fuzz_file_open(bytes + 1, length - 1);
    run_all(f.path, bytes[0]);
    fuzz_file_close(&f);
    FUZZ_CHECK(mem_in_use() == blocks);
    return 0;
}
