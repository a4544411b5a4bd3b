/* writer_team.h - inside the writer: row groups under way, and the threads that encode their columns.
 *
 *     begun     [ a b c ] [ a b c ] [ a b c ]
 *     taken       . . .     . .            <- one column after another, by whoever is free
 *     ended     oldest first, by the caller, who encodes columns himself instead of waiting
 */
#ifndef PISTACHIO_PARQUET_WRITE_WRITER_TEAM_H
#define PISTACHIO_PARQUET_WRITE_WRITER_TEAM_H

#include "parquet/write/writer_column.h"

/* A row group in memory, column by column. */
struct pq_encoded_row_group {
    uint64_t row_count;
    size_t column_count;
    pq_written_chunk chunks[];
};

/* Without a column yet. */
CHECKED status pq_group_new(size_t column_count, uint64_t row_count, pq_encoded_row_group **out);
/* Column c, as `column` says. Any thread, each column once. */
CHECKED status pq_group_encode_column(const writer_column *column, const pq_writer_options *options,
                                      const pq_column_values *values, pq_chunk_scratch *scratch,
                                      pq_encoded_row_group *group, size_t c);

typedef struct writer_team writer_team;

/* columns and options stay the caller's, and where they are. Threads start with the first row group that is
 * worth them. */
CHECKED status writer_team_new(const writer_column *columns, size_t column_count,
                               const pq_writer_options *options, writer_team **out);
/* Waits for columns at work; what was begun is dropped. Takes NULL. */
void writer_team_free(writer_team *team);

/* Begins a row group; the values, but not the array of them, stay as they are until it is ended. */
CHECKED status writer_team_begin(writer_team *team, const pq_column_values *values, uint64_t rows);
/* Returns the number of those that were begun. */
size_t writer_team_count(const writer_team *team);
/* Ends the oldest of them, which there is. On failure it is gone as well. */
CHECKED status writer_team_end(writer_team *team, pq_encoded_row_group **out);

void pq_encoded_row_group_free(pq_encoded_row_group *group); /* takes NULL */

#endif
