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
/* Whether it is in one of the two ranges. */
bool simulated_is_known(const void *address);
/* The number of the block of device memory that has the address; 0: none has. */
uint32_t simulated_block(const void *address);
/* Where the bytes of a device address are; other addresses (the host's, NULL) stay. */
void *simulated_real(const void *address);

/* Runs a kernel on arguments that hold device addresses; changes the arguments. */
void simulated_run(dev_kernel_id kernel, void *arguments);

#endif
