/* job.c - see job.h. */
#include "server/web/job.h"

#include "server/web/web_parts.h"

#include <errno.h>
#include <stdio.h>

/* A piece is at most so long: what is written at once may be a whole column. */
#define PIECE_BYTES ((size_t)256 << 10)

status job_new(struct web *web, job_kind kind, job **out)
{
    job *j = *out = mem_new(sizeof *j);
    if (!j)
        return status_no_memory("request", sizeof *j);
    j->references = 1;
    j->web = web;
    j->kind = kind;
    j->last = &j->first;
    j->code = 200;
    j->type = "application/json";
    mutex_init(&j->lock);
    pthread_cond_init(&j->room, NULL);
    j->parameters.tqh_last = &j->parameters.tqh_first;
    return STATUS_OK;
}

job *job_ref(job *j)
{
    atomic_fetch_add(&j->references, 1);
    return j;
}

void job_piece_free(job_piece *piece)
{
    if (piece->lent)
        ipc_batch_unref(piece->lent);
    mem_free(piece);
}

static void free_pieces(job_piece *piece)
{
    while (piece) {
        job_piece *next = piece->next;
        job_piece_free(piece);
        piece = next;
    }
}

/* Caller holds the lock. */
static void drop_pieces(job *j)
{
    free_pieces(j->first);
    j->first = NULL;
    j->last = &j->first;
    j->queued = 0;
}

void job_unref(job *j)
{
    if (atomic_fetch_sub(&j->references, 1) != 1)
        return;
    free_pieces(j->first);
    evhttp_clear_headers(&j->parameters);
    mem_free(j->authorization);
    mem_free(j->accept);
    mem_free(j->body);
    mem_free(j->id);
    mem_free(j->columns);
    pthread_cond_destroy(&j->room);
    mutex_destroy(&j->lock);
    mem_free(j);
}

/* ---- of the request's thread ---- */

void job_set_head(job *j, int code, const char *type)
{
    mutex_lock(&j->lock);
    j->code = code;
    j->type = type;
    mutex_unlock(&j->lock);
}

/* Waits for room and adds the piece. Returns false, and the piece is the caller's still, once nobody reads any more. */
static bool add_piece(job *j, job_piece *piece)
{
    mutex_lock(&j->lock);
    bool waits = j->activity && j->queued >= JOB_QUEUE_BYTES;
    if (waits)
        activity_pause(j->activity, "ClientWrite");
    while (j->queued >= JOB_QUEUE_BYTES && !atomic_load(&j->is_gone))
        pthread_cond_wait(&j->room, &j->lock);
    if (waits)
        activity_go_on(j->activity);
    bool is_read = !atomic_load(&j->is_gone);
    if (is_read) {
        *j->last = piece;
        j->last = &piece->next;
        j->queued += piece->count;
    }
    mutex_unlock(&j->lock);
    if (is_read)
        web_wake(j);
    return is_read;
}

static bool write_piece(job *j, const char *bytes, size_t count)
{
    job_piece *piece = mem_resize(NULL, sizeof *piece + count);
    if (piece) {
        *piece = (job_piece){.bytes = piece->own, .count = count};
        memcpy(piece->own, bytes, count);
    }
    if (piece && add_piece(j, piece))
        return true;
    mem_free(piece);
    errno = piece ? EPIPE : ENOMEM;
    return false;
}

bool job_lend(job *j, const void *bytes, size_t count, ipc_batch *batch)
{
    job_piece *piece = mem_new(sizeof *piece);
    if (piece)
        *piece = (job_piece){.bytes = bytes, .count = count, .lent = batch};
    else
        ipc_batch_unref(batch);
    if (piece && !j->is_dropping && add_piece(j, piece))
        return true;
    if (piece)
        job_piece_free(piece);
    return false;
}

/* Takes all the bytes: the C library calls it a failure of the file if some are left. */
static ssize_t write_pieces(void *cookie, const char *bytes, size_t count)
{
    job *j = cookie;
    size_t done = 0;
    while (done < count && !j->is_dropping) {
        size_t some = count - done < PIECE_BYTES ? count - done : PIECE_BYTES;
        if (!write_piece(j, bytes + done, some))
            return 0;
        done += some;
    }
    return (ssize_t)count;
}

FILE *job_file(job *j)
{
    j->is_dropping = false;
    FILE *file = fopencookie(j, "w", (cookie_io_functions_t){.write = write_pieces});
    if (file)
        (void)setvbuf(file, NULL, _IOFBF, PIECE_BYTES);
    return file;
}

bool job_drop(job *j)
{
    mutex_lock(&j->lock);
    bool is_whole = !j->is_taken;
    drop_pieces(j);
    j->is_dropping = true;
    mutex_unlock(&j->lock);
    return is_whole;
}

void job_end(job *j, bool is_broken)
{
    mutex_lock(&j->lock);
    j->is_over = true;
    j->is_broken = is_broken;
    mutex_unlock(&j->lock);
    web_wake(j);
}

/* ---- of the loop ---- */

job_piece *job_take(job *j, bool *out_is_over, bool *out_is_broken)
{
    mutex_lock(&j->lock);
    job_piece *pieces = j->first;
    j->first = NULL;
    j->last = &j->first;
    j->queued = 0;
    *out_is_over = j->is_over;
    *out_is_broken = j->is_broken;
    j->is_taken |= pieces != NULL;
    pthread_cond_broadcast(&j->room);
    mutex_unlock(&j->lock);
    return pieces;
}

void job_give_up(job *j)
{
    mutex_lock(&j->lock);
    atomic_store(&j->is_gone, true);
    drop_pieces(j);
    pthread_cond_broadcast(&j->room);
    mutex_unlock(&j->lock);
}
