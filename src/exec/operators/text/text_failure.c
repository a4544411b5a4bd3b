/* text_failure.c - what is wrong with a record, and where. */
#include "exec/operators/text/text_failure.h"

#include "exec/operators/text/text_scan.h"

#define VALUE_SHOWN 60 /* bytes of a wrong value in messages */

status text_scan_place(const op_text_scan *op, const text_piece *p, uint32_t at, status st)
{
    uint64_t line;
    status failed = text_reader_line(&op->reading, p->file, p->offset + at, &line);
    const char *path = op->table->files[p->file].path;
    if (!failed && !strncmp(path, TEXT_SENT_PATH, sizeof TEXT_SENT_PATH - 1))
        return status_context(st, "line %llu of the rows that were sent", (unsigned long long)line);
    if (!failed)
        return status_context(st, "file \"%s\", line %llu", path, (unsigned long long)line);
    status_free(failed);
    return status_context(st, "file \"%s\", byte %llu", path, (unsigned long long)(p->offset + at));
}

status text_wrong_row(const op_text_scan *op, uint32_t file, uint32_t field_count)
{
    return status_hint(status_new(STATUS_KIND_DATA, "there are %u fields, not %u", field_count,
                                  op->table->files[file].field_count),
                       "null_padding => true fills missing fields with NULL, ignore_errors => true "
                       "leaves such rows out");
}

status text_wrong_field(const text_column *c, text_field f, bool has_wrong_bytes)
{
    char type[TYPE_NAME_BYTES];
    int shown = f.bytes < VALUE_SHOWN ? (int)f.bytes : VALUE_SHOWN;
    if (has_wrong_bytes)
        return status_hint(
            status_new(STATUS_KIND_DATA, "column \"%s\": bytes are not UTF-8", c->name),
            "encoding => 'latin-1' reads a file in Latin-1, ignore_errors => true "
            "leaves such rows out");
    return status_hint(status_new(STATUS_KIND_DATA, "column \"%s\": \"%.*s\" is not a %s", c->name,
                                  shown, f.text, type_name(c->type, type)),
                       "types => ['varchar'] says another type for the columns, sample_size => -1 "
                       "finds types by all rows, ignore_errors => true leaves such rows out");
}

status text_open_quote(void)
{
    return status_hint(status_new(STATUS_KIND_DATA, "a quote is not closed"),
                       "quote => '' reads quotes as they are");
}

status text_wrong_record(const op_text_scan *op, const json_wrong *wrong)
{
    char type[TYPE_NAME_BYTES];
    const text_column *c = &op->table->columns.items[wrong->column];
    static const char leaves_out[] = "ignore_errors => true leaves such records out";
    switch (wrong->kind) {
    case JSON_WRONG_VALUE:
        return status_hint(status_new(STATUS_KIND_DATA, "column \"%s%s\": \"%s\" is not a %s",
                                      c->name, wrong->place, wrong->value,
                                      type_name(wrong->type, type)),
                           "%s, sample_size => -1 finds types by all of them", leaves_out);
    case JSON_WRONG_FIELD:
        if (type_is_nested(wrong->type))
            return status_hint(status_new(STATUS_KIND_DATA,
                                          "column \"%s%s\": field \"%s\" is not one of %s", c->name,
                                          wrong->place, wrong->value, type_name(wrong->type, type)),
                               "%s, sample_size => -1 finds the fields of all of them", leaves_out);
        return status_hint(
            status_new(STATUS_KIND_DATA, "field \"%s\" is not a column", wrong->value),
            "the first records do not have it: sample_size => -1 finds the fields of all records, "
            "union_by_name => true those of all files, columns => {...} says which are read");
    case JSON_WRONG_TWICE:
        return status_hint(
            status_new(STATUS_KIND_DATA, "the record has \"%s\" more than once", wrong->value),
            "%s", leaves_out);
    case JSON_WRONG_SHAPE:
        return status_hint(status_new(STATUS_KIND_DATA, "the record is not an object"), "%s",
                           leaves_out);
    default:
        return status_hint(
            status_new(STATUS_KIND_DATA, "the record is not JSON: %s", wrong->message), "%s",
            leaves_out);
    }
}
