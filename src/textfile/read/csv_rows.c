/* csv_rows.c - records that are rows, with missing fields put in. */
#include "textfile/read/csv_rows.h"

#include "base/cancel.h"

/* Returns whether record `at` is an empty line. */
static bool csv_rows_is_blank(const csv_index *x, size_t at)
{
    uint32_t first = x->firsts.items[at];
    return x->firsts.items[at + 1] - first == 1 && x->ends.items[first] == x->begins.items[at];
}

/* Empty fields at the end that no column is for: a delimiter behind the last value. */
static bool has_only_empty_rest(const csv_index *x, size_t at, uint32_t columns)
{
    uint32_t field = x->firsts.items[at] + columns;
    for (; field < x->firsts.items[at + 1]; field++)
        if (x->ends.items[field] != x->ends.items[field - 1] + 1)
            return false;
    return true;
}

/* Puts the record's fields behind all others, with those that are missing. */
static status pad(csv_index *x, size_t at, uint32_t columns, uint32_t *out_first)
{
    uint32_t first = x->firsts.items[at], count = x->firsts.items[at + 1] - first;
    TRY(array_reserve(NULL, &x->ends, columns));
    *out_first = (uint32_t)x->ends.count;
    for (uint32_t i = 0; i < columns; i++) {
        uint32_t last = x->ends.items[first + count - 1];
        x->ends.items[x->ends.count++] = i < count ? x->ends.items[first + i] : last;
    }
    return STATUS_OK;
}

status csv_rows_make(const csv_row_rules *rules, bool has_header, csv_index *x,
                     csv_wrong_list *left_out, csv_wrong_row *wrong)
{
    size_t rows = 0, from = 0;
    wrong->is_there = false;
    while (has_header && from < x->record_count && csv_rows_is_blank(x, from))
        from++;
    for (size_t at = from + has_header; at < x->record_count; at++) {
        uint32_t first = x->firsts.items[at], count = x->firsts.items[at + 1] - first;
        if (cancel_look(at))
            TRY(cancel_check());
        if (count != rules->column_count) {
            if (csv_rows_is_blank(x, at))
                continue;
            bool is_short = count < rules->column_count;
            if (is_short && rules->has_padding) {
                TRY(pad(x, at, rules->column_count, &first));
            } else if (is_short || !has_only_empty_rest(x, at, rules->column_count)) {
                csv_wrong_row found = {true, x->begins.items[at], x->ends.items[first + count - 1],
                                       count};
                if (rules->skips_wrong && left_out)
                    TRY(array_push(NULL, left_out, found));
                if (rules->skips_wrong)
                    continue;
                *wrong = found;
                break;
            }
        }
        x->firsts.items[rows] = first;
        x->begins.items[rows++] = x->begins.items[at];
    }
    x->record_count = rows;
    return STATUS_OK;
}
