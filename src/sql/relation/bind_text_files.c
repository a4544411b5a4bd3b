/* bind_text_files.c - calls of read_csv and read_json: paths and options. */
#include "sql/relation/bind_text_files.h"

#include "base/text/type_parse.h"
#include "device/host/strptime.h"
#include "sql/relation/bind_paths.h"
#include "sql/types/bind_type.h"
#include "textfile/table/text_rejects.h"

#include <strings.h>

typedef struct text_call {
    binder *b;
    const char *name;
    text_options *options;
    text_name_list paths;
} text_call;

/* ---- arguments ---- */

bool bind_find_option(const pg_node *node, const char **out_name, const pg_node **out_value)
{
    if (IsA(node, NamedArgExpr)) {
        *out_name = castNode(NamedArgExpr, node)->name;
        *out_value = castNode(NamedArgExpr, node)->arg;
        return true;
    }
    if (!IsA(node, A_Expr) || castNode(A_Expr, node)->kind != AEXPR_OP ||
        !castNode(A_Expr, node)->lexpr ||
        strcmp(strVal(list_nth(castNode(A_Expr, node)->name, 0)), "=") != 0 ||
        !IsA(castNode(A_Expr, node)->lexpr, ColumnRef) ||
        list_length(castNode(ColumnRef, castNode(A_Expr, node)->lexpr)->fields) != 1 ||
        nodeTag(list_nth(castNode(ColumnRef, castNode(A_Expr, node)->lexpr)->fields, 0)) !=
            T_String)
        return false;
    *out_name = strVal(list_nth(castNode(ColumnRef, castNode(A_Expr, node)->lexpr)->fields, 0));
    *out_value = castNode(A_Expr, node)->rexpr;
    return true;
}

const char *bind_option_text(binder *b, const pg_node *node)
{
    if (IsA(node, TypeCast))
        node = castNode(TypeCast, node)->arg; /* 't'::bool, as some parsers write true */
    if (IsA(node, A_Expr) && castNode(A_Expr, node)->kind == AEXPR_OP &&
        !castNode(A_Expr, node)->lexpr) {
        const char *number = bind_option_text(b, castNode(A_Expr, node)->rexpr);
        return number ? arena_format(b->memory, "-%s", number) : NULL;
    }
    if (!IsA(node, A_Const))
        return NULL;
    switch (nodeTag(&castNode(A_Const, node)->val)) {
    case T_Boolean:
        return castNode(A_Const, node)->val.boolval.boolval ? "true" : "false";
    case T_String:
        return castNode(A_Const, node)->val.sval.sval;
    case T_Integer:
        return arena_format(b->memory, "%d", castNode(A_Const, node)->val.ival.ival);
    case T_Float:
        return castNode(A_Const, node)->val.fval.fval;
    default:
        return NULL;
    }
}

/* ---- options ---- */

typedef enum option_kind {
    OPTION_CHARACTER, /* one, of ASCII, or none */
    OPTION_BOOL,
    OPTION_CHOICE, /* true or false, else it is found */
    OPTION_FORMAT, /* of strptime */
    OPTION_COUNT,
    OPTION_NAMES, /* a text or several */
    OPTION_TYPES,
    OPTION_COLUMNS, /* 'name type, name type', or a struct of types by name */
    OPTION_COMPRESSION,
    OPTION_ENCODING,
    OPTION_SHARE,      /* a number from 0 to 1 */
    OPTION_JSON_FORMAT /* of records */
} option_kind;

/* Formats that have the option. */
typedef enum option_owner { OF_CSV, OF_BOTH, OF_JSON } option_owner;

#define AT(member) offsetof(text_options, member)

