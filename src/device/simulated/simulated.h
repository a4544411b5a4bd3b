/* simulated.h - inside the simulated device: its memory, and translation of addresses. */
#ifndef PISTACHIO_DEVICE_SIMULATED_H
#define PISTACHIO_DEVICE_SIMULATED_H

#include "device/device.h"

/* Memory that the host cannot touch: device addresses lie in a range without any access, the bytes
 * themselves dev_simulated_offset further on. One range per process. */
CHECKED status simulated_memory_open(void);
/* A device address, or one of host memory that counts as pinned; NULL: the range is full.
 * Thread-safe. */
void *simulated_memory_take(bool is_host, size_t bytes);
void simulated_memory_give(bool is_host, void *address, size_t bytes);
/* The piece of the host's memory that a block for so many bytes is in; it stays for good. */
void simulated_memory_piece(const void *address, size_t bytes, void **out_start, size_t *out_bytes);
/* What a block for so many bytes has room for. */
size_t simulated_memory_room(size_t bytes);
/* Memory of the device that is for other bytes from here on: what was in it is spoilt. */
void simulated_memory_renew(void *address, size_t bytes_before, size_t bytes);
/* Whether it is in one of the two ranges. */
bool simulated_is_known(const void *address);
/* The number of the block of device memory that has the address; 0: none has. */
uint32_t simulated_block(const void *address);

#define BLOCK_OF_ANY UINT32_MAX
/* Who has been told to use a block of memory. Under the device's lock. */
typedef struct block_use {
    uint32_t stream;     /* the only one, by its id; 0: none; BLOCK_OF_ANY */
    uint32_t renewed_by; /* the stream for which the memory was used again at once; */
    uint64_t renewed;    /* what it was told before this number may still use the old bytes; or 0 */
} block_use;
block_use *simulated_block_use(uint32_t block);

/* Where the bytes of a device address are; other addresses (the host's, NULL) stay. */
void *simulated_real(const void *address);

/* Runs a kernel on arguments that hold device addresses; changes the arguments. */
void simulated_run(dev_kernel_id kernel, void *arguments);

#endif
