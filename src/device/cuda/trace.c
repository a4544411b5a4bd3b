/* trace.c - what streams were told last: launches by name, for traces and for errors. */
#include "device/cuda/trace.h"
#include "base/system/mutex.h"
#include "device/cuda/cuda.h"
#include "device/cuda/text.h"

#include <stdio.h>
#include <unistd.h>

#define TEXT_BYTES 4096

/* ---- traces ---- */

/* Writes to standard error by one call, so that lines of several threads stay whole. */
static void trace_tell(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

static void tell_job(const cuda_command *c, unsigned job, unsigned count)
{
    char text[TEXT_BYTES];
    cuda_text w = {text, text + sizeof text};
    cuda_text_add(&w, "cuda: %s", cuda_debug_entry_name(c->entry));
    if (count > 1)
        cuda_text_add(&w, ", job %u of %u", job + 1, count);
    cuda_text_add(&w, ", %llu blocks of %u threads: ", (unsigned long long)c->extra.blocks,
                  c->threads);
    size_t room = (size_t)(w.end - w.at) - 1; /* without the end of the line */
    cuda_debug_arguments(c->kernel, c->arguments, w.at, room);
    w.at += strlen(w.at);
    cuda_text_add(&w, "\n");
    trace_tell(text);
}

static const char *const copies[] = {
    [CUDA_COMMAND_COPY_IN] = "copy to the device",
    [CUDA_COMMAND_COPY_OUT] = "copy from the device",
    [CUDA_COMMAND_COPY] = "copy within the device",
    [CUDA_COMMAND_COPY_ACROSS] = "copy from another device",
    [CUDA_COMMAND_ZERO] = "zeroes",
};

static void tell_copy(const cuda_command *c)
{
    char text[256];
    snprintf(text, sizeof text, "cuda: %s, %zu bytes: target = %p, source = %p\n", copies[c->kind],
             c->bytes, c->target, c->source);
    trace_tell(text);
}

static void trace(cuda_command *const *commands, unsigned count)
{
    switch (commands[0]->kind) {
    case CUDA_COMMAND_LAUNCH:
        for (unsigned i = 0; i < count; i++)
            tell_job(commands[i], i, count);
        break;
    case CUDA_COMMAND_LIBRARY:
        trace_tell("cuda: nvCOMP\n");
        break;
    case CUDA_COMMAND_EVENT:
        break;
    default:
        tell_copy(commands[0]);
    }
}

void cuda_trace_begin(cuda_stream *stream, cuda_command *const *commands, unsigned count)
{
    const cuda_device *dev = (cuda_device *)stream->base.dev;
    const cuda_command *c = commands[0];
    cuda_last_launches *last = &stream->last_launches;
    if (c->kind == CUDA_COMMAND_LAUNCH || c->kind == CUDA_COMMAND_LIBRARY) {
        uint64_t place = atomic_load(&last->count) % CUDA_LAST_LAUNCHES;
        atomic_store(&last->of[place].clock, atomic_load(&dev->clock));
        atomic_store(&last->of[place].entry,
                     c->kind == CUDA_COMMAND_LAUNCH ? c->entry : CUDA_ENTRIES);
        atomic_fetch_add(&last->count, 1);
    }
    if (dev->debug.is_traced)
        trace(commands, count);
}

/* ---- what may not have ended ---- */

static void put_unfinished(cuda_text *w, const cuda_stream *stream)
{
    const cuda_last_launches *last = &stream->last_launches;
    uint64_t count = atomic_load((_Atomic uint64_t *)&last->count);
    uint64_t first = count > CUDA_LAST_LAUNCHES ? count - CUDA_LAST_LAUNCHES : 0;
    uint64_t progress = atomic_load(stream->progress);
    for (uint64_t i = first; i < count; i++) {
        uint64_t place = i % CUDA_LAST_LAUNCHES;
        if (atomic_load((_Atomic uint64_t *)&last->of[place].clock) >= progress)
            cuda_text_add(
                w, "%s%s", *w->at || w->at[-1] == ' ' ? "" : ", ",
                cuda_debug_entry_name(atomic_load((_Atomic cuda_entry *)&last->of[place].entry)));
    }
}

/* Writes what streams of the device have not ended; only the own one's while another thread changes the list of streams. */
static void put_all_unfinished(cuda_text *w, cuda_device *dev, const cuda_stream *own)
{
    put_unfinished(w, own);
    if (!mutex_try_lock(&dev->lock))
        return;
    for (const cuda_stream *stream = dev->streams; stream; stream = stream->next)
        if (stream != own)
            put_unfinished(w, stream);
    mutex_unlock(&dev->lock);
}

#define NOT_ENDED "; launches that had not ended: "

status cuda_trace_name_launches(const cuda_stream *stream, status st)
{
    char text[TEXT_BYTES] = NOT_ENDED;
    cuda_text w = {text + strlen(text), text + sizeof text};
    const char *begin = w.at;
    if (!st)
        return st;
    put_all_unfinished(&w, (cuda_device *)stream->base.dev, stream);
    if (w.at == begin)
        return st;
    status named = status_new(status_get_kind(st), "%s%s", status_message(st), text);
    status_free(st);
    return named;
}
