/* text_rejects.h - columns of the records that ignore_errors leaves out, for read_csv_rejects and read_json_rejects. */
#ifndef PISTACHIO_TEXTFILE_TABLE_TEXT_REJECTS_H
#define PISTACHIO_TEXTFILE_TABLE_TEXT_REJECTS_H

#include "base/type/type.h"

typedef enum text_reject_column {
    REJECT_FILE,
    REJECT_LINE, /* of the record's first byte, from 1 */
    REJECT_BYTE, /* of its first byte in the file's text, from 1 */
    REJECT_COLUMN,
    REJECT_TYPE,
    REJECT_MESSAGE,
    REJECT_RECORD, /* its text; what is not UTF-8 is U+FFFD */
    REJECT_COLUMNS
} text_reject_column;

static const struct {
    const char *name;
    type_id type;
} text_reject_columns[REJECT_COLUMNS] = {
    [REJECT_FILE] = {"file_path", TYPE_VARCHAR},
    [REJECT_LINE] = {"line", TYPE_INT64},
    [REJECT_BYTE] = {"byte_position", TYPE_INT64},
    [REJECT_COLUMN] = {"column_name", TYPE_VARCHAR},
    [REJECT_TYPE] = {"error_type", TYPE_VARCHAR},
    [REJECT_MESSAGE] = {"error_message", TYPE_VARCHAR},
    [REJECT_RECORD] = {"record", TYPE_VARCHAR},
};

#endif