/* The first name of those of one member is what messages say. */
static const struct text_option {
    const char *name;
    option_kind kind;
    option_owner owner;
    size_t offset;
} options[] = {
    {"delim", OPTION_CHARACTER, OF_CSV, AT(delimiter)},
    {"delimiter", OPTION_CHARACTER, OF_CSV, AT(delimiter)},
    {"sep", OPTION_CHARACTER, OF_CSV, AT(delimiter)},
    {"quote", OPTION_CHARACTER, OF_CSV, AT(quote)},
    {"escape", OPTION_CHARACTER, OF_CSV, AT(escape)},
    {"comment", OPTION_CHARACTER, OF_CSV, AT(comment)},
    {"header", OPTION_CHOICE, OF_CSV, AT(header)},
    {"names", OPTION_NAMES, OF_CSV, AT(names)},
    {"column_names", OPTION_NAMES, OF_CSV, AT(names)},
    {"types", OPTION_TYPES, OF_BOTH, AT(types)},
    {"dtypes", OPTION_TYPES, OF_BOTH, AT(types)},
    {"column_types", OPTION_TYPES, OF_BOTH, AT(types)},
    {"columns", OPTION_COLUMNS, OF_BOTH, AT(types)},
    {"nullstr", OPTION_NAMES, OF_CSV, AT(nulls)},
    {"null", OPTION_NAMES, OF_CSV, AT(nulls)},
    {"dateformat", OPTION_FORMAT, OF_BOTH, AT(date_format)},
    {"date_format", OPTION_FORMAT, OF_BOTH, AT(date_format)},
    {"timestampformat", OPTION_FORMAT, OF_BOTH, AT(timestamp_format)},
    {"timestamp_format", OPTION_FORMAT, OF_BOTH, AT(timestamp_format)},
    {"decimal_separator", OPTION_CHARACTER, OF_CSV, AT(decimal)},
    {"thousands", OPTION_CHARACTER, OF_CSV, AT(thousands)},
    {"skip", OPTION_COUNT, OF_CSV, AT(skip)},
    {"sample_size", OPTION_COUNT, OF_BOTH, AT(sample_rows)},
    {"all_varchar", OPTION_BOOL, OF_CSV, AT(all_varchar)},
    {"auto_detect", OPTION_BOOL, OF_BOTH, AT(detects_nothing)},
    {"ignore_errors", OPTION_BOOL, OF_BOTH, AT(ignores_errors)},
    {"null_padding", OPTION_BOOL, OF_CSV, AT(null_padding)},
    {"union_by_name", OPTION_BOOL, OF_BOTH, AT(union_by_name)},
    {"filename", OPTION_BOOL, OF_BOTH, AT(has_filename)},
    {"compression", OPTION_COMPRESSION, OF_BOTH, AT(compression)},
    {"encoding", OPTION_ENCODING, OF_CSV, AT(is_latin1)},
    {"format", OPTION_JSON_FORMAT, OF_JSON, AT(json_format)},
    {"records", OPTION_CHOICE, OF_JSON, AT(json_records)},
    {"maximum_depth", OPTION_COUNT, OF_JSON, AT(json_depth_most)},
    {"map_inference_threshold", OPTION_COUNT, OF_JSON, AT(json_map_fields)},
    {"field_appearance_threshold", OPTION_SHARE, OF_JSON, AT(json_field_share)},
};
#define OPTION_TOTAL (sizeof options / sizeof *options)

static status files_wrong_value(const text_call *c, const struct text_option *option,
                                int32_t location, const char *hint)
{
    return status_hint(bind_error(c->b, STATUS_KIND_INVALID, location,
                                  "option %s of %s has a wrong value", option->name, c->name),
                       "%s", hint);
}

/* "\t" may be written as C does. */
static bool set_character(binder *b, const char *text, void *member)
{
    if (!strcmp(text, "\\t"))
        text = "\t";
    (void)b;
    *(const char **)member = text;
    return !*text || (!text[1] && (unsigned char)*text < 0x80 && !strchr("\r\n", *text));
}

static bool set_choice(const char *text, void *member)
{
    bool is_yes = false, is_auto = !strcasecmp(text, "auto");
    if (!is_auto && !bool_parse(text, strlen(text), &is_yes))
        return false;
    *(text_choice *)member = is_auto ? TEXT_AUTO : is_yes ? TEXT_YES : TEXT_NO;
    return true;
}

static bool bind_text_files_set_count(const text_call *c, const char *text, void *member)
{
    int128 number;
    if (!int128_parse(text, strlen(text), &number) || number < -1 || number > INT32_MAX)
        return false;
    *(uint64_t *)member = (uint64_t)number;
    c->options->has_skip |= member == &c->options->skip;
    return number >= 0 || member != &c->options->skip;
}

static bool set_share(const char *text, void *member)
{
    double share;
    if (!double_parse(text, strlen(text), &share) || !(share >= 0 && share <= 1))
        return false;
    *(double *)member = share;
    return true;
}

