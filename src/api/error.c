/* error.c - statuses as the public interface shows them. */
#include "api/internal.h"

static pistachio_error no_memory_error;

pistachio_error *api_error(status st)
{
    if (!st)
        return NULL;
    pistachio_error *error = mem_new(sizeof *error);
    if (!error) {
        status_free(st);
        no_memory_error.st = status_no_memory("error", sizeof *error);
        return &no_memory_error;
    }
    error->st = st;
    return error;
}

pistachio_error_kind pistachio_error_get_kind(const pistachio_error *error)
{
    return (pistachio_error_kind)status_get_kind(error->st);
}

const char *pistachio_error_message(const pistachio_error *error)
{
    return status_message(error->st);
}

const char *pistachio_error_hint(const pistachio_error *error)
{
    return status_get_hint(error->st);
}

int64_t pistachio_error_position(const pistachio_error *error)
{
    return status_position(error->st);
}

void pistachio_error_free(pistachio_error *error)
{
    if (!error || error == &no_memory_error)
        return;
    status_free(error->st);
    mem_free(error);
}
