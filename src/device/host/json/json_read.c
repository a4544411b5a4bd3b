/* json_read.c - functions that read JSON texts: a value at a path, its type, its length.
 *
 * A constant path is taken apart once (plan); others when they change from one row to the next. A document that comes in
 * several rows in a row, as those of json_each do, is parsed once. */
#include "device/host/host.h"
#include "device/host/json/json_document.h"
#include "device/host/json/json_scan.h"

static bool json_takes_list(host_function function)
{
    return function == HOST_JSON_EXTRACT_LIST || function == HOST_JSON_EXTRACT_LIST_STRING;
}

static status json_plan(host_function function, host_constants args, uint32_t arg_count,
                        arena *memory, const void **out)
{
    json_path *path;
    if (arg_count < 2 || !args[1])
        return STATUS_OK;
    path = arena_alloc(memory, sizeof *path);
    if (!path)
        return status_no_memory("JSON path", sizeof *path);
    *out = path;
    return json_path_parse(memory, args[1]->text, args[1]->bytes, json_takes_list(function), path);
}

static status json_begin(host_call *c)
{
    json_state *s = mem_new(sizeof *s);
    if (!s)
        return status_no_memory("JSON", sizeof *s);
    json_memory_init(&s->memory, c->dev ? c->dev->budget : NULL);
    s->constant = c->plan;
    c->state = s;
    return STATUS_OK;
}

static void json_end(host_call *c)
{
    json_state *s = c->state;
    if (!s)
        return;
    json_memory_release(&s->memory);
    json_path_release(&s->last);
    mem_free(s);
}

const host_function_ops host_json_ops = {.plan = json_plan, .begin = json_begin, .end = json_end};
const host_function_ops host_json_member_ops = {.begin = json_begin, .end = json_end};

static bool json_same_text(const string_view *a, const string_view *b)
{
    return a->bytes == b->bytes && !memcmp(string_data(a), string_data(b), a->bytes);
}

/* ---- documents ---- */

static status json_malformed(const string_view *text, const yyjson_read_err *error)
{
    return status_hint(status_new(STATUS_KIND_DATA, "malformed JSON at byte %zu: %s: \"%.*s\"",
                                  error->pos, error->msg,
                                  (int)(text->bytes < 60 ? text->bytes : 60), string_data(text)),
                       "json_valid says which texts are JSON");
}

/* Parses the row's text, unless it is the one before. *error says how it went where NULL is returned without a failure. */
static status json_parse(host_call *c, uint64_t row, yyjson_read_err *error, yyjson_val **out)
{
    json_state *s = c->state;
    const string_view *text = host_text(c, 0, row);
    *out = NULL;
    if (!s->document || !json_same_text(text, &s->text)) {
        s->document = NULL;
        json_memory_reset(&s->memory);
        s->document = yyjson_read_opts((char *)(uintptr_t)string_data(text), text->bytes,
                                       YYJSON_READ_BIGNUM_AS_RAW, &s->memory.alc, error);
        s->text = *text;
        s->member_value = NULL;
    }
    if (s->memory.failure)
        return json_memory_failed(&s->memory);
    *out = s->document ? yyjson_doc_get_root(s->document) : NULL;
    return STATUS_OK;
}

status json_root(host_call *c, uint64_t row, yyjson_val **out)
{
    yyjson_read_err error = {0};
    TRY(json_parse(c, row, &error, out));
    return *out ? STATUS_OK : json_malformed(host_text(c, 0, row), &error);
}

/* ---- paths ---- */

static status json_path_of(host_call *c, uint64_t row, const json_path **out)
{
    json_state *s = c->state;
    const string_view *text = host_text(c, 1, row);
    *out = s->constant ? s->constant : &s->last;
    if (s->constant || (s->has_last && json_same_text(text, &s->last_path)))
        return STATUS_OK;
    s->has_last = false;
    TRY(json_path_parse(NULL, string_data(text), text->bytes, json_takes_list(c->function),
                        &s->last));
    s->last_path = *text;
    s->has_last = true;
    return STATUS_OK;
}

static yyjson_val *json_element(yyjson_val *value, int64_t index)
{
    size_t count = yyjson_arr_size(value);
    if (index < 0)
        index += (int64_t)count;
    return index < 0 ? NULL : yyjson_arr_get(value, (size_t)index);
}

/* Returns the value of one step further, or NULL. */
static yyjson_val *json_step_to(yyjson_val *value, const json_step *step)
{
    if (yyjson_is_obj(value))
        return step->kind == JSON_STEP_INDEX ? NULL
                                             : yyjson_obj_getn(value, step->key, step->bytes);
    bool is_index = step->kind == JSON_STEP_INDEX || step->is_number;
    return is_index && yyjson_is_arr(value) ? json_element(value, step->index) : NULL;
}