static bool set_json_format(const char *text, void *member)
{
    static const struct {
        const char *name;
        text_json_format format;
    } names[] = {{"auto", TEXT_JSON_AUTO},
                 {"newline_delimited", TEXT_JSON_LINES},
                 {"nd", TEXT_JSON_LINES},
                 {"array", TEXT_JSON_VALUES},
                 {"unstructured", TEXT_JSON_VALUES}};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(text, names[i].name)) {
            *(text_json_format *)member = names[i].format;
            return true;
        }
    return false;
}

static bool set_compression(const char *text, void *member)
{
    static const char *const names[] = {"auto", "none", "gzip"};
    for (unsigned i = 0; i < 3; i++)
        if (!strcasecmp(text, names[i])) {
            *(text_compression *)member = (text_compression)i;
            return true;
        }
    return false;
}

static bool set_encoding(const char *text, void *member)
{
    static const char *const names[] = {"utf-8", "utf8", "latin-1", "latin1", "iso-8859-1"};
    for (unsigned i = 0; i < 5; i++)
        if (!strcasecmp(text, names[i])) {
            *(bool *)member = i >= 2;
            return true;
        }
    return false;
}

static status set_format(const text_call *c, const char *text, int32_t location, void *member)
{
    *(const char **)member = text;
    status st = strptime_check_format(text, strlen(text));
    int32_t position = bind_position(c->b, location);
    return st && position >= 0 ? status_at(st, position) : st;
}

/* ---- lists ---- */

static status bind_text_files_add_type(const text_call *c, const char *name, const char *type,
                                       size_t bytes, int32_t location)
{
    text_said_type said = {.name = name};
    bool is_type = type_parse(type, bytes, &said.type);
    if (!is_type)
        TRY(bind_type_of_text(c->b, type, bytes, &said.type, &is_type));
    if (is_type && type_is_nested(said.type) && c->options->kind == TEXT_CSV)
        return bind_unsupported(c->b, location, "a list, struct or map in a csv file is");
    if (!is_type)
        return bind_error(c->b, STATUS_KIND_INVALID, location, "type \"%.*s\" does not exist",
                          (int)(bytes < 60 ? bytes : 60), type);
    return array_push(c->b->memory, &c->options->types, said);
}

static const char *skip_spaces(const char *at)
{
    while (*at == ' ')
        at++;
    return at;
}

/* 'name type, name type': a comma within parentheses is the type's. */
static status add_columns(const text_call *c, const char *text, int32_t location)
{
    for (const char *at = skip_spaces(text); *at;) {
        size_t name_bytes = strcspn(at, " ,"), bytes = 0;
        const char *name = arena_copy_text(c->b->memory, at, name_bytes);
        const char *type = skip_spaces(at + name_bytes);
        for (int depth = 0; type[bytes] && (depth || type[bytes] != ','); bytes++)
            depth += (type[bytes] == '(') - (type[bytes] == ')');
        if (!name)
            return bind_no_memory();
        TRY(bind_text_files_add_type(c, name, type, bytes, location));
        TRY(array_push(c->b->memory, &c->options->names, name));
        at = skip_spaces(type + bytes + (type[bytes] == ','));
    }
    c->options->has_all_columns = true;
    return STATUS_OK;
}

static status add_item(const text_call *c, const struct text_option *option, const pg_node *node,
                       int32_t location)
{
    const char *text = bind_option_text(c->b, node);
    if (!text)
        return files_wrong_value(c, option, location, "a text, or a list of texts: ['a', 'b']");
    if (option->kind == OPTION_TYPES)
        return bind_text_files_add_type(c, NULL, text, strlen(text), location);
    text_name_list *list = (void *)((char *)c->options + option->offset);
    return array_push(c->b->memory, list, text);
}

/* Returns the fields of {'name': value, ...}; NULL: the node is something else. */
static const List *struct_fields(const pg_node *node)
{
    const FuncCall *call = IsA(node, FuncCall) ? castNode(FuncCall, node) : NULL;
    bool is_struct = call && list_length(call->funcname) == 1 &&
                     !strcmp(strVal(list_nth(call->funcname, 0)), "struct_pack");
    return is_struct ? call->args : NULL;
}

