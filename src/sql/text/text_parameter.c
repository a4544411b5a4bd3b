/* text_parameter.c - parameters of a statement: ?, $1 and $name get numbers. See text.h. */
#include "sql/text/text_parameter.h"

#include "sql/text/text.h"

#define PARAMETERS_MAX 65535

static bool text_parameter_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool text_parameter_is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || text_parameter_is_digit(c) ||
           c == '_' || (unsigned char)c >= 0x80;
}

static status text_parameter_wrong(int64_t position, const char *what, const char *hint)
{
    return status_at(status_hint(status_new(STATUS_KIND_INVALID, "%s", what), "%s", hint),
                     position);
}

typedef enum style { NONE, QUESTION, NUMBERED, NAMED } style;

typedef struct finder {
    arena *memory;
    sql_text *text;
    style style;
} finder;

/* One style in a statement. */
static status use_style(finder *f, style s, int64_t position)
{
    if (f->style != NONE && f->style != s)
        return text_parameter_wrong(position,
                                    "parameters of one statement are all ?, all $1 or all $name",
                                    "write them alike");
    f->style = s;
    return STATUS_OK;
}

static status text_parameter_has_number(finder *f, uint32_t number)
{
    while (f->text->parameter_names.count <= number)
        TRY(array_push(f->memory, &f->text->parameter_names, NULL));
    return STATUS_OK;
}

static status text_parameter_parse_number(const char *at, size_t bytes, int64_t position,
                                          uint32_t *out)
{
    uint32_t number = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (!text_parameter_is_digit(at[i]) || number > PARAMETERS_MAX)
            return text_parameter_wrong(position, "a parameter is $1 to $65535, or $ and a name",
                                        "put a space behind it");
        number = number * 10 + (uint32_t)(at[i] - '0');
    }
    if (!number || number > PARAMETERS_MAX)
        return text_parameter_wrong(position, "parameters are numbered from $1 to $65535",
                                    "begin with $1");
    *out = number - 1;
    return STATUS_OK;
}

static status text_parameter_find_name(finder *f, const char *at, size_t bytes, uint32_t *out)
{
    size_t count = f->text->parameter_names.count;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = f->text->parameter_names.items[i];
        *out = i;
        if (strlen(name) == bytes && !memcmp(name, at, bytes))
            return STATUS_OK;
    }
    char *copy = arena_copy_text(f->memory, at, bytes);
    if (!copy)
        return status_no_memory("parameter", bytes);
    *out = (uint32_t)count;
    return array_push(f->memory, &f->text->parameter_names, copy);
}

/* The `?` at `at`. */
static status take_question(finder *f, const char *at)
{
    const char *all = f->text->text;
    int32_t position = (int32_t)(at - all);
    uint32_t number = (uint32_t)f->text->parameters.count;
    TRY(use_style(f, QUESTION, position));
    if ((at > all && text_parameter_is_name_byte(at[-1])) || text_parameter_is_name_byte(at[1]))
        return text_parameter_wrong(position, "a parameter ? touches a word",
                                    "put a space between them");
    TRY(text_parameter_has_number(f, number));
    return array_push(f->memory, &f->text->parameters, ((sql_parameter){position, number, false}));
}

/* The `$` at `at`, before a name or number of so many bytes. */
static status take_dollar(finder *f, const char *at, size_t bytes)
{
    int32_t position = (int32_t)(at - f->text->text);
    uint32_t number;
    if (text_parameter_is_digit(at[1])) {
        TRY(use_style(f, NUMBERED, position));
        TRY(text_parameter_parse_number(at + 1, bytes, position, &number));
        TRY(text_parameter_has_number(f, number));
    } else {
        TRY(use_style(f, NAMED, position));
        TRY(text_parameter_find_name(f, at + 1, bytes, &number));
    }
    return array_push(f->memory, &f->text->parameters, ((sql_parameter){position, number, false}));
}

status sql_text_parameters(arena *a, sql_text *text, const pg_token *tokens, size_t count)
{
    finder f = {.memory = a, .text = text};
    for (size_t i = 0; i < count; i++) {
        const char *at = text->text + tokens[i].start;
        if (tokens[i].token != TOKEN_PARAM)
            continue;
        TRY(*at == '?' ? take_question(&f, at)
                       : take_dollar(&f, at, (size_t)(tokens[i].end - tokens[i].start) - 1));
    }
    if (text->parameters.count > PARAMETERS_MAX)
        return text_parameter_wrong(text->parameters.items[PARAMETERS_MAX].position,
                                    "a statement has at most 65535 parameters",
                                    "bind rows one after the other");
    return STATUS_OK;
}

sql_parameter *sql_text_parameter(const sql_text *text, int32_t position)
{
    size_t low = 0, high = text->parameters.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (text->parameters.items[middle].position < position)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there =
        low < text->parameters.count && text->parameters.items[low].position == position;
    return is_there ? &text->parameters.items[low] : NULL;
}
