/* device_test.h - for tests of what runs on several devices. */
#ifndef PISTACHIO_DEVICE_TEST_H
#define PISTACHIO_DEVICE_TEST_H

#include "device/device.h"
#include "test.h"

/* The bytes at a device address, in host memory of mem_new. */
void *test_to_host(dev_stream *stream, const void *source, size_t bytes);

/* A CPU device with a budget without a limit, and a stream of it. */
void test_cpu_open(mem_budget **budget, device **dev, dev_stream **stream);
/* Fails if memory of the budget is in use. */
void test_cpu_close(mem_budget *budget, device *dev, dev_stream *stream);

/* Every type; decimals of both widths. */
#define TEST_TYPE_COUNT (TYPE_FLAT_COUNT + 1)
data_type test_type_at(unsigned index);

#endif
