/* bind_copy.c - COPY's options, and what its format cannot hold. */
#include "sql/statement/bind_copy.h"

#include "parquet/write/writer.h"
#include "parquet/write/writer_stage.h"
#include "sql/statement/bind_copy_keys.h"
#include "sql/text/tree.h"
#include "sql/types/binder.h"

#include <strings.h>

/* ---- formats ---- */

#define FORMATS "parquet, csv, tsv, json, jsonl, arrow or arrows"

/* Sets of formats: a bit for each row_format, and two more. */
#define FOR_PARQUET (1u << ROW_FORMAT_COUNT)
#define FOR_ARROW (2 * FOR_PARQUET)
#define FOR_CSV (1u << ROW_CSV)
#define FOR_TSV (1u << ROW_TSV)
#define FOR_ALL_BUT_ARROW (2 * FOR_PARQUET - 1)
#define FOR_ALL (FOR_ALL_BUT_ARROW | FOR_ARROW)

static unsigned format_bit(const sql_copy *copy)
{
    if (copy->is_arrow)
        return FOR_ARROW;
    return copy->is_parquet ? FOR_PARQUET : 1u << copy->style.format;
}

static const char *format_name(const sql_copy *copy)
{
    if (copy->is_arrow)
        return copy->is_arrow_stream ? "arrows" : "arrow";
    return copy->is_parquet ? "parquet" : row_format_name(copy->style.format);
}

/* .arrow, .feather and .ipc are files, .arrows is a stream. */
static bool find_arrow_format(const char *name, sql_copy *out)
{
    out->is_arrow_stream = !strcasecmp(name, "arrows");
    out->is_arrow = out->is_arrow_stream || !strcasecmp(name, "arrow") ||
                    !strcasecmp(name, "feather") || !strcasecmp(name, "ipc");
    out->style = row_style_default(ROW_CSV);
    return out->is_arrow;
}

static bool bind_copy_find_format(const char *name, sql_copy *out)
{
    row_format format;
    if (find_arrow_format(name, out))
        return true;
    out->is_parquet = !strcasecmp(name, "parquet");
    if (!out->is_parquet && !row_format_find(name, strlen(name), &format))
        return false;
    out->style = row_style_default(out->is_parquet ? ROW_CSV : format);
    return true;
}

/* Returns where the path stands: after TO, outside parentheses. */
static int32_t path_location(const binder *b)
{
    pg_token *tokens;
    size_t count = 0;
    int depth = 0;
    status st = sql_scan(b->memory, b->text->text, &tokens, &count);
    if (st) {
        status_free(st);
        return -1;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        depth += tokens[i].token == '(';
        depth -= tokens[i].token == ')';
        if (!depth && tokens[i].token == TOKEN_TO)
            return tokens[i + 1].start;
    }
    return -1;
}

static status format_of_path(const binder *b, sql_copy *out)
{
    const char *slash = strrchr(out->path, '/'), *name = slash ? slash + 1 : out->path;
    const char *point = strrchr(name, '.');
    bool is_gzip = point && point != name && !strcasecmp(point, ".gz");
    const char *plain = is_gzip ? arena_copy_text(b->memory, name, (size_t)(point - name)) : name;
    if (!plain)
        return bind_no_memory();
    point = strrchr(plain, '.');
    if (point && bind_copy_find_format(point + 1, out) &&
        !(is_gzip && (out->is_parquet || out->is_arrow))) {
        out->is_gzip = is_gzip;
        return STATUS_OK;
    }
    return status_hint(bind_error(b, STATUS_KIND_INVALID, path_location(b),
                                  "the name \"%s\" does not say which format to write", name),
                       "end it with .parquet, .csv, .tsv, .json, .jsonl or .arrow, or say "
                       "(FORMAT parquet)");
}

/* ---- options ---- */

typedef enum option_id {
    OPTION_FORMAT,
    OPTION_CODEC,
    OPTION_LEVEL,
    OPTION_ROW_GROUP_SIZE,
    OPTION_PER_RANK,
    OPTION_HEADER,
    OPTION_DELIMITER,
    OPTION_NULL,
    OPTION_PARTITION_BY,
    OPTION_OVER,
    OPTION_APPEND,
    OPTION_REPLACE
} option_id;