/* Looks for the value that the row asks for without parsing the text; *out_is_done: false: that has to be done. */
static status json_look(host_call *c, uint64_t row, json_part *part, bool *out_is_done)
{
    const string_view *text = host_text(c, 0, row);
    const json_path *path;
    *out_is_done = false;
    if (c->arg_count < 2)
        return STATUS_OK;
    TRY(json_path_of(c, row, &path));
    *out_is_done = json_scan(string_data(text), text->bytes, path, part);
    return STATUS_OK;
}

status json_find_parsed(host_call *c, uint64_t row, yyjson_val **out)
{
    const json_path *path;
    TRY(json_root(c, row, out));
    if (c->arg_count < 2)
        return STATUS_OK;
    TRY(json_path_of(c, row, &path));
    for (size_t i = 0; i < path->steps.count && *out; i++)
        *out = json_step_to(*out, &path->steps.items[i]);
    return STATUS_OK;
}

/* Parses a value of a text that was checked. */
static status json_parse_part(host_call *c, const json_part *part, yyjson_val **out)
{
    json_state *s = c->state;
    yyjson_read_err error;
    s->document = NULL;
    json_memory_reset(&s->memory);
    yyjson_doc *document = yyjson_read_opts((char *)(uintptr_t)part->start, part->bytes,
                                            YYJSON_READ_BIGNUM_AS_RAW, &s->memory.alc, &error);
    if (!document && !s->memory.failure)
        return json_malformed(&(string_view){0}, &error);
    if (!document)
        return json_memory_failed(&s->memory);
    *out = yyjson_doc_get_root(document);
    return STATUS_OK;
}

/* Finds the value that the row asks for; *out is NULL where there is none. */
static status json_find(host_call *c, uint64_t row, yyjson_val **out)
{
    json_part part;
    bool is_done;
    *out = NULL;
    TRY(json_look(c, row, &part, &is_done));
    if (!is_done)
        return json_find_parsed(c, row, out);
    return part.start ? json_parse_part(c, &part, out) : STATUS_OK;
}

/* ---- results ---- */

status json_put(host_call *c, uint64_t row, const yyjson_val *value, yyjson_write_flag flags)
{
    json_state *s = c->state;
    size_t bytes;
    char *text = yyjson_val_write_opts(value, flags, &s->memory.alc, &bytes, NULL);
    if (!text)
        return json_memory_failed(&s->memory);
    TRY(host_put_text(c, row, text, bytes));
    s->memory.alc.free(&s->memory, text);
    return STATUS_OK;
}

static status json_put_string(host_call *c, uint64_t row, yyjson_val *value)
{
    if (yyjson_is_str(value))
        return host_put_text(c, row, yyjson_get_str(value), yyjson_get_len(value));
    if (!yyjson_is_null(value))
        return json_put(c, row, value, 0);
    host_put_null(c, row);
    return STATUS_OK;
}

/* Puts what was found without parsing, if that will do. */
static bool json_put_part(host_call *c, uint64_t row, const json_part *part, bool is_string)
{
    bool has_quotes = part->start && *part->start == '"';
    if (!part->start || (is_string && *part->start == 'n'))
        host_put_null(c, row);
    else if (!part->is_written_so)
        return false;
    else if (is_string && has_quotes)
        host_put_part(c, row, part->start + 1, part->bytes - 2);
    else
        host_put_part(c, row, part->start, part->bytes);
    return true;
}

/* Finds the value; *out_is_put: it is the row's result already. */
static status json_find_or_put(host_call *c, uint64_t row, bool is_string, bool *out_is_put,
                               yyjson_val **out)
{
    json_part part;
    *out = NULL;
    TRY(json_look(c, row, &part, out_is_put));
    if (!*out_is_put)
        return json_find_parsed(c, row, out);
    *out_is_put = json_put_part(c, row, &part, is_string);
    return *out_is_put ? STATUS_OK : json_parse_part(c, &part, out);
}

status host_json_extract(host_call *c, uint64_t row)
{
    yyjson_val *value;
    bool is_put;
    TRY(json_find_or_put(c, row, false, &is_put, &value));
    if (is_put)
        return STATUS_OK;
    if (value)
        return json_put(c, row, value, 0);
    host_put_null(c, row);
    return STATUS_OK;
}

status host_json_extract_string(host_call *c, uint64_t row)
{
    yyjson_val *value;
    bool is_put;
    TRY(json_find_or_put(c, row, true, &is_put, &value));
    if (is_put)
        return STATUS_OK;
    if (value)
        return json_put_string(c, row, value);
    host_put_null(c, row);
    return STATUS_OK;
}

