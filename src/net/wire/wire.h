/* wire.h - the rows of chunks as the bytes of messages, and back. Host devices, host memory.
 *
 *     message: block │ block │ ...        each begins at a multiple of 8 bytes
 *     block:   header (kind, rows, bytes) │ per column: head, validity, values
 *
 *   ROWS        some rows; a column's values are
 *                 VALUES     in a row; of texts the lengths, then the bytes
 *                 CONSTANT   one for all rows
 *                 CODES      positions in a dictionary, of 1, 2 or 4 bytes
 *   DICTIONARY  a column's dictionary, by number; sent before the first codes that refer to it;
 *                again with more entries behind those that it had: codes keep their meaning
 *   PIECE       of a block that is larger than a message
 *
 * A writer and a reader stand for the two ends of one channel of an exchange: messages are sent in
 * the order in which they were written, and read in that order, by one thread at a time. Both keep
 * the last WIRE_DICTIONARIES dictionaries. Numbers are little endian. */
#ifndef PISTACHIO_NET_WIRE_WIRE_H
#define PISTACHIO_NET_WIRE_WIRE_H

#define WIRE_DICTIONARIES 32

typedef struct wire_writer wire_writer;
typedef struct wire_reader wire_reader;

#endif