/* The first name of an id is the one that messages use. */
static const struct {
    const char *name;
    option_id id;
    unsigned formats; /* that have it */
} options[] = {
    {"format", OPTION_FORMAT, FOR_ALL},
    {"codec", OPTION_CODEC, FOR_ALL},
    {"compression", OPTION_CODEC, FOR_ALL},
    {"compression_level", OPTION_LEVEL, FOR_ALL},
    {"row_group_size", OPTION_ROW_GROUP_SIZE, FOR_PARQUET},
    {"per_rank", OPTION_PER_RANK, FOR_PARQUET},
    {"header", OPTION_HEADER, FOR_CSV | FOR_TSV},
    {"delimiter", OPTION_DELIMITER, FOR_CSV},
    {"delim", OPTION_DELIMITER, FOR_CSV},
    {"sep", OPTION_DELIMITER, FOR_CSV},
    {"null", OPTION_NULL, FOR_CSV},
    {"partition_by", OPTION_PARTITION_BY, FOR_ALL_BUT_ARROW},
    {"overwrite_or_ignore", OPTION_OVER, FOR_ALL_BUT_ARROW},
    {"append", OPTION_APPEND, FOR_ALL_BUT_ARROW},
    {"overwrite", OPTION_REPLACE, FOR_ALL_BUT_ARROW},
};
#define OPTION_COUNT (sizeof options / sizeof *options)

/* NULL is status: *out is its place in options. */
static status find_option(const binder *b, const DefElem *option, size_t *out)
{
    const char *names[OPTION_COUNT];
    for (*out = 0; *out < OPTION_COUNT; ++*out) {
        if (!strcasecmp(options[*out].name, option->defname))
            return STATUS_OK;
        names[*out] = options[*out].name;
    }
    return bind_suggest(bind_error(b, STATUS_KIND_INVALID, option->location,
                                   "COPY has no option \"%s\"", option->defname),
                        option->defname, names, OPTION_COUNT);
}

/* An option's value as text: csv, 'csv', 1000; "" where there is none. */
static status option_text(const binder *b, const DefElem *option, const char **out)
{
    const pg_node *arg = option->arg;
    *out = "";
    if (!arg)
        return STATUS_OK;
    switch (nodeTag(arg)) {
    case T_String:
        *out = strVal(arg);
        return STATUS_OK;
    case T_Boolean: /* of COPY ... TO 'file' CSV HEADER */
        *out = castNode(Boolean, arg)->boolval ? "true" : "false";
        return STATUS_OK;
    case T_Integer:
        *out = arena_format(b->memory, "%d", castNode(Integer, arg)->ival);
        return *out ? STATUS_OK : bind_no_memory();
    case T_Float:
        *out = castNode(Float, arg)->fval;
        return STATUS_OK;
    default:
        return bind_unsupported(b, option->location, "a value of this kind is");
    }
}

static status wrong_copy_value(const binder *b, const DefElem *option, const char *text,
                               const char *allowed)
{
    return status_hint(bind_error(b, STATUS_KIND_INVALID, option->location,
                                  "COPY option %s cannot be \"%s\"", option->defname, text),
                       "%s", allowed);
}

static bool set_arrow_codec(pq_codec codec, sql_copy *out)
{
    out->codec = codec;
    out->has_codec = codec != PQ_CODEC_NONE;
    return !out->has_codec || codec == PQ_CODEC_ZSTD || codec == PQ_CODEC_LZ4_RAW;
}