/* Arrays and objects are NULL. */
status host_json_value(host_call *c, uint64_t row)
{
    yyjson_val *value;
    TRY(json_find(c, row, &value));
    if (value && !yyjson_is_ctn(value) && !yyjson_is_null(value))
        return json_put(c, row, value, 0);
    host_put_null(c, row);
    return STATUS_OK;
}

/* Finds the value: by the text alone, *out_is_done and the part, or by what it is parsed to. */
static status json_find_either(host_call *c, uint64_t row, json_part *part, bool *out_is_done,
                               yyjson_val **out)
{
    *out = NULL;
    TRY(json_look(c, row, part, out_is_done));
    return *out_is_done ? STATUS_OK : json_find_parsed(c, row, out);
}

status host_json_exists(host_call *c, uint64_t row)
{
    json_part part;
    yyjson_val *value;
    bool is_done;
    TRY(json_find_either(c, row, &part, &is_done, &value));
    host_put_boolean(c, row, is_done ? part.start != NULL : value != NULL);
    return STATUS_OK;
}

status host_json_valid(host_call *c, uint64_t row)
{
    yyjson_read_err error;
    yyjson_val *value;
    TRY(json_parse(c, row, &error, &value));
    host_put_boolean(c, row, value != NULL);
    return STATUS_OK;
}

status host_json_pretty(host_call *c, uint64_t row)
{
    yyjson_val *value;
    TRY(json_find(c, row, &value));
    return json_put(c, row, value, YYJSON_WRITE_PRETTY);
}

/* ---- what a value is ---- */

const char *json_type_name(yyjson_val *value)
{
    switch (yyjson_get_tag(value)) {
    case YYJSON_TYPE_NULL | YYJSON_SUBTYPE_NONE:
        return "NULL";
    case YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_TRUE:
    case YYJSON_TYPE_BOOL | YYJSON_SUBTYPE_FALSE:
        return "BOOLEAN";
    case YYJSON_TYPE_NUM | YYJSON_SUBTYPE_UINT:
        return "UBIGINT";
    case YYJSON_TYPE_NUM | YYJSON_SUBTYPE_SINT:
        return "BIGINT";
    case YYJSON_TYPE_NUM | YYJSON_SUBTYPE_REAL:
    case YYJSON_TYPE_RAW | YYJSON_SUBTYPE_NONE:
        return "DOUBLE";
    case YYJSON_TYPE_ARR | YYJSON_SUBTYPE_NONE:
        return "ARRAY";
    case YYJSON_TYPE_OBJ | YYJSON_SUBTYPE_NONE:
        return "OBJECT";
    default:
        return "VARCHAR";
    }
}

status host_json_type(host_call *c, uint64_t row)
{
    yyjson_val *value;
    TRY(json_find(c, row, &value));
    if (!value) {
        host_put_null(c, row);
        return STATUS_OK;
    }
    const char *name = json_type_name(value);
    return host_put_text(c, row, name, strlen(name));
}

/* Gives 0 for anything but an array. */
status host_json_array_length(host_call *c, uint64_t row)
{
    json_part part;
    yyjson_val *value;
    bool is_done;
    TRY(json_find_either(c, row, &part, &is_done, &value));
    if (is_done ? !part.start : !value)
        host_put_null(c, row);
    else
        host_put_integer(c, row, (int64_t)(is_done ? part.elements : yyjson_arr_size(value)));
    return STATUS_OK;
}

/* ---- members ---- */

/* How many values an array or object has. */
status host_json_members(host_call *c, uint64_t row)
{
    yyjson_val *value;
    TRY(json_root(c, row, &value));
    host_put_integer(c, row, yyjson_is_ctn(value) ? (int64_t)yyjson_get_len(value) : 1);
    return STATUS_OK;
}

/* Goes to member `number` of the container, from the one before if that was asked for last. */
static void json_go_to(json_state *s, yyjson_val *root, size_t number)
{
    bool is_object = yyjson_is_obj(root);
    if (!s->member_value || number < s->member) {
        yyjson_val *first = unsafe_yyjson_get_first(root);
        s->member_key = first;
        s->member_value = is_object ? unsafe_yyjson_get_next(first) : first;
        s->member = 0;
    }
    for (; s->member < number; s->member++) {
        s->member_key = unsafe_yyjson_get_next(s->member_value);
        s->member_value = is_object ? unsafe_yyjson_get_next(s->member_key) : s->member_key;
    }
}

