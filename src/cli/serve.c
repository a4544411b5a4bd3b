/* serve.c - `pistachio serve`: the server is in a module of its own. */
#include "cli/serve.h"

/* The engine's functions by their own names. */
#define SERVER_IS_LINKED
#include "api/handles/error.h"
#include "base/module.h"
#include "cli/shell/run.h"
#include "server/server.h"

static status run(int count, char **words, int *out_exit_status)
{
    static const server_engine engine = {
#define FUNCTION(name) .name = name,
        SERVER_ENGINE_LIST(FUNCTION)
#undef FUNCTION
    };
    const void *functions;
    TRY(module_load("serve", "pistachio serve", &functions));
    return ((const server_functions *)functions)->serve(&engine, count, words, out_exit_status);
}

int cli_serve(int count, char **words)
{
    int exit_status = 0;
    status st = run(count, words, &exit_status);
    if (!st)
        return exit_status;
    cli_report(api_error(st), NULL, 0);
    return 1;
}