static bool find_codec(const char *name, sql_copy *out)
{
    static const struct {
        const char *name;
        pq_codec codec;
    } codecs[] = {{"none", PQ_CODEC_NONE},     {"uncompressed", PQ_CODEC_NONE},
                  {"snappy", PQ_CODEC_SNAPPY}, {"gzip", PQ_CODEC_GZIP},
                  {"zstd", PQ_CODEC_ZSTD},     {"brotli", PQ_CODEC_BROTLI},
                  {"lz4", PQ_CODEC_LZ4_RAW},   {"lz4_raw", PQ_CODEC_LZ4_RAW}};
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++)
        if (!strcasecmp(codecs[i].name, name)) {
            if (out->is_arrow)
                return set_arrow_codec(codecs[i].codec, out);
            out->is_gzip = codecs[i].codec == PQ_CODEC_GZIP;
            if (!out->is_parquet)
                return out->is_gzip || codecs[i].codec == PQ_CODEC_NONE;
            out->codec = codecs[i].codec;
            return out->has_codec = true;
        }
    return false;
}
#define CODECS "none, uncompressed, snappy, gzip, zstd, brotli, lz4 or lz4_raw"
#define TEXT_CODECS "none or gzip"
#define ARROW_CODECS "none, lz4 or zstd"

#define LEVEL_MOST 22 /* zstd's */

static bool set_level(const char *text, sql_copy *out)
{
    int128 number;
    if (!int128_parse(text, strlen(text), &number) || number < 1 ||
        number > (out->is_parquet || out->is_arrow ? LEVEL_MOST : 9))
        return false;
    out->codec_level = (int)number;
    return true;
}

static bool set_rows(const char *text, sql_copy *out)
{
    int128 number;
    if (!int128_parse(text, strlen(text), &number) || number < 1 || number > INT32_MAX)
        return false;
    out->row_group_rows = (uint64_t)number;
    return true;
}

/* Without a value it is true. */
static bool set_bool(const char *text, bool *out)
{
    *out = true;
    return !*text || bool_parse(text, strlen(text), out);
}

static bool set_into(const char *text, sql_copy_into into, sql_copy *out)
{
    bool is_wanted;
    if (!set_bool(text, &is_wanted))
        return false;
    out->into = is_wanted ? into : out->into;
    return true;
}

/* Not what ends a line or quotes, nor a part of a longer character. */
static bool set_delimiter(const char *text, sql_copy *out)
{
    out->style.delimiter = *text;
    return *text && !text[1] && (unsigned char)*text < 0x80 && !strchr("\r\n\"", *text);
}

static bool bind_copy_set_null(const char *text, sql_copy *out)
{
    out->style.null_text = text;
    return !strpbrk(text, "\r\n\"");
}

static status set_option(const binder *b, const DefElem *option, option_id id, sql_copy *out)
{
    const char *text, *allowed = NULL;
    if (id == OPTION_PARTITION_BY)
        return bind_copy_keys(b, option, out);
    TRY(option_text(b, option, &text));
    switch (id) {
    case OPTION_FORMAT:
        allowed = bind_copy_find_format(text, out) ? NULL : FORMATS;
        break;
    case OPTION_CODEC:
        allowed = find_codec(text, out) ? NULL
                  : out->is_parquet     ? CODECS
                  : out->is_arrow       ? ARROW_CODECS
                                        : TEXT_CODECS;
        break;
    case OPTION_LEVEL:
        allowed = set_level(text, out) ? NULL : "1 to 9, of zstd to 22";
        break;
    case OPTION_ROW_GROUP_SIZE:
        allowed = set_rows(text, out) ? NULL : "a number of rows";
        break;
    case OPTION_PER_RANK:
        allowed = set_bool(text, &out->is_per_rank) ? NULL : "true or false";
        break;
    case OPTION_HEADER:
        allowed = set_bool(text, &out->style.has_header) ? NULL : "true or false";
        break;
    case OPTION_DELIMITER:
        allowed = set_delimiter(text, out) ? NULL : "one ASCII character, no quote or line end";
        break;
    case OPTION_NULL:
        allowed = bind_copy_set_null(text, out) ? NULL : "a text without quotes and line ends";
        break;
    case OPTION_OVER:
        allowed = set_into(text, SQL_COPY_OVER, out) ? NULL : "true or false";
        break;
    case OPTION_APPEND:
        allowed = set_into(text, SQL_COPY_APPEND, out) ? NULL : "true or false";
        break;
    case OPTION_REPLACE:
        allowed = set_into(text, SQL_COPY_REPLACE, out) ? NULL : "true or false";
        break;
    case OPTION_PARTITION_BY: /* a list, no text */
        break;
    }
    return allowed ? wrong_copy_value(b, option, text, allowed) : STATUS_OK;
}

