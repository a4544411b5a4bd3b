/* output_file.h - where text goes: a new file that appears under its name when it is whole
 * (new_file.h), or what cannot be replaced and is written as the text comes: a terminal, a pipe, a
 * device, /dev/stdout. */
#ifndef PISTACHIO_STORAGE_OUTPUT_FILE_H
#define PISTACHIO_STORAGE_OUTPUT_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct output_file output_file;

/* may_be_cut: even a file is written as the text comes, and left as it is after a failure. */
CHECKED status output_file_open(const char *path, bool may_be_cut, output_file **out);
/* As new_file_sync_later, if it is a new file. */
void output_file_sync_later(output_file *f);
/* To write to; belongs to the file. */
FILE *output_file_stream(output_file *f);
/* Fails if a write to the stream has failed: for who writes much, to stop. */
CHECKED status output_file_check(output_file *f);
/* Publish and abort free it. publish: all is written, and the file has its name; abort: what had the name before is
 * untouched, unless the text went there as it came. Takes NULL. */
CHECKED status output_file_publish(output_file *f);
void output_file_abort(output_file *f);

#endif
