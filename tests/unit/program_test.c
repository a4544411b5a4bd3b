/* program_test.c - see program_test.h. */
#include "program_test.h"

#include "base/fault.h"
#include "device/chunk.h"
#include "device/simulated/memory.h"
#include "device/transfer.h"
#include "exec/expression/program.h"
#include "exec/expression/program_compile.h"
#include "exec/expression/program_run.h"
#include "exec/scan/column_part.h"
#include "exec/sched/pool.h"
#include "exec/sched/task.h"
#include "test.h"

#define COLUMNS_MAX 8
#define ROWS_MAX 300
#define TEXT_BYTES 65536

typedef struct test_values {
    value rows[ROWS_MAX];
    uint32_t count;
} test_values;

typedef enum form {
    FORM_FLAT,
    FORM_SELECTED,
    FORM_DICTIONARY,
    FORM_NARROW,
    FORM_NARROW_CODES,
    FORM_COUNT
} form;

static struct {
    arena *memory;
    uint32_t column_count;
    plan_column columns[COLUMNS_MAX];
    test_values *values[COLUMNS_MAX];
} state;

void program_test_begin(void)
{
    memset(&state, 0, sizeof state);
    CHECK_OK(arena_new(&state.memory));
}

void program_test_end(void)
{
    arena_free(state.memory);
}

void test_clear_columns(void)
{
    state.column_count = 0;
}

/* ---- building ---- */

static value parse_value(data_type type, const char *text, size_t bytes)
{
    value v = {.type = type};
    bool parsed = true;
    if (bytes == 4 && !memcmp(text, "null", 4))
        return value_null(type);
    if (bytes == 1 && *text == '~')
        bytes = 0;
    switch (type.id) {
    case TYPE_BOOL:
        parsed = bool_parse(text, bytes, &v.boolean);
        break;
    case TYPE_FLOAT:
    case TYPE_DOUBLE:
        parsed = double_parse(text, bytes, &v.f64);
        break;
    case TYPE_DATE: {
        int32_t days = 0;
        parsed = date_parse(text, bytes, &days);
        v.i64 = days;
        break;
    }
    case TYPE_TIME:
        parsed = time_parse(text, bytes, &v.i64);
        break;
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
        parsed = timestamp_parse(text, bytes, type.precision, type.id == TYPE_TIMESTAMP_TZ, &v.i64);
        break;
    case TYPE_INTERVAL:
        parsed = interval_parse(text, bytes, &v.interval);
        break;
    case TYPE_VARCHAR:
    case TYPE_BLOB:
        v.text = arena_copy_text(state.memory, text, bytes);
        v.bytes = bytes;
        break;
    default: {
        int128 number = 0;
        parsed = type.id == TYPE_DECIMAL ? decimal_parse(text, bytes, type.scale, &number)
                                         : int128_parse(text, bytes, &number);
        v = value_decimal(number, type);
    }
    }
    CHECK(parsed);
    return v;
}

expr *test_column(data_type type, const char *text)
{
    test_values *values = arena_alloc(state.memory, sizeof *values);
    CHECK(values && state.column_count < COLUMNS_MAX);
    uint32_t index = state.column_count++;
    for (const char *at = text;; at++) {
        size_t bytes = strcspn(at, ";");
        CHECK(values->count < ROWS_MAX);
        values->rows[values->count++] = parse_value(type, at, bytes);
        at += bytes;
        if (!*at)
            break;
    }
    state.values[index] = values;
    state.columns[index] = (plan_column){.id = index + 1, .name = "c", .type = type};
    return expr_new_column(state.memory, index + 1, type, true, "c");
}

expr *test_constant(data_type type, const char *text)
{
    value v = parse_value(type, text, strlen(text));
    return expr_new_constant(state.memory, &v, -1);
}

static expr *with_args(expr *e, uint32_t count, va_list list)
{
    for (uint32_t i = 0; i < count; i++)
        e->args[i] = va_arg(list, expr *);
    return e;
}

expr *test_call(expr_op op, data_type type, uint32_t arg_count, ...)
{
    va_list list;
    va_start(list, arg_count);
    expr *e = with_args(expr_new(state.memory, EXPR_CALL, type, arg_count, 7), arg_count, list);
    e->op = op;
    va_end(list);
    return e;
}

