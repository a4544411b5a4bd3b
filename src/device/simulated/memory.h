/* memory.h - memory of the simulated device, and the host's that it can copy from and to. */
#ifndef PISTACHIO_DEVICE_SIMULATED_MEMORY_H
#define PISTACHIO_DEVICE_SIMULATED_MEMORY_H

#include "device/simulated/simulated.h"

/* Memory that the host cannot touch: device addresses lie in a range without any access, the bytes
 * themselves dev_simulated_offset further on. One range per process. */
CHECKED status simulated_memory_open(void);
/* A device address, or one of host memory that counts as pinned; NULL: the range is full.
 * Thread-safe. */
void *simulated_memory_take(bool is_host, size_t bytes);
void simulated_memory_give(bool is_host, void *address, size_t bytes);
/* The piece of the host's memory that a block for so many bytes is in; it stays for good. */
void simulated_memory_piece(const void *address, size_t bytes, void **out_start, size_t *out_bytes);
/* Returns the room of a block for so many bytes. */
size_t simulated_memory_room(size_t bytes);
/* Memory of the device that is for other bytes from here on: what was in it is spoilt. */
void simulated_memory_renew(void *address, size_t bytes_before, size_t bytes);
/* Whether it is in one of the two ranges. */
bool simulated_is_known(const void *address);
/* The number of the block of device memory that has the address; 0: none has. */
uint32_t simulated_block(const void *address);
block_use *simulated_block_use(uint32_t block);
/* Returns where the bytes of a device address are; other addresses (the host's, NULL) stay. */
void *simulated_real(const void *address);

#endif
