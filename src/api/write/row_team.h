/* row_team.h - threads that make text of rows, while who has the rows writes the text in their order. */
#ifndef PISTACHIO_API_WRITE_ROW_TEAM_H
#define PISTACHIO_API_WRITE_ROW_TEAM_H

#include "api/write/row_text.h"

typedef struct api_row_team api_row_team;

/* text and out, a buffer with a stream, are borrowed; the buffers of the threads are charged to the budget.
 * *out_team is NULL where there is no room for them, or no thread. */
CHECKED status api_row_team_open(const api_row_text *text, text_out *out, unsigned threads,
                                 mem_budget *budget, api_row_team **out_team);
/* Takes the batch over. is_first: no row came before. What is written meanwhile is what was added some time
 * before. */
void api_row_team_add(api_row_team *team, exec_batch *rows, bool is_first);
/* Everything that was added is written. */
void api_row_team_finish(api_row_team *team);
void api_row_team_close(api_row_team *team); /* takes NULL; what is not written is dropped */

#endif