/* Takes {'name': 'type', ...}. */
static status add_named_types(const text_call *c, const struct text_option *option,
                              const List *fields, int32_t location)
{
    for (size_t i = 0; i < list_length(fields); i++) {
        const char *name, *type = NULL;
        const pg_node *value;
        if (bind_find_option(list_nth(fields, i), &name, &value))
            type = bind_option_text(c->b, value);
        if (!type)
            return files_wrong_value(c, option, location, "types by name: {'a': 'bigint'}");
        TRY(bind_text_files_add_type(c, name, type, strlen(type), bind_location(value)));
        if (option->kind == OPTION_COLUMNS)
            TRY(array_push(c->b->memory, &c->options->names, name));
    }
    c->options->has_all_columns |= option->kind == OPTION_COLUMNS;
    return STATUS_OK;
}

static status set_list(const text_call *c, const struct text_option *option, const pg_node *value,
                       int32_t location)
{
    const List *fields = struct_fields(value);
    if (fields && option->kind != OPTION_NAMES)
        return add_named_types(c, option, fields, location);
    if (!IsA(value, A_ArrayExpr))
        return add_item(c, option, value, location);
    for (size_t i = 0; i < list_length(castNode(A_ArrayExpr, value)->elements); i++)
        TRY(add_item(c, option, list_nth(castNode(A_ArrayExpr, value)->elements, i), location));
    return STATUS_OK;
}

/* ---- one option ---- */

static status set_text(const text_call *c, const struct text_option *option, const char *text,
                       int32_t location)
{
    void *member = (char *)c->options + option->offset;
    const char *hint = NULL;
    switch (option->kind) {
    case OPTION_CHARACTER:
        hint = set_character(c->b, text, member) ? NULL : "one ASCII character, or '' for none";
        break;
    case OPTION_BOOL:
        hint = bool_parse(text, strlen(text), member) ? NULL : "true or false";
        break;
    case OPTION_CHOICE:
        hint = set_choice(text, member) ? NULL : "true or false";
        break;
    case OPTION_COUNT:
        hint = bind_text_files_set_count(c, text, member) ? NULL
                                                          : "a number; sample_size => -1: all rows";
        break;
    case OPTION_COMPRESSION:
        hint = set_compression(text, member) ? NULL : "'auto', 'none' or 'gzip'";
        break;
    case OPTION_ENCODING:
        hint = set_encoding(text, member) ? NULL : "'utf-8' or 'latin-1'";
        break;
    case OPTION_SHARE:
        hint = set_share(text, member) ? NULL : "a number from 0 to 1";
        break;
    case OPTION_JSON_FORMAT:
        hint = set_json_format(text, member)
                   ? NULL
                   : "'auto', 'newline_delimited', 'array' or 'unstructured'";
        break;
    case OPTION_FORMAT:
        return set_format(c, text, location, member);
    default:
        return add_columns(c, text, location);
    }
    return hint ? files_wrong_value(c, option, location, hint) : STATUS_OK;
}

static status take_text(const text_call *c, const struct text_option *option, const char *text,
                        int32_t location)
{
    TRY(set_text(c, option, text, location));
    if (option->offset == AT(detects_nothing))
        c->options->detects_nothing = !c->options->detects_nothing;
    return STATUS_OK;
}

static const struct text_option *text_find_option(const text_call *c, const char *name)
{
    for (size_t i = 0; i < OPTION_TOTAL; i++)
        if (!strcasecmp(options[i].name, name) &&
            options[i].owner != (c->options->kind == TEXT_CSV ? OF_JSON : OF_CSV))
            return &options[i];
    return NULL;
}

static status text_take_option(const text_call *c, const char *name, const pg_node *value,
                               int32_t location)
{
    const struct text_option *option = text_find_option(c, name);
    const char *names[OPTION_TOTAL];
    for (size_t i = 0; i < OPTION_TOTAL; i++)
        names[i] = options[i].name;
    if (!option && (!strcasecmp(name, "store_rejects") || !strncasecmp(name, "rejects_", 8)))
        return status_hint(bind_error(c->b, STATUS_KIND_INVALID, location,
                                      "%s has no option \"%s\"", c->name, name),
                           "read_csv_rejects and read_json_rejects, which take the same options, "
                           "give the records that ignore_errors leaves out");
    if (!option)
        return bind_suggest(bind_error(c->b, STATUS_KIND_INVALID, location,
                                       "%s has no option \"%s\"", c->name, name),
                            name, names, OPTION_TOTAL);
    bool are_columns = option->kind == OPTION_COLUMNS && struct_fields(value);
    if (option->kind == OPTION_NAMES || option->kind == OPTION_TYPES || are_columns)
        return set_list(c, option, value, location);
    const char *text = bind_option_text(c->b, value);
    if (!text)
        return files_wrong_value(c, option, location, "a constant is expected");
    return take_text(c, option, text, location);
}

