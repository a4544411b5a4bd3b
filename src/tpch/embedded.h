/* embedded.h - the texts of src/tpch/queries and src/tpch/answers, put into the program by
 * cmake/Embed.cmake. */
#ifndef PISTACHIO_TPCH_EMBEDDED_H
#define PISTACHIO_TPCH_EMBEDDED_H

typedef struct tpch_text {
    const char *name, *text; /* the file's path below its folder; both NULL at the end */
} tpch_text;

/* "q01.sql", ... with the validation run's parameters. */
extern const tpch_text tpch_queries[];
/* "sf1/q01.csv", ...: names of columns, then rows, cells separated by |, NULL empty. For the
 * longest, "sf1/q16.digest": how many rows, and a hash of their text. */
extern const tpch_text tpch_answers[];

#endif
