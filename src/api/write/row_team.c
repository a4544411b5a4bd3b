/* row_team.c - a ring of pieces of batches: they are taken in the order in which they were added, by
 * whichever thread is free, and written in that order by the caller, who makes text of the oldest one
 * himself if nobody has taken it.
 *
 *     written          taken              added
 *        v               v                  v
 *     [ done | at work | waiting | waiting ]        each with a buffer of its own
 */
#include "api/write/row_team.h"

#include "base/system/mutex.h"
#include "exec/operators/result_batch.h"

#include <pthread.h>

#define PIECE_BYTES ((size_t)512 << 10) /* of text, which a piece has about three quarters of */
#define PIECES_EACH 4
#define PIECES_MAX 64
#define FIRST_ROWS 256
#define BUDGET_PART 32 /* of the limit that the buffers may take */

typedef enum piece_state { PIECE_WAITING, PIECE_AT_WORK, PIECE_DONE } piece_state;

typedef struct piece {
    exec_batch *rows;
    uint64_t first, end, done; /* rows before `done` are text */
    piece_state state;
    bool is_first,
        is_last; /* of all rows; of the batch's pieces: who has written it frees the batch */
    text_out out;
} piece;

struct api_row_team {
    const api_row_text *text;
    text_out *out;
    mem_budget *budget;
    uint64_t charged;
    pthread_mutex_t lock;
    pthread_cond_t has_work, is_done;
    /* Under the lock: */
    uint64_t added, taken, written; /* pieces */
    bool is_over;
    piece pieces[PIECES_MAX];
    /* The caller's: */
    unsigned piece_count, thread_count;
    pthread_t threads[PIECES_MAX];
    uint64_t rows_written, bytes_written;
};

static void make_text(const api_row_team *team, piece *p)
{
    p->done =
        p->first + api_row_text_add(team->text, p->rows, p->first, p->end, p->is_first, &p->out);
}

/* Under the lock, which it gives up meanwhile. */
static void take_piece(api_row_team *team)
{
    piece *p = &team->pieces[team->taken++ % team->piece_count];
    p->state = PIECE_AT_WORK;
    mutex_unlock(&team->lock);
    make_text(team, p);
    mutex_lock(&team->lock);
    p->state = PIECE_DONE;
    pthread_cond_signal(&team->is_done);
}

static void *row_team_run_thread(void *argument)
{
    api_row_team *team = argument;
    mutex_lock(&team->lock);
    while (!team->is_over)
        if (team->taken < team->added)
            take_piece(team);
        else
            pthread_cond_wait(&team->has_work, &team->lock);
    mutex_unlock(&team->lock);
    return NULL;
}

/* ---- opening ---- */

/* As many buffers as there is room for. */
static status make_pieces(api_row_team *team, unsigned threads)
{
    uint64_t limit = mem_budget_limit(team->budget);
    uint64_t most = limit ? limit / BUDGET_PART / PIECE_BYTES : PIECES_MAX;
    unsigned wanted = threads < PIECES_MAX / PIECES_EACH ? threads * PIECES_EACH : PIECES_MAX;
    wanted = most < wanted ? (unsigned)most : wanted;
    if (wanted < 2)
        return STATUS_OK;
    status st = mem_budget_take(team->budget, wanted * PIECE_BYTES, "text of rows");
    if (st) { /* it goes without */
        status_free(st);
        return STATUS_OK;
    }
    team->charged = wanted * PIECE_BYTES;
    for (; team->piece_count < wanted; team->piece_count++) {
        text_out *out = &team->pieces[team->piece_count].out;
        out->begin = mem_new(PIECE_BYTES);
        if (!out->begin)
            return status_no_memory("text of rows", PIECE_BYTES);
        out->end = out->begin + PIECE_BYTES;
    }
    return STATUS_OK;
}

