/* allocate.h - the simulated device's memory. */
#ifndef PISTACHIO_DEVICE_SIMULATED_ALLOCATE_H
#define PISTACHIO_DEVICE_SIMULATED_ALLOCATE_H

#include "device/simulated/stream.h"

void simulated_released_init(released_list *list);
/* Frees what was released and what no command can use any more. Under the lock. */
void simulated_reclaim(simulated_device *dev);
/* The stream is told to use a block of memory. Under the lock. */
CHECKED status simulated_note_use(simulated_stream *stream, uint32_t block);
CHECKED status simulated_alloc(device *dev, size_t bytes, const char *who, dev_buffer **out);
void simulated_release(dev_buffer *buffer);
void simulated_export(dev_buffer *buffer);
size_t simulated_lend(dev_buffer *buffer);
CHECKED status simulated_memory_notify(dev_stream *stream, void (*wake)(void *), void *argument,
                                       bool *out_will);
bool simulated_memory_wait(device *dev);
CHECKED status simulated_host_alloc(device *dev, size_t bytes, const char *who, void **out);
void simulated_host_free(device *dev, void *address, size_t bytes);
void simulated_host_piece(device *dev, const void *address, void **out_start, size_t *out_bytes);

#endif
