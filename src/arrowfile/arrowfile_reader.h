/* arrowfile_reader.h - rows of a table's files: pieces of batches, which tasks take in turn, and what a task reads them with. */
#ifndef PISTACHIO_ARROWFILE_ARROWFILE_READER_H
#define PISTACHIO_ARROWFILE_ARROWFILE_READER_H

#include "arrowfile/arrowfile_table.h"
#include "arrowfile/arrowfile_values.h"

/* Rows of a batch. */
typedef struct arrowfile_piece {
    uint64_t number; /* in all pieces */
    uint32_t file;
    size_t block;
    arrowfile_range rows;
} arrowfile_piece;

/* ---- the dealer: who calls it holds a lock ---- */

typedef struct arrowfile_dealer arrowfile_dealer;

/* A piece of a batch that is not compressed has piece_rows rows, else all. */
CHECKED status arrowfile_dealer_new(const arrowfile_table *table, uint64_t piece_rows,
                                    arrowfile_dealer **out);
void arrowfile_dealer_free(arrowfile_dealer *dealer); /* takes NULL */
/* *is_there false: all have been taken. */
CHECKED status arrowfile_dealer_take(arrowfile_dealer *dealer, arrowfile_piece *piece,
                                     bool *is_there);

/* ---- the reader: a task's ---- */

typedef struct arrowfile_reader arrowfile_reader;

CHECKED status arrowfile_reader_new(const arrowfile_table *table, device *host, cpu_isa isa,
                                    arrowfile_reader **out);
void arrowfile_reader_free(arrowfile_reader *reader); /* takes NULL */
/* Goes to the batch of a piece. */
CHECKED status arrowfile_reader_begin(arrowfile_reader *reader, const arrowfile_piece *piece);
/* Makes a column of the table, in the host's memory, for rows of the batch. */
CHECKED status arrowfile_reader_make(arrowfile_reader *reader, uint32_t column,
                                     arrowfile_range rows, tensor **out);
/* Returns the bytes of files that were read since the last call. */
uint64_t arrowfile_reader_bytes(arrowfile_reader *reader);

#endif