expr *test_branches(data_type type, uint32_t arg_count, ...)
{
    va_list list;
    va_start(list, arg_count);
    expr *e = with_args(expr_new(state.memory, EXPR_CASE, type, arg_count, 7), arg_count, list);
    va_end(list);
    return e;
}

expr *test_cast(expr *arg, data_type type)
{
    expr *e = expr_new(state.memory, EXPR_CAST, type, 1, 7);
    e->args[0] = arg;
    return e;
}

/* ---- columns on a device ---- */

static dev_buffer *buffer_with(dev_stream *stream, const void *bytes, size_t count)
{
    dev_buffer *buffer;
    CHECK_OK(dev_alloc(stream->dev, count, "test", &buffer));
    CHECK_OK(dev_upload(stream, buffer->address, bytes, count, "test"));
    return buffer;
}

static void store(const value *v, data_type type, uint64_t row, char *values)
{
    char *at = values + row * type.width;
    switch (type.id) {
    case TYPE_BOOL:
        ((uint64_t *)values)[row / 64] |= (uint64_t)v->boolean << (row % 64);
        break;
    case TYPE_FLOAT: {
        float narrow = (float)v->f64;
        memcpy(at, &narrow, sizeof narrow);
        break;
    }
    case TYPE_DOUBLE:
        memcpy(at, &v->f64, 8);
        break;
    case TYPE_INTERVAL:
        memcpy(at, &v->interval, 16);
        break;
    default: {
        int128 number = value_int128(v);
        memcpy(at, &number, type.width);
    }
    }
}

/* The values at rows[0..count), flat. */
static tensor *make_flat(dev_stream *stream, data_type type, const value *const *rows,
                         uint64_t count)
{
    size_t words = (count + 63) / 64 + 1, text_bytes = 1;
    char *values = arena_alloc(state.memory, (count + 64) * 16);
    uint64_t *validity = arena_alloc_array(state.memory, words, 8);
    bool has_nulls = false;
    tensor *t;
    for (uint64_t i = 0; i < count; i++)
        text_bytes += type_is_text(type) && !rows[i]->is_null ? rows[i]->bytes : 0;
    dev_buffer *heap = NULL;
    char *text = arena_alloc(state.memory, text_bytes);
    size_t used = 0;
    if (type_is_text(type))
        CHECK_OK(dev_alloc(stream->dev, text_bytes, "test", &heap));
    for (uint64_t i = 0; i < count; i++) {
        if (rows[i]->is_null) {
            has_nulls = true;
            continue;
        }
        validity[i / 64] |= (uint64_t)1 << (i % 64);
        if (!type_is_text(type)) {
            store(rows[i], type, i, values);
            continue;
        }
        string_view view = string_view_make(rows[i]->text, (uint32_t)rows[i]->bytes);
        if (rows[i]->bytes > STRING_INLINE_BYTES) {
            memcpy(text + used, rows[i]->text, rows[i]->bytes);
            view.data = (const char *)heap->address + used;
            used += rows[i]->bytes;
        }
        memcpy(values + i * 16, &view, 16);
    }
    CHECK_OK(tensor_new_flat(stream->dev, type, 0, false, &t));
    dev_buffer_unref(t->values_owner);
    size_t bytes = type.width ? count * type.width : words * 8;
    t->values_owner = buffer_with(stream, values, bytes);
    t->values = t->values_owner->address;
    if (has_nulls) {
        t->validity_owner = buffer_with(stream, validity, words * 8);
        t->validity = t->validity_owner->address;
    }
    if (heap) {
        CHECK_OK(dev_upload(stream, heap->address, text, text_bytes, "test"));
        CHECK_OK(string_heap_new(&heap, 1, &t->heap));
    }
    return t;
}

/* Rows in reverse order (a dictionary: behind two other entries) with an index that sets them
 * right; NULLs of a dictionary are in the codes. */