/* ---- the call ---- */

bool bind_is_text_function(const char *name, text_kind *out)
{
    static const struct {
        const char *name;
        text_kind kind;
    } functions[] = {{"read_csv", TEXT_CSV},          {"read_csv_auto", TEXT_CSV},
                     {"read_csv_rejects", TEXT_CSV},  {"read_json", TEXT_JSON},
                     {"read_json_auto", TEXT_JSON},   {"read_ndjson", TEXT_JSON},
                     {"read_ndjson_auto", TEXT_JSON}, {"read_json_rejects", TEXT_JSON}};
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
        if (!strcasecmp(name, functions[i].name)) {
            *out = functions[i].kind;
            return true;
        }
    return false;
}

static status add_source(binder *b, plan_node *node, const char *name, data_type type)
{
    plan_column column = {.id = bind_new_id(b), .name = name, .type = type, .is_nullable = true};
    b->statement->has_nested |= type_is_nested(type);
    TRY(array_push(b->memory, &node->text_scan.sources, (uint32_t)node->columns.count));
    return array_push(b->memory, &node->columns, column);
}

/* Adds the columns of the rows, or of the records that are not. */
static status add_sources(binder *b, plan_node *node)
{
    const text_table *table = node->text_scan.table;
    if (table->options->gives_rejects) {
        for (size_t i = 0; i < REJECT_COLUMNS; i++)
            TRY(add_source(b, node, text_reject_columns[i].name,
                           type_make(text_reject_columns[i].type)));
        return STATUS_OK;
    }
    for (size_t i = 0; i < table->columns.count; i++)
        TRY(add_source(b, node, table->columns.items[i].name, table->columns.items[i].type));
    return STATUS_OK;
}

/* Scans files that the statement may read. */
static status text_scan_allowed(text_call *c, int32_t location, plan_node **out)
{
    text_table *table;
    binder *b = c->b;
    status st = text_table_open(b->memory, &c->paths, c->options, &table);
    int32_t position = bind_position(b, location);
    TRY(st && position >= 0 ? status_at(st, position) : st);
    plan_node *node = plan_node_new(b->memory, PLAN_TEXT_SCAN, 0);
    if (!node)
        return bind_no_memory();
    node->text_scan.table = table;
    node->position = position;
    TRY(add_sources(b, node));
    *out = node;
    return STATUS_OK;
}

static status text_scan_of(text_call *c, int32_t location, plan_node **out)
{
    TRY(bind_check_access(c->b, location, "a path"));
    return text_scan_allowed(c, location, out);
}

static status new_call(binder *b, const char *name, text_kind kind, text_call *out)
{
    *out =
        (text_call){.b = b, .name = name, .options = arena_alloc(b->memory, sizeof(text_options))};
    if (!out->options)
        return bind_no_memory();
    out->options->kind = kind;
    out->options->json_depth_most = UINT64_MAX;
    out->options->json_map_fields = TEXT_JSON_MAP_FIELDS;
    out->options->json_field_share = TEXT_JSON_FIELD_SHARE;
    return STATUS_OK;
}

static status text_add_path(text_call *c, const pg_node *node, int32_t location)
{
    bound_path_list paths = {0};
    TRY(bind_paths(c->b, node, c->name, location, &paths));
    for (size_t i = 0; i < paths.count; i++)
        TRY(array_push(c->b->memory, &c->paths, paths.items[i].text));
    return STATUS_OK;
}

static bool gives_rejects(const char *name)
{
    return !strcasecmp(name, "read_csv_rejects") || !strcasecmp(name, "read_json_rejects");
}

status bind_text_call(binder *b, const FuncCall *call, text_kind kind, plan_node **out,
                      const char **out_path)
{
    text_call c;
    TRY(new_call(b, strVal(list_nth(call->funcname, list_length(call->funcname) - 1)), kind, &c));
    for (size_t i = 0; i < list_length(call->args); i++) {
        const pg_node *argument = list_nth(call->args, i), *value;
        const char *name;
        int32_t location = bind_location(argument);
        TRY(bind_find_option(argument, &name, &value) ? text_take_option(&c, name, value, location)
                                                      : text_add_path(&c, argument, location));
    }
    if (!c.paths.count)
        return bind_error(b, STATUS_KIND_INVALID, call->location, "%s takes one or more paths",
                          c.name);
    c.options->gives_rejects = gives_rejects(c.name);
    c.options->ignores_errors |= c.options->gives_rejects;
    *out_path = c.paths.items[0];
    return text_scan_of(&c, call->location, out);
}