/* Finds member n of the row's document, its key NULL in arrays; a value alone is its own member. */
static status json_find_member(host_call *c, uint64_t row, yyjson_val **key, yyjson_val **value)
{
    json_state *s = c->state;
    yyjson_val *root;
    int64_t number = host_integer(c, 1, row);
    TRY(json_root(c, row, &root));
    *key = NULL;
    *value = yyjson_is_ctn(root) ? NULL : root;
    if (*value || number < 0 || (size_t)number >= yyjson_get_len(root))
        return STATUS_OK;
    json_go_to(s, root, (size_t)number);
    *key = yyjson_is_obj(root) ? s->member_key : NULL;
    *value = s->member_value;
    return STATUS_OK;
}

status host_json_member(host_call *c, uint64_t row)
{
    yyjson_val *key, *value;
    TRY(json_find_member(c, row, &key, &value));
    if (value)
        return json_put(c, row, value, 0);
    host_put_null(c, row);
    return STATUS_OK;
}

/* Gives the key of an object, the number in an array, NULL for a value alone. */
status host_json_member_key(host_call *c, uint64_t row)
{
    yyjson_val *key, *value, *root;
    char number[24];
    TRY(json_root(c, row, &root));
    TRY(json_find_member(c, row, &key, &value));
    if (key)
        return host_put_text(c, row, yyjson_get_str(key), yyjson_get_len(key));
    if (!yyjson_is_arr(root)) {
        host_put_null(c, row);
        return STATUS_OK;
    }
    int bytes = snprintf(number, sizeof number, "%lld", (long long)host_integer(c, 1, row));
    return host_put_text(c, row, number, (size_t)bytes);
}

/* ---- whether one value is in another ---- */

static bool json_contains(yyjson_val *value, yyjson_val *wanted, unsigned depth);

static bool json_contains_members(yyjson_val *value, yyjson_val *wanted, unsigned depth)
{
    yyjson_obj_iter members = yyjson_obj_iter_with(wanted);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&members));) {
        yyjson_val *own = yyjson_obj_getn(value, yyjson_get_str(key), yyjson_get_len(key));
        if (!own || !json_contains(own, yyjson_obj_iter_get_val(key), depth))
            return false;
    }
    return true;
}

static bool json_contains_elements(yyjson_val *value, yyjson_val *wanted, unsigned depth)
{
    yyjson_arr_iter elements = yyjson_arr_iter_with(wanted);
    for (yyjson_val *element; (element = yyjson_arr_iter_next(&elements));) {
        bool is_in = false;
        yyjson_arr_iter own = yyjson_arr_iter_with(value);
        for (yyjson_val *x; !is_in && (x = yyjson_arr_iter_next(&own));)
            is_in = json_contains(x, element, depth);
        if (!is_in)
            return false;
    }
    return true;
}

static bool json_contains_same(yyjson_val *value, yyjson_val *wanted, unsigned depth)
{
    if (yyjson_is_obj(value) && yyjson_is_obj(wanted))
        return json_contains_members(value, wanted, depth);
    if (yyjson_is_arr(value) && yyjson_is_arr(wanted))
        return json_contains_elements(value, wanted, depth);
    return yyjson_equals(value, wanted);
}

#define CONTAINS_DEPTH_MAX 100

/* Whether `wanted` is the value, a part of it, or in it anywhere below. */
static bool json_contains(yyjson_val *value, yyjson_val *wanted, unsigned depth)
{
    if (depth > CONTAINS_DEPTH_MAX)
        return false;
    if (json_contains_same(value, wanted, depth + 1))
        return true;
    yyjson_arr_iter elements = yyjson_arr_iter_with(value);
    for (yyjson_val *x; (x = yyjson_arr_iter_next(&elements));)
        if (json_contains(x, wanted, depth + 1))
            return true;
    yyjson_obj_iter members = yyjson_obj_iter_with(value);
    for (yyjson_val *key; (key = yyjson_obj_iter_next(&members));)
        if (json_contains(yyjson_obj_iter_get_val(key), wanted, depth + 1))
            return true;
    return false;
}

status host_json_contains(host_call *c, uint64_t row)
{
    json_state *s = c->state;
    yyjson_read_err error;
    const string_view *wanted = host_text(c, 1, row);
    yyjson_val *value;
    TRY(json_root(c, row, &value));
    yyjson_doc *other = yyjson_read_opts((char *)(uintptr_t)string_data(wanted), wanted->bytes,
                                         YYJSON_READ_BIGNUM_AS_RAW, &s->memory.alc, &error);
    if (!other)
        return s->memory.failure ? json_memory_failed(&s->memory) : json_malformed(wanted, &error);
    host_put_boolean(c, row, json_contains(value, yyjson_doc_get_root(other), 0));
    return STATUS_OK;
}