static status take_option(const binder *b, const DefElem *option, size_t index, sql_copy *out)
{
    if (!(options[index].formats & format_bit(out)))
        return bind_error(b, STATUS_KIND_INVALID, option->location,
                          "the format %s has no option \"%s\"", format_name(out), option->defname);
    return set_option(b, option, options[index].id, out);
}

/* The format first: others depend on it. */
static status take_options(const binder *b, const CopyStmt *tree, bool is_format, unsigned *seen,
                           sql_copy *out)
{
    for (size_t i = 0; i < list_length(tree->options); i++) {
        const DefElem *option = castNode(DefElem, list_nth(tree->options, i));
        size_t index;
        TRY(find_option(b, option, &index));
        option_id id = options[index].id;
        if ((id == OPTION_FORMAT) != is_format)
            continue;
        if (*seen >> id & 1)
            return bind_error(b, STATUS_KIND_INVALID, option->location,
                              "COPY option %s is given twice", options[index].name);
        *seen |= 1u << id;
        TRY(is_format ? set_option(b, option, id, out) : take_option(b, option, index, out));
    }
    return STATUS_OK;
}

/* Its path is a folder's, whose name says nothing of the files in it. */
static bool is_of_folder(const CopyStmt *tree)
{
    for (size_t i = 0; i < list_length(tree->options); i++)
        if (!strcasecmp(castNode(DefElem, list_nth(tree->options, i))->defname, "per_rank") ||
            !strcasecmp(castNode(DefElem, list_nth(tree->options, i))->defname, "partition_by"))
            return true;
    return false;
}

/* The highest level of the codec; 0: it has none. */
static int level_most(const sql_copy *copy)
{
    if (copy->is_gzip)
        return 9;
    if (!copy->has_codec)
        return 0;
    return copy->codec == PQ_CODEC_ZSTD ? 22 : copy->codec == PQ_CODEC_BROTLI ? 11 : 0;
}

/* Checks options that only together mean something, or only apart. */
static status check_together(const binder *b, unsigned seen, const sql_copy *copy)
{
    const unsigned into = 1u << OPTION_OVER | 1u << OPTION_APPEND | 1u << OPTION_REPLACE;
    const char *message = NULL;
    bool is_partitioned = seen >> OPTION_PARTITION_BY & 1;
    if (copy->is_per_rank && is_partitioned)
        message = "COPY takes PER_RANK or PARTITION_BY, not both";
    else if (__builtin_popcount(seen & into) > 1)
        message = "COPY takes one of OVERWRITE, OVERWRITE_OR_IGNORE and APPEND";
    else if (copy->is_gzip && !copy->is_parquet && is_partitioned)
        message = "COPY writes compressed text to one file, not to PARTITION_BY's";
    else if (copy->codec_level > level_most(copy))
        message =
            "COPY takes COMPRESSION_LEVEL with gzip (1 to 9), brotli (to 11) and zstd (to 22)";
    else if (seen & into && copy->is_per_rank)
        message = "COPY with PER_RANK makes a new folder";
    else if (copy->into == SQL_COPY_APPEND && !is_partitioned)
        message = "COPY takes APPEND with PARTITION_BY: a file is written anew";
    else if (!copy->is_parquet && *copy->style.null_text &&
             strchr(copy->style.null_text, copy->style.delimiter))
        message = "COPY's text for NULL must not hold its delimiter";
    return message ? bind_error(b, STATUS_KIND_INVALID, b->text->start, "%s", message) : STATUS_OK;
}

status bind_copy_options(const binder *b, const CopyStmt *tree, sql_copy *out)
{
    unsigned seen = 0;
    *out = (sql_copy){.path = tree->filename};
    TRY(take_options(b, tree, true, &seen, out));
    if (!seen && is_of_folder(tree))
        out->is_parquet = bind_copy_find_format("parquet", out);
    else if (!seen)
        TRY(format_of_path(b, out));
    TRY(take_options(b, tree, false, &seen, out));
    return check_together(b, seen, out);
}

