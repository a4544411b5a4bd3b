/* text_reader.h - pieces of whole records, in the order of the files.
 *
 * Who takes a piece holds a lock meanwhile; that is short: bytes are read, and the last record end in them is searched for
 * (README.md). The rest of the last record begins the next piece. */
#ifndef PISTACHIO_TEXTFILE_READ_TEXT_READER_H
#define PISTACHIO_TEXTFILE_READ_TEXT_READER_H

#include "device/device.h"
#include "textfile/read/csv_index.h"
#include "textfile/read/text_source.h"

/* Forms of records. */
typedef enum text_records {
    TEXT_RECORD_CSV,
    TEXT_RECORD_LINES, /* of JSON, one a line */
    TEXT_RECORD_VALUES /* of JSON, in an array or one behind another */
} text_records;

/* How a file is read. */
typedef struct text_file {
    const char *path;
    uint64_t bytes;
    text_records records;
    csv_form form;
    uint64_t skip; /* lines that come first */
    bool has_header;
    uint32_t field_count;
    uint32_t *fields; /* by column of the table: its field here; TEXT_NO_FIELD: the file has none */
} text_file;
#define TEXT_NO_FIELD UINT32_MAX

typedef struct text_reading {
    const text_file *files;
    uint32_t file_count;
    text_compression compression;
    bool is_latin1;
    device *host; /* whose memory pieces are in */
    cpu_isa isa;
    size_t piece_bytes;
    bool counts_lines; /* pieces have the lines at which they begin */
} text_reading;

/* Bytes of records. Zeroed: none; used again and again. */
typedef struct text_piece {
    dev_buffer *buffer;
    const char *text;
    size_t bytes;
    uint64_t number, offset; /* in all pieces; of its first byte in its file's text */
    uint64_t line;           /* from 1, at its first byte, if lines are counted */
    uint32_t file;
    bool is_first;   /* in its file: its first record may be the header */
    bool is_indexed; /* else text_piece_index is to be called, without the lock */
    csv_index index;
} text_piece;

typedef struct text_reader text_reader;

CHECKED status text_reader_new(const text_reading *reading, text_reader **out);
void text_reader_free(text_reader *reader); /* takes NULL */
/* *is_there false: all have been taken. */
CHECKED status text_reader_take(text_reader *reader, text_piece *piece, bool *is_there);
CHECKED status text_piece_index(const text_reading *reading, text_piece *piece);
void text_piece_release(text_piece *piece);
/* Counts the line ends of a text. *before: the byte before the text, then its last one. */
uint64_t text_count_lines(const char *text, size_t bytes, char *before);
/* The line, from 1, of a byte of a file's text: all before it is read again. */
CHECKED status text_reader_line(const text_reading *reading, uint32_t file, uint64_t offset,
                                uint64_t *out);

#endif
