/* api.c - rows as a client of the C interface gets them: what it says of each column and value.
 *
 * Runs the SQL of a file on the database, prints the last statement's result: "column NAME CLASS"
 * for each column, "ROW NAME NULL" or "ROW NAME xHEX" for each value, and behind a batch the columns
 * that DLPack has, whose values must be those of the texts. */
#include "pistachio/dlpack.h"
#include "pistachio/pistachio.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(pistachio_error *error)
{
    fprintf(stderr, "%s\n", pistachio_error_message(error));
    pistachio_error_free(error);
    exit(1);
}

static const char *class_name(pistachio_column_class class)
{
    return class == PISTACHIO_CLASS_NUMBER    ? "number"
           : class == PISTACHIO_CLASS_BOOLEAN ? "boolean"
                                              : "other";
}

static void print_value(const pistachio_result *result, const pistachio_batch *batch,
                        uint32_t column, uint64_t row, uint64_t number)
{
    size_t bytes;
    const char *text = pistachio_text(batch, column, row, &bytes);
    printf("%llu %s ", (unsigned long long)number, pistachio_column_name(result, column));
    if (pistachio_is_null(batch, column, row) != !text)
        printf("is NULL or is not? ");
    if (!text) {
        puts("NULL");
        return;
    }
    putchar('x');
    for (size_t i = 0; i < bytes; i++)
        printf("%02x", (unsigned char)text[i]);
    putchar('\n');
}

/* Whether the tensor's value is the text's, bit by bit but for NaN. */
static int is_value(const DLTensor *t, uint64_t row, const char *text)
{
    const char *at = (const char *)t->data + t->byte_offset + row * (t->dtype.bits / 8);
    size_t bytes = t->dtype.bits / 8;
    float single = strtof(text, NULL);
    double number = strtod(text, NULL);
    long long negative = strtoll(text, NULL, 10);
    unsigned long long positive = strtoull(text, NULL, 10);
    if (t->dtype.code == kDLUInt || (t->dtype.code == kDLInt && *text != '-'))
        return memcmp(at, &positive, bytes) == 0; /* the low bytes come first */
    if (t->dtype.code == kDLInt)
        return memcmp(at, &negative, bytes) == 0;
    if (number != number) {
        memcpy(bytes == 4 ? (void *)&single : (void *)&number, at, bytes);
        return bytes == 4 ? single != single : number != number;
    }
    return memcmp(at, bytes == 4 ? (const void *)&single : (const void *)&number, bytes) == 0;
}

/* NULLs and other types have no tensor. */
static void print_tensor(const pistachio_result *result, const pistachio_batch *batch,
                         uint32_t column)
{
    DLManagedTensorVersioned *tensor;
    pistachio_error *error = pistachio_dlpack(batch, column, &tensor);
    if (error) {
        pistachio_error_free(error);
        return;
    }
    int is_same = tensor->dl_tensor.ndim == 1 &&
                  (uint64_t)tensor->dl_tensor.shape[0] == pistachio_batch_rows(batch);
    for (uint64_t row = 0; is_same && row < pistachio_batch_rows(batch); row++) {
        char text[512];
        size_t bytes;
        const char *value = pistachio_text(batch, column, row, &bytes);
        snprintf(text, sizeof text, "%.*s", (int)bytes, value);
        is_same = is_value(&tensor->dl_tensor, row, text);
    }
    printf("tensor %s%s\n", pistachio_column_name(result, column), is_same ? "" : " is another");
    tensor->deleter(tensor);
}

static void print_result(pistachio_result *result)
{
    uint32_t columns = pistachio_column_count(result);
    const pistachio_batch *batch;
    pistachio_error *error;
    uint64_t done = 0;
    for (uint32_t c = 0; c < columns; c++)
        printf("column %s %s\n", pistachio_column_name(result, c),
               class_name(pistachio_column_get_class(result, c)));
    while (!(error = pistachio_next(result, &batch)) && batch) {
        for (uint64_t row = 0; row < pistachio_batch_rows(batch); row++)
            for (uint32_t c = 0; c < columns; c++)
                print_value(result, batch, c, row, done + row);
        for (uint32_t c = 0; c < columns; c++)
            print_tensor(result, batch, c);
        done += pistachio_batch_rows(batch);
    }
    if (error)
        fail(error);
}

static void run(pistachio_connection *connection, const char *sql)
{
    while (*sql) {
        pistachio_result *result;
        pistachio_error *error = pistachio_query(connection, sql, &sql, &result);
        if (error)
            fail(error);
        if (result)
            print_result(result);
        pistachio_result_free(result);
    }
}

static char *read_all(const char *path)
{
    static char text[1 << 20];
    FILE *source = fopen(path, "re");
    if (!source || fread(text, 1, sizeof text - 1, source) == 0) {
        fprintf(stderr, "could not read %s\n", path);
        exit(1);
    }
    fclose(source);
    return text;
}

int main(int count, char **words)
{
    pistachio_database *database;
    pistachio_connection *connection = NULL;
    if (count != 2) {
        fprintf(stderr, "usage: out_api FILE_OF_SQL\n");
        return 2;
    }
    pistachio_error *error = pistachio_open(NULL, 0, &database);
    if (!error)
        error = pistachio_connect(database, &connection);
    if (error)
        fail(error);
    run(connection, read_all(words[1]));
    pistachio_disconnect(connection);
    pistachio_close(database);
    return 0;
}
