/* text_check.h - inside the reader: texts of pages that are not UTF-8. They are an error, or, with
 * pq_text_use PQ_TEXT_REPLACE, have U+FFFD in the place of wrong bytes (base/text/utf8.h). */
#ifndef PISTACHIO_PARQUET_READ_TEXT_CHECK_H
#define PISTACHIO_PARQUET_READ_TEXT_CHECK_H

#include "device/device.h"
#include "parquet/format/metadata.h"

static inline bool pq_is_checked_text(const pq_leaf *leaf)
{
    return leaf->type.id == TYPE_VARCHAR;
}

/* Replaces what is not UTF-8 among `count` texts. *out: the memory of those that changed, to be kept with them; NULL:
 * none did. Waits for the device. */
CHECKED status pq_texts_replace(dev_stream *stream, string_view *values, uint64_t count,
                                dev_error *error, uint32_t location, dev_buffer **out);
/* Meanings of DEV_ERROR_TEXT, by its detail. */
CHECKED status pq_text_error(uint64_t detail);

#endif