static tensor *make_indexed(dev_stream *stream, data_type type, const test_values *v,
                            bool is_dictionary)
{
    const value *rows[ROWS_MAX + 2];
    uint32_t codes[ROWS_MAX];
    uint64_t count = v->count, base_rows = count + 2;
    tensor *t;
    row_index *index;
    for (uint64_t i = 0; i < count; i++) {
        rows[count - 1 - i] = &v->rows[i];
        codes[i] = (uint32_t)(count - 1 - i);
    }
    rows[count] = rows[count + 1] = &v->rows[0];
    bool has_nulls = false;
    for (uint64_t i = 0; i < count && is_dictionary; i++)
        if (v->rows[i].is_null) {
            codes[i] = ROW_NULL;
            has_nulls = true;
            rows[count - 1 - i] = &v->rows[i];
        }
    tensor *base = make_flat(stream, type, rows, base_rows);
    CHECK_OK(row_index_new(stream->dev, count, &index));
    index->has_nulls = has_nulls;
    CHECK_OK(dev_upload(stream, index->rows, codes, count * sizeof *codes, "test"));
    CHECK_OK(tensor_new_indexed(stream, base, base_rows, index, dev_count_exact(count), &t));
    t->is_dictionary = is_dictionary;
    tensor_unref(base);
    row_index_unref(index);
    return t;
}

/* The column as the column cache gives it, if it has such a form; takes the reference over. */
static tensor *make_narrow(dev_stream *stream, tensor *t, uint64_t count)
{
    column_dictionary dictionary = {0};
    column_part *part;
    tensor *narrow;
    if (!stream->dev->is_host)
        return t;
    if (column_is_coded(t))
        CHECK_OK(column_dictionary_make(stream->dev, t, &dictionary));
    CHECK_OK(
        column_part_new(stream->dev, t, 64, count, dictionary.values ? &dictionary : NULL, &part));
    CHECK_OK(column_part_narrow(part, 64, &narrow));
    column_part_free(part);
    column_dictionary_release(&dictionary);
    if (!narrow)
        return t;
    tensor_unref(t);
    return narrow;
}

static tensor *make_column(dev_stream *stream, uint32_t index, form form)
{
    const test_values *v = state.values[index];
    data_type type = state.columns[index].type;
    const value *rows[ROWS_MAX];
    if (form != FORM_FLAT && form != FORM_NARROW) {
        tensor *t = make_indexed(stream, type, v, form != FORM_SELECTED);
        return form == FORM_NARROW_CODES ? make_narrow(stream, t, v->count) : t;
    }
    for (uint32_t i = 0; i < v->count; i++)
        rows[i] = &v->rows[i];
    tensor *t = make_flat(stream, type, rows, v->count);
    return form == FORM_NARROW ? make_narrow(stream, t, v->count) : t;
}

/* ---- running ---- */

typedef struct setup {
    mem_budget *budget;
    device *dev;
    exec_pool *pool;
    exec_query query;
    scheduled_task local;
    dev_buffer *error;
    dev_stream *stream;
    program *program;
    program_run *run;
    chunk *input;
} setup;

static uint64_t row_count(void)
{
    return state.column_count ? state.values[0]->count : 1;
}

static void setup_device(setup *s, const char *isa, form form)
{
    memset(s, 0, sizeof *s);
    CHECK_OK(mem_budget_new(0, &s->budget));
    if (strcmp(isa, "simulated"))
        CHECK_OK(dev_open_cpu(isa, 0, s->budget, &s->dev));
    else
        CHECK_OK(dev_open_simulated(0, s->budget, &s->dev));
    CHECK_OK(exec_pool_new(1, &s->pool));
    CHECK_OK(s->dev->ops->stream_open(s->dev, &s->stream));
    CHECK_OK(dev_words_new(s->stream, 2, &s->error));
    pthread_mutex_init(&s->query.lock, NULL);
    s->query.dev = s->dev;
    s->query.pool = s->pool;
    s->local.state = TASK_RUNNING;
    s->local.task = (exec_task){.query = &s->query,
                                .stream = s->stream,
                                .error = s->error->address,
                                .scheduled = &s->local};
    CHECK_OK(chunk_new(state.column_count, dev_count_exact(row_count()), &s->input));
    for (uint32_t i = 0; i < state.column_count; i++)
        s->input->columns[i] = make_column(s->stream, i, form);
}

static status setup_open(setup *s, const char *isa, form form, const expr *e)
{
    setup_device(s, isa, form);
    TRY(program_compile(&e, 1, (exec_layout){state.column_count, state.columns}, &s->program));
    return program_run_new(s->program, &s->local.task, &s->run);
}