status api_row_team_open(const api_row_text *text, text_out *out, unsigned threads,
                         mem_budget *budget, api_row_team **out_team)
{
    *out_team = NULL;
    api_row_team *team = mem_new(sizeof *team);
    if (!team)
        return status_no_memory("text of rows", sizeof *team);
    team->text = text;
    team->out = out;
    team->budget = budget;
    mutex_init(&team->lock);
    pthread_cond_init(&team->has_work, NULL);
    pthread_cond_init(&team->is_done, NULL);
    status st = make_pieces(team, threads);
    while (!st && team->thread_count < threads && team->thread_count + 1 < team->piece_count &&
           !pthread_create(&team->threads[team->thread_count], NULL, row_team_run_thread, team))
        team->thread_count++;
    if (st || !team->thread_count)
        api_row_team_close(team);
    else
        *out_team = team;
    return st;
}

void api_row_team_close(api_row_team *team)
{
    if (!team)
        return;
    mutex_lock(&team->lock);
    team->is_over = true;
    pthread_cond_broadcast(&team->has_work);
    mutex_unlock(&team->lock);
    while (team->thread_count)
        pthread_join(team->threads[--team->thread_count], NULL);
    for (; team->written < team->added; team->written++) {
        piece *p = &team->pieces[team->written % team->piece_count];
        if (p->is_last)
            exec_batch_free(p->rows);
    }
    for (unsigned i = 0; i < PIECES_MAX; i++)
        mem_free(team->pieces[i].out.begin);
    mem_budget_give(team->budget, team->charged);
    pthread_cond_destroy(&team->has_work);
    pthread_cond_destroy(&team->is_done);
    mutex_destroy(&team->lock);
    mem_free(team);
}

/* ---- writing ---- */

/* Its text, and what its buffer had no room for. */
static void row_team_write_piece(api_row_team *team, piece *p)
{
    text_out *out = team->out;
    text_out_flush(out);
    fwrite(p->out.begin, 1, (size_t)(p->out.at - p->out.begin), out->target);
    team->bytes_written += (uint64_t)(p->out.at - p->out.begin);
    team->rows_written += p->done - p->first;
    if (p->done < p->end)
        api_row_text_add(team->text, p->rows, p->done, p->end, p->is_first && p->done == p->first,
                         out);
    text_out_flush(out);
    if (p->is_last)
        exec_batch_free(p->rows);
}

/* The oldest piece; must: whether it has to be awaited. */
static bool write_oldest(api_row_team *team, bool must)
{
    piece *p = &team->pieces[team->written % team->piece_count];
    mutex_lock(&team->lock);
    if (must && team->taken == team->written)
        take_piece(team);
    while (must && p->state != PIECE_DONE)
        pthread_cond_wait(&team->is_done, &team->lock);
    bool is_done = p->state == PIECE_DONE;
    mutex_unlock(&team->lock);
    if (!is_done)
        return false;
    row_team_write_piece(team, p);
    team->written++;
    return true;
}

/* Returns the rows that are about three quarters of a buffer, by those before. */
static uint64_t row_team_piece_rows(const api_row_team *team)
{
    if (!team->rows_written)
        return FIRST_ROWS;
    uint64_t bytes_each = team->bytes_written / team->rows_written + 1;
    uint64_t rows = PIECE_BYTES / 4 * 3 / bytes_each;
    return rows ? rows : 1;
}

static void row_team_add_piece(api_row_team *team, piece added)
{
    piece *p = &team->pieces[team->added % team->piece_count];
    added.out = p->out;
    added.out.at = added.out.begin;
    added.out.is_full = false;
    *p = added;
    mutex_lock(&team->lock);
    team->added++;
    pthread_cond_signal(&team->has_work);
    mutex_unlock(&team->lock);
}

void api_row_team_add(api_row_team *team, exec_batch *rows, bool is_first)
{
    uint64_t first = 0;
    while (first < rows->row_count) {
        uint64_t left = rows->row_count - first, count = row_team_piece_rows(team);
        count = left < count ? left : count;
        if (team->added - team->written == team->piece_count)
            write_oldest(team, true);
        row_team_add_piece(team, (piece){.rows = rows,
                                         .first = first,
                                         .end = first + count,
                                         .done = first,
                                         .is_first = is_first && !first,
                                         .is_last = count == left});
        first += count;
    }
    if (!rows->row_count)
        exec_batch_free(rows);
    while (team->written < team->added && write_oldest(team, false))
        ;
}

void api_row_team_finish(api_row_team *team)
{
    while (team->written < team->added)
        write_oldest(team, true);
}
