/* arrow_memory.h - buffers of Arrow arrays in the memory of any device, as a client of that device reads them. */
#ifndef PISTACHIO_ARROW_MEMORY_H
#define PISTACHIO_ARROW_MEMORY_H

#include "pistachio/pistachio.h"

#include <stddef.h>

/* The devices that there are here: the CUDA device where PISTACHIO_CUDA_LIBRARY names a driver. NULL behind the last. */
const char *arrow_device_name(unsigned index);
/* Fails if the array is not where rows of that device are. */
void arrow_check_place(const struct ArrowDeviceArray *array, const char *device);
/* Copies bytes of a buffer of such an array: the host's own, the simulated device's, or by CUDA's driver. */
void arrow_read(const struct ArrowDeviceArray *array, const void *buffer, size_t bytes, void *out);

/* A database, and a statement's rows. */
typedef struct arrow_world {
    pistachio_database *database;
    pistachio_connection *connection;
    struct ArrowDeviceArrayStream stream; /* released: none */
} arrow_world;

arrow_world arrow_world_open(const char *device, const char *result_memory, const char *chunk_rows);
/* A statement whose rows are of no interest. */
void arrow_run(const arrow_world *w, const char *sql);
/* One whose rows are the stream's from then on. */
void arrow_start(arrow_world *w, const char *sql);
/* Fails if anything that was given out is still held. */
void arrow_world_close(arrow_world *w);

/* A function of CUDA's driver, or of its emulation; NULL: it has none of that name. */
void *arrow_driver_function(const char *name);

#endif