static void setup_close(setup *s)
{
    chunk_free(s->input);
    program_run_free(s->run);
    program_free(s->program);
    dev_buffer_unref(s->error);
    s->dev->ops->stream_close(s->stream);
    exec_pool_free(s->pool);
    CHECK_EQ(mem_budget_used(s->budget), 0);
    dev_close(s->dev);
    mem_budget_free(s->budget);
    status_free(s->query.failure);
    pthread_mutex_destroy(&s->query.lock);
}

/* Until the stream has done everything. */
static void synchronize(setup *s)
{
    dev_event *event;
    CHECK_OK(s->dev->ops->event_record(s->stream, NULL, NULL, &event));
    s->dev->ops->event_wait(event);
    s->dev->ops->event_free(event);
}

/* Waits for the wake-up that the evaluation has registered: it comes before a later event. */
static void wait_woken(setup *s)
{
    synchronize(s);
    CHECK_EQ(s->local.state, TASK_WOKEN);
    s->local.state = TASK_RUNNING;
}

static const char *const isas[] = {"scalar", "avx2", "avx512", "simulated"};

static bool has_isa(const char *isa)
{
    if (!strcmp(isa, "simulated"))
        return true;
    mem_budget *budget;
    device *dev = NULL;
    CHECK_OK(mem_budget_new(0, &budget));
    status st = dev_open_cpu(isa, 0, budget, &dev);
    dev_close(dev);
    mem_budget_free(budget);
    status_free(st);
    return !st;
}

static void print_rows(const tensor *t, uint64_t rows, char *text)
{
    size_t at = 0;
    const uint64_t *validity = simulated_real(t->validity);
    const char *values = simulated_real(t->values);
    for (uint64_t i = 0; i < rows; i++) {
        value v = t->form == TENSOR_CONSTANT ? t->constant : ({
            value one = {.type = t->type};
            if (t->validity && !(validity[i / 64] >> (i % 64) & 1)) {
                one.is_null = true;
            } else {
                const char *from = values + i * t->type.width;
                if (type_is_text(t->type)) {
                    const string_view *view = (const string_view *)from;
                    one.text = simulated_real(string_data(view));
                    one.bytes = view->bytes;
                } else if (t->type.id == TYPE_BOOL) {
                    one.boolean = ((const uint64_t *)values)[i / 64] >> (i % 64) & 1;
                } else if (t->type.id == TYPE_FLOAT) {
                    one.f64 = (double)*(const float *)from;
                } else if (t->type.id == TYPE_DOUBLE) {
                    memcpy(&one.f64, from, 8);
                } else if (t->type.id == TYPE_INTERVAL) {
                    memcpy(&one.interval, from, 16);
                } else {
                    int128 number = 0;
                    memcpy(&number, from, t->type.width);
                    unsigned unused = 128 - t->type.width * 8u;
                    if (type_is_signed(t->type) || type_is_time(t->type))
                        number = (int128)((uint128)number << unused) >> unused;
                    one = value_decimal(number, t->type);
                }
            }
            one;
        });
        if (i)
            text[at++] = ';';
        if (v.is_null)
            at += (size_t)snprintf(text + at, TEXT_BYTES - at, "null");
        else
            at += value_format(&v, text + at, TEXT_BYTES - at);
        CHECK(at < TEXT_BYTES - 1);
    }
    text[at] = '\0';
}

static void rows_on(const char *file, int line, const char *isa, form form, expr *e,
                    const char *expected)
{
    static char actual[TEXT_BYTES];
    setup s;
    tensor *out = NULL, *flat = NULL;
    CHECK_OK(setup_open(&s, isa, form, e));
    exec_result done;
    while ((done = program_evaluate(s.run, 0, s.input, &out)) == EXEC_WAIT)
        wait_woken(&s);
    if (done != EXEC_FINISHED)
        test_fail(file, line, "%s, form %d: failed: %s", isa, form,
                  status_message(s.query.failure));
    CHECK(type_equal(out->type, e->type) && out->type.width == e->type.width);
    CHECK_OK(tensor_flatten(s.stream, out, s.input->rows, &flat));
    synchronize(&s);
    CHECK_EQ(*(uint32_t *)simulated_real(s.error->address), 0);
    print_rows(flat, row_count(), actual);
    tensor_unref(out);
    tensor_unref(flat);
    setup_close(&s);
    if (strcmp(actual, expected))
        test_fail(file, line, "%s, form %d: rows are\n  %s\nexpected\n  %s", isa, form, actual,
                  expected);
}

