/* client.c - a program that links the installed library. What it defines itself has names that the
 * library uses inside, which must not matter to either. */
#include <pistachio/pistachio.h>
#include <stdio.h>

int mem_new(void);
int mem_new(void)
{
    return 1;
}

int status_new = 2, arena_new = 3, codec_decompress = 4;

int main(void)
{
    pistachio_database *database = NULL;
    pistachio_connection *connection = NULL;
    pistachio_result *result = NULL;
    const pistachio_batch *batch = NULL;
    size_t bytes = 0;
    pistachio_error *error = pistachio_open(NULL, 0, &database);
    if (!error)
        error = pistachio_connect(database, &connection);
    if (!error)
        error = pistachio_query(connection, "SELECT 6 * 7 AS answer", NULL, &result);
    if (!error)
        error = pistachio_next(result, &batch);
    const char *text = pistachio_text(batch, 0, 0, &bytes);
    if (error || !text || mem_new() + status_new + arena_new + codec_decompress != 10) {
        fprintf(stderr, "%s\n", pistachio_error_message(error));
        return 1;
    }
    printf("%s %s %.*s\n", pistachio_version(), pistachio_column_name(result, 0), (int)bytes, text);
    pistachio_result_free(result);
    pistachio_disconnect(connection);
    pistachio_close(database);
    return 0;
}
