/* device_test.h - for tests of what runs on several devices. */
#ifndef PISTACHIO_DEVICE_TEST_H
#define PISTACHIO_DEVICE_TEST_H

#include "device/tensor.h"
#include "test.h"

/* The bytes at a device address, in host memory of mem_new. */
void *test_to_host(dev_stream *stream, const void *source, size_t bytes);

#endif