void test_rows(const char *file, int line, expr *e, const char *expected)
{
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
        for (int f = 0; f < FORM_COUNT && has_isa(isas[i]); f++)
            rows_on(file, line, isas[i], (form)f, e, expected);
}

void test_failure(const char *file, int line, expr *e, const char *part)
{
    for (int f = 0; f < FORM_COUNT; f++) {
        setup s;
        tensor *out = NULL;
        status st = setup_open(&s, "auto", (form)f, e);
        if (!st && program_evaluate(s.run, 0, s.input, &out) == EXEC_FAILED) {
            st = s.query.failure;
            s.query.failure = NULL;
        }
        tensor_unref(out);
        setup_close(&s);
        if (!st)
            test_fail(file, line, "form %d: succeeded", f);
        if (!strstr(status_message(st), part))
            test_fail(file, line, "form %d: failed with \"%s\"", f, status_message(st));
        if (status_position(st) != 7)
            test_fail(file, line, "form %d: position %d", f, (int)status_position(st));
        status_free(st);
    }
}

static void selected_on(const char *file, int line, const char *isa, form form, expr *e,
                        const char *expected)
{
    char actual[4096] = "";
    setup s;
    row_index *rows = NULL;
    dev_count count;
    dev_buffer *owner = NULL;
    CHECK_OK(setup_open(&s, isa, form, e));
    exec_result done;
    while ((done = program_select(s.run, 0, s.input, &rows, &count, &owner)) == EXEC_WAIT)
        wait_woken(&s);
    if (done != EXEC_FINISHED)
        test_fail(file, line, "%s: failed: %s", isa, status_message(s.query.failure));
    synchronize(&s);
    size_t at = 0;
    uint64_t kept = count.actual ? *(const uint64_t *)simulated_real(count.actual) : count.bound;
    const uint32_t *numbers = rows ? simulated_real(rows->rows) : NULL;
    for (uint64_t i = 0; i < kept; i++)
        at += (size_t)snprintf(actual + at, sizeof actual - at, i ? ";%u" : "%u",
                               numbers ? numbers[i] : (uint32_t)i);
    row_index_unref(rows);
    dev_buffer_unref(owner);
    setup_close(&s);
    if (strcmp(actual, expected))
        test_fail(file, line, "%s, form %d: rows are %s, expected %s", isa, form, actual, expected);
}

void test_selected(const char *file, int line, expr *e, const char *expected)
{
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
        for (int f = 0; f < FORM_COUNT && has_isa(isas[i]); f++)
            selected_on(file, line, isas[i], (form)f, e, expected);
}

void test_survives_failures(expr *e)
{
    for (int f = 0; f < FORM_COUNT; f++)
        for (uint64_t nth = 1;; nth++) {
            setup s;
            tensor *out = NULL;
            setup_device(&s, "auto", (form)f);
            const expr *const exprs[1] = {e};
            fault_arm(FAULT_ALLOC, nth, FAULT_ONCE);
            status st = program_compile(exprs, 1, (exec_layout){state.column_count, state.columns},
                                        &s.program);
            if (!st)
                st = program_run_new(s.program, &s.local.task, &s.run);
            exec_result done = st ? EXEC_FAILED : program_evaluate(s.run, 0, s.input, &out);
            bool fired = fault_disarm(FAULT_ALLOC);
            if (!st) {
                st = s.query.failure;
                s.query.failure = NULL;
            }
            CHECK_EQ(done, fired ? EXEC_FAILED : EXEC_FINISHED);
            CHECK_EQ(status_get_kind(st), fired ? STATUS_KIND_NO_MEMORY : STATUS_KIND_OK);
            CHECK((out != NULL) == !fired);
            status_free(st);
            tensor_unref(out);
            setup_close(&s);
            if (!fired)
                break;
        }
}
