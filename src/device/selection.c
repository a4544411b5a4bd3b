/* selection.c - the rows whose bit is set, as row numbers. */
#include "device/selection.h"

#include "device/tensor.h"

void row_selection_release(row_selection *selection)
{
    row_index_unref(selection->rows);
    dev_buffer_unref(selection->count_owner);
    *selection = (row_selection){0};
}

static status selection_find_rows(dev_stream *stream, const row_mask *mask, const uint64_t *bits,
                                  dev_count rows, row_selection *out)
{
    /* mask_to_index may store whole vectors. */
    TRY(row_index_new(stream->dev, rows.bound + 1, &out->rows));
    TRY(dev_alloc(stream->dev, sizeof(uint64_t), "selection", &out->count_owner));
    out->count = (dev_count){.bound = rows.bound, .actual = out->count_owner->address};
    return DEV_LAUNCH(stream, mask_to_index, .mask = bits, .validity = mask->validity,
                      .count = rows, .first_row = mask->first_row, .rows = out->rows->rows,
                      .out_count = out->count_owner->address);
}

/* Makes the count exact on a host, which knows it at once. */
static void selection_settle(const device *dev, const row_mask *mask, dev_count rows,
                             row_selection *out)
{
    dev_count_settle(dev, &out->count);
    if (out->count.actual)
        return;
    dev_buffer_unref(out->count_owner);
    out->count_owner = NULL;
    if (rows.actual || mask->first_row || out->count.bound < rows.bound)
        return;
    row_index_unref(out->rows);
    out->rows = NULL;
}

status row_selection_make(dev_stream *stream, const row_mask *mask, dev_count rows,
                          row_selection *out)
{
    dev_buffer *inverted = NULL;
    const uint64_t *bits = mask->bits;
    status st = STATUS_OK;
    *out = (row_selection){0};
    if (mask->is_inverted) {
        st = dev_alloc(stream->dev, bitmap_bytes(rows.bound), "selection", &inverted);
        if (!st)
            st = DEV_LAUNCH(stream, invert_bits, .bits = bits, .count = rows,
                            .out = inverted->address);
        bits = inverted ? inverted->address : NULL;
    }
    if (!st)
        st = selection_find_rows(stream, mask, bits, rows, out);
    dev_buffer_unref(inverted);
    if (st)
        row_selection_release(out);
    else
        selection_settle(stream->dev, mask, rows, out);
    return st;
}