status bind_text_path(binder *b, const char *path, text_kind kind, int32_t location,
                      plan_node **out)
{
    text_call c;
    TRY(new_call(b, "FROM", kind, &c));
    TRY(array_push(b->memory, &c.paths, path));
    return text_scan_of(&c, location, out);
}

/* ---- COPY ... FROM ---- */

/* The value of an option of COPY; an option alone is true. */
static const char *copy_option_text(binder *b, const DefElem *option)
{
    const pg_node *arg = option->arg;
    if (!arg)
        return "true";
    switch (nodeTag(arg)) {
    case T_String:
        return strVal(arg);
    case T_Boolean:
        return castNode(Boolean, arg)->boolval ? "true" : "false";
    case T_Integer:
        return arena_format(b->memory, "%d", castNode(Integer, arg)->ival);
    default:
        return NULL;
    }
}

static status take_copy_option(const text_call *c, const DefElem *given)
{
    const struct text_option *option = text_find_option(c, given->defname);
    const char *text = copy_option_text(c->b, given);
    if (!option || option->kind == OPTION_TYPES || option->kind == OPTION_COLUMNS)
        return bind_error(c->b, STATUS_KIND_INVALID, given->location,
                          "COPY ... FROM has no option \"%s\" for this format", given->defname);
    if (!text)
        return files_wrong_value(c, option, given->location, "a constant is expected");
    if (option->kind == OPTION_NAMES)
        return array_push(c->b->memory,
                          (text_name_list *)(void *)((char *)c->options + option->offset), text);
    return take_text(c, option, text, given->location);
}

status bind_text_copy(binder *b, const char *path, text_kind kind, const List *options_given,
                      const text_said_type *columns, size_t column_count, plan_node **out)
{
    text_call c;
    TRY(new_call(b, "COPY", kind, &c));
    TRY(array_push(b->memory, &c.paths, path));
    for (size_t i = 0; i < column_count; i++) {
        text_said_type said = columns[i];
        if (kind == TEXT_JSON)
            TRY(array_push(b->memory, &c.options->names, said.name));
        else
            said.name = NULL;
        TRY(array_push(b->memory, &c.options->types, said));
    }
    c.options->has_all_columns = kind == TEXT_JSON;
    for (size_t i = 0; i < list_length(options_given); i++) {
        const DefElem *option = castNode(DefElem, list_nth(options_given, i));
        if (strcasecmp(option->defname, "format") != 0)
            TRY(take_copy_option(&c, option));
    }
    return text_scan_of(&c, -1, out);
}

/* Makes a node of no rows. */
static status bind_text_files_no_rows(binder *b, const text_said_type *columns, size_t count,
                                      plan_node **out)
{
    plan_node *node = plan_node_new(b->memory, PLAN_VALUES, 0);
    if (!node)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        plan_column column = {.id = bind_new_id(b),
                              .name = columns[i].name,
                              .type = columns[i].type,
                              .is_nullable = true};
        TRY(array_push(b->memory, &node->columns, column));
    }
    *out = node;
    return STATUS_OK;
}

status bind_text_exchange(binder *b, const char *path, const text_said_type *columns,
                          size_t column_count, plan_node **out)
{
    text_call c;
    if (!path)
        return bind_text_files_no_rows(b, columns, column_count, out);
    TRY(new_call(b, "COPY", TEXT_CSV, &c));
    TRY(array_push(b->memory, &c.paths, path));
    for (size_t i = 0; i < column_count; i++) {
        const text_said_type said = {.type = columns[i].type};
        TRY(array_push(b->memory, &c.options->types, said));
        TRY(array_push(b->memory, &c.options->names, columns[i].name));
    }
    c.options->delimiter = ",";
    c.options->quote = "\"";
    c.options->escape = "\\";
    c.options->header = TEXT_NO;
    c.options->compression = TEXT_COMPRESSION_NONE;
    TRY(array_push(b->memory, &c.options->nulls, "\\N"));
    return text_scan_allowed(&c, -1, out);
}