/* ---- columns ---- */

/* Checks that no column is named twice. */
static status check_named_once(const binder *b, const CopyStmt *tree)
{
    for (size_t i = 0; i < list_length(tree->attlist); i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(strVal(list_nth(tree->attlist, i)), strVal(list_nth(tree->attlist, k))))
                return bind_error(b, STATUS_KIND_INVALID, tree->relation->location,
                                  "column \"%s\" is named twice",
                                  strVal(list_nth(tree->attlist, i)));
    return STATUS_OK;
}

status bind_copy_columns(const binder *b, const CopyStmt *tree, const pg_node **out)
{
    size_t count = list_length(tree->attlist);
    pg_node *from = (pg_node *)tree->relation;
    SelectStmt *select = arena_alloc(b->memory, sizeof *select);
    pg_node **targets = arena_alloc_array(b->memory, count, sizeof *targets);
    TRY(check_named_once(b, tree));
    if (!select || !targets)
        return bind_no_memory();
    for (size_t i = 0; i < count; i++) {
        ResTarget *target = arena_alloc(b->memory, sizeof *target);
        int32_t location = tree->relation->location;
        if (!target)
            return bind_no_memory();
        *target = (ResTarget){
            .type = T_ResTarget,
            .val = tree_column(b->memory, NULL, strVal(list_nth(tree->attlist, i)), location),
            .location = location};
        targets[i] = target->val ? (pg_node *)target : NULL;
    }
    *select = (SelectStmt){.type = T_SelectStmt,
                           .targetList = tree_list(b->memory, targets, count),
                           .fromClause = tree_list(b->memory, &from, 1)};
    *out = (const pg_node *)select;
    return select->targetList && select->fromClause ? STATUS_OK : bind_no_memory();
}

static bool is_star(const ResTarget *target)
{
    const pg_node *value = target->val;
    if (!value || !IsA(value, ColumnRef))
        return false;
    const ColumnRef *ref = castNode(ColumnRef, value);
    return list_length(ref->fields) &&
           IsA(list_nth(ref->fields, list_length(ref->fields) - 1), A_Star);
}

/* Returns where column `index` of `count` stands in the select list that names the query's columns: before the first
 * star by its number from the left, after the last one from the right, else the star. */
static int32_t column_location(const CopyStmt *tree, size_t index, size_t count)
{
    if (!tree->query || !IsA(tree->query, SelectStmt))
        return tree->relation ? tree->relation->location : -1;
    const pg_select *select = castNode(SelectStmt, tree->query);
    while (select->larg)
        select = select->larg;
    size_t targets = list_length(select->targetList), first = 0, last = targets;
    if (!targets)
        return -1; /* VALUES has none */
    while (first < targets && !is_star(castNode(ResTarget, list_nth(select->targetList, first))))
        first++;
    while (last > 0 && !is_star(castNode(ResTarget, list_nth(select->targetList, last - 1))))
        last--;
    size_t behind = targets - last, at = first;
    if (index < first)
        at = index;
    else if (last && index + behind >= count)
        at = targets - (count - index);
    return castNode(ResTarget, list_nth(select->targetList, at < targets ? at : targets - 1))
        ->location;
}

status bind_copy_check(const binder *b, const CopyStmt *tree, const sql_copy *copy,
                       const plan_node *root)
{
    const plan_column_list *columns = &root->columns;
    for (size_t i = 0; i < columns->count; i++) {
        const plan_column *column = &columns->items[i];
        int32_t location = column_location(tree, i, columns->count);
        location = location < 0 ? b->text->start : location;
        char type[TYPE_NAME_BYTES];
        if (copy->is_parquet && !pq_writer_can_hold(column->type))
            return status_hint(bind_error(b, STATUS_KIND_UNSUPPORTED, location,
                                          "a Parquet file cannot hold column \"%s\" of type %s",
                                          column->name, type_name(column->type, type)),
                               "write CAST(... AS varchar), or another format");
    }
    return STATUS_OK;
}
