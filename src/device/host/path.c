/* path.c - parts of a path of files. */
#include "device/host/host.h"

/* NULL, and true, where the path is; the other arguments may be NULL, as if they were not there. */
static bool put_null_of_path(host_call *c, uint64_t row)
{
    bool is_null = host_is_null(c, 0, row);
    if (is_null)
        host_put_null(c, row);
    return is_null;
}

/* The separators that the argument names: those of the system ("/"), or of either kind. */
static const char *separators_of(const host_call *c, uint32_t arg, uint64_t row)
{
    static const struct {
        const char *name, *separators;
    } kinds[] = {
        {"both_slash", "/\\"}, {"backslash", "\\"}, {"forward_slash", "/"}, {"system", "/"}};
    if (arg >= c->arg_count || host_is_null(c, arg, row))
        return "/\\";
    const string_view *name = host_text(c, arg, row);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (name->bytes == strlen(kinds[i].name) &&
            !memcmp(string_data(name), kinds[i].name, name->bytes))
            return kinds[i].separators;
    return "/\\";
}

static bool is_separator(const char *separators, char c)
{
    return c == separators[0] || (separators[1] && c == separators[1]);
}

/* Returns the offset after the last separator; 0: the path has no separator. */
static size_t name_start(const string_view *path, const char *separators)
{
    size_t at = path->bytes;
    while (at && !is_separator(separators, string_data(path)[at - 1]))
        at--;
    return at;
}

status host_parse_filename(host_call *c, uint64_t row)
{
    if (put_null_of_path(c, row))
        return STATUS_OK;
    const string_view *path = host_text(c, 0, row);
    const uint64_t *cut = c->arg_count > 1 && !host_is_null(c, 1, row) ? c->args[1].values : NULL;
    uint64_t cut_at = cut ? row * c->args[1].stride : 0;
    size_t start = name_start(path, separators_of(c, 2, row)), end = path->bytes;
    const char *text = string_data(path);
    if (cut && cut[cut_at / 64] >> (cut_at % 64) & 1) {
        size_t dot = end;
        while (dot > start && text[dot - 1] != '.')
            dot--;
        end = dot > start ? dot - 1 : end;
    }
    host_put_part(c, row, text + start, end - start);
    return STATUS_OK;
}

/* The first folder: of an absolute path its root. */
status host_parse_dirname(host_call *c, uint64_t row)
{
    if (put_null_of_path(c, row))
        return STATUS_OK;
    const string_view *path = host_text(c, 0, row);
    const char *text = string_data(path), *separators = separators_of(c, 1, row);
    size_t end = 0;
    while (end < path->bytes && !is_separator(separators, text[end]))
        end++;
    if (end < path->bytes)
        host_put_part(c, row, text, end ? end : 1);
    return STATUS_OK;
}

/* All that stands before the last separator. */
status host_parse_dirpath(host_call *c, uint64_t row)
{
    if (put_null_of_path(c, row))
        return STATUS_OK;
    const string_view *path = host_text(c, 0, row);
    size_t start = name_start(path, separators_of(c, 1, row));
    size_t end = start ? start - 1 : 0;
    if (path->bytes == 1 && start == 1)
        end = 1;
    host_put_part(c, row, string_data(path), end);
    return STATUS_OK;
}
