/* target.c - opening and closing the target of results. */
#include "cli/target.h"

#include <errno.h>

status cli_target_open(cli_options *options, const char *path, bool may_be_cut)
{
    TRY(output_file_open(path, may_be_cut, &options->file));
    options->target = output_file_stream(options->file);
    return STATUS_OK;
}

static status flush_stdout(void)
{
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout))
        return STATUS_OK;
    clearerr(stdout);
    return errno ? status_new_errno(errno, "could not write the results")
                 : status_new(STATUS_KIND_IO, "could not write the results");
}

status cli_target_close(cli_options *options, bool is_good)
{
    output_file *file = options->file;
    status st = STATUS_OK;
    options->file = NULL;
    options->target = stdout;
    if (file && is_good)
        st = output_file_publish(file);
    else if (file)
        output_file_abort(file);
    else
        st = flush_stdout();
    return st;
}
