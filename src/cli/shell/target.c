/* target.c - opening and closing the target of results. */
#include "cli/shell/target.h"

#include "cli/output/output.h"

#include <errno.h>

static status flush_stdout(void)
{
    int reason;
    errno = 0;
    fflush(stdout);
    if (!output_has_failed(stdout))
        return STATUS_OK;
    reason = output_take_failure();
    clearerr(stdout);
    return reason ? status_new_errno(reason, "could not write the results")
                  : status_new(STATUS_KIND_IO, "could not write the results");
}

status cli_target_open(cli_session *s, const char *path, bool may_be_cut)
{
    output_file *file;
    fflush(s->target); /* before the same file is opened; closing it finds a failure */
    TRY(output_file_open(path, may_be_cut, &file));
    status st = cli_target_close(s, true);
    s->file = file;
    s->target = output_file_stream(file);
    return st;
}

status cli_target_flush(cli_session *s)
{
    if (s->file)
        fflush(s->target); /* that of standard output has to tell why it failed */
    return s->file && !ferror(s->target) ? flush_stdout() : cli_target_close(s, true);
}

status cli_target_close(cli_session *s, bool is_good)
{
    output_file *file = s->file;
    status st = STATUS_OK;
    s->file = NULL;
    s->target = stdout;
    if (file)
        output_take_failure(); /* the file knows its own */
    if (file && is_good)
        st = output_file_publish(file);
    else if (file)
        output_file_abort(file);
    else
        st = flush_stdout();
    return st;
}
