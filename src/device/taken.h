/* taken.h - what a buffer takes of its device's budget. */
#ifndef PISTACHIO_DEVICE_TAKEN_H
#define PISTACHIO_DEVICE_TAKEN_H

#include "device/device.h"

/* Returns the bytes of the budget that the buffer has: on the CPU more than its own, as memory is had in pages or sizes. */
size_t dev_buffer_taken(const dev_buffer *buffer);

#endif
