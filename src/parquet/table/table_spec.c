/* table_spec.c - the words before a table's path. */
#include "parquet/table/table_spec.h"

static const char local_word[] = "local:", replicated_word[] = "replicated:",
                  partitioned_word[] = "partitioned_by=(", types_word[] = "hive_types=(",
                  united_word[] = "union_by_name:", filename_word[] = "filename:";

/* Returns the text after the word, if it begins with it; else NULL. */
static const char *behind(const char *text, const char *word)
{
    size_t bytes = strlen(word);
    return strncmp(text, word, bytes) ? NULL : text + bytes;
}

static const struct {
    const char *word;
    pq_hive hive;
} hive_words[] = {{"hive_partitioning=auto:", PQ_HIVE_AUTO},
                  {"hive_partitioning=off:", PQ_HIVE_OFF},
                  {"hive_partitioning=on:", PQ_HIVE_ON}};

static const char *behind_hive(const char *text, pq_hive *out)
{
    for (size_t i = 0; i < sizeof hive_words / sizeof *hive_words; i++) {
        const char *rest = behind(text, hive_words[i].word);
        if (rest) {
            *out = hive_words[i].hive;
            return rest;
        }
    }
    return NULL;
}

/* Returns the text after "partitioned_by=(...):"; *out_end: of what lies between. NULL: it does not begin so. */
static const char *behind_columns(const char *text, const char **out_first, const char **out_end)
{
    const char *first = behind(text, partitioned_word), *end = first ? strchr(first, ')') : NULL;
    if (!end || end[1] != ':')
        return NULL;
    *out_first = first;
    *out_end = end;
    return end + 2;
}

/* Returns what is behind "hive_types=(...):", in which there may be parentheses; NULL: it is not that word. */
static const char *behind_types(const char *text, const char **out_first, const char **out_end)
{
    const char *first = behind(text, types_word), *end = first ? strstr(first, "):") : NULL;
    if (!end)
        return NULL;
    *out_first = first;
    *out_end = end;
    return end + 2;
}

const char *pq_table_spec_path(const char *text)
{
    for (;;) {
        pq_hive hive;
        const char *first, *end, *rest = behind(text, local_word);
        rest = rest ? rest : behind(text, replicated_word);
        rest = rest ? rest : behind(text, united_word);
        rest = rest ? rest : behind(text, filename_word);
        rest = rest ? rest : behind_hive(text, &hive);
        rest = rest ? rest : behind_columns(text, &first, &end);
        rest = rest ? rest : behind_types(text, &first, &end);
        if (!rest)
            return text;
        text = rest;
    }
}

static status table_spec_add_column(arena *a, const char *first, const char *end,
                                    pq_table_spec *out)
{
    while (first < end && *first == ' ')
        first++;
    while (end > first && end[-1] == ' ')
        end--;
    if (first == end)
        return status_hint(status_new(STATUS_KIND_INVALID, "partitioned_by lacks a column's name"),
                           "partitioned_by=(column):path");
    char *name = arena_copy_text(a, first, (size_t)(end - first));
    if (!name)
        return status_no_memory("table", (size_t)(end - first));
    return array_push(a, &out->partitioned_by, name);
}

static status table_spec_add_columns(arena *a, const char *first, const char *end,
                                     pq_table_spec *out)
{
    for (;;) {
        const char *comma = memchr(first, ',', (size_t)(end - first));
        TRY(table_spec_add_column(a, first, comma ? comma : end, out));
        if (!comma)
            return STATUS_OK;
        first = comma + 1;
    }
}

status pq_table_spec_parse(arena *a, const char *text, pq_table_spec *out)
{
    *out = (pq_table_spec){.access = PQ_SHARED};
    out->path = pq_table_spec_path(text);
    while (text < out->path) {
        const char *first, *end, *rest = behind_columns(text, &first, &end);
        if (rest) {
            TRY(table_spec_add_columns(a, first, end, out));
        } else if ((rest = behind_types(text, &first, &end))) {
            TRY(pq_hive_types_parse(a, first, (size_t)(end - first), &out->hive_types));
        } else if ((rest = behind_hive(text, &out->hive))) {
            /* it has said so */
        } else if ((rest = behind(text, united_word))) {
            out->is_united = true;
        } else if ((rest = behind(text, filename_word))) {
            out->has_filename = true;
        } else {
            rest = behind(text, local_word);
            out->access = rest ? PQ_LOCAL : PQ_REPLICATED;
            rest = rest ? rest : behind(text, replicated_word);
        }
        text = rest;
    }
    if (!*out->path)
        return status_new(STATUS_KIND_NOT_FOUND, "the path of a table is empty");
    return STATUS_OK;
}
