/* faults.cpp - kernels of the emulation that do what they shall not, each named by its function without "kernel_":
 *
 *   PISTACHIO_CUDA_WRONG=KERNEL    of the bytes that each job of it wrote, one is another
 *   PISTACHIO_CUDA_ILLEGAL=KERNEL  ends the context, as an address that is none does
 *   PISTACHIO_CUDA_HANG=KERNEL     does not end
 *   PISTACHIO_CUDA_GONE=FILE       once there is such a file the device is off the bus, in any process
 */
#include "fibers.h"

#include <atomic>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#define ERROR_ILLEGAL_ADDRESS 700
#define BYTES_SEEN 4096 /* of each output */

struct emulated_before {
    unsigned count; /* of the arguments' outputs, after which comes the scratch */
    void *outputs[EMULATED_OUTPUTS + 1];
    size_t bytes[EMULATED_OUTPUTS + 1];
    unsigned char content[EMULATED_OUTPUTS + 1][BYTES_SEEN];
};

static bool is_of(const emulated_kernel *kernel, const char *name)
{
    return name && !strcmp(kernel->name + strlen("kernel_"), name);
}

/* As much as can be read of what may lie on the heap, on the stack or in the device's memory. */
static size_t read_some(const void *address, void *out)
{
    static int memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    size_t done = 0, step;
    /* A read that comes to a page which is not there gives nothing: so page by page. */
    for (; done < BYTES_SEEN; done += step) {
        uintptr_t at = (uintptr_t)address + done;
        step = 4096 - at % 4096;
        step = step < BYTES_SEEN - done ? step : BYTES_SEEN - done;
        if (pread(memory, (char *)out + done, step, (off_t)at) != (ssize_t)step)
            break;
    }
    return done;
}

static emulated_before *remember(const emulated_kernel *kernel, const void *arguments, void *scratch)
{
    auto *before = (emulated_before *)malloc(sizeof(emulated_before));
    if (!before)
        abort();
    before->count = kernel->outputs(arguments, before->outputs);
    before->outputs[before->count] = scratch;
    for (unsigned i = 0; i <= before->count; i++)
        before->bytes[i] = before->outputs[i] ? read_some(before->outputs[i], before->content[i]) : 0;
    return before;
}

int emulated_fault_before(const emulated_kernel *kernel, const void *arguments, void *scratch,
                          char *why, size_t bytes, emulated_before **out)
{
    static const char *wrong = getenv("PISTACHIO_CUDA_WRONG");
    static const char *illegal = getenv("PISTACHIO_CUDA_ILLEGAL");
    *out = is_of(kernel, wrong) ? remember(kernel, arguments, scratch) : nullptr;
    if (!is_of(kernel, illegal))
        return 0;
    snprintf(why, bytes, "an illegal memory access was encountered");
    return ERROR_ILLEGAL_ADDRESS;
}

/* The n-th byte that differs in outputs [first, end), from 0 on; NULL: there are not so many. *out_count: how many there are. */
static unsigned char *changed_byte(const emulated_before *before, unsigned first, unsigned end,
                                   size_t n, size_t *out_count)
{
    static unsigned char now[BYTES_SEEN];
    size_t count = 0;
    unsigned char *found = nullptr;
    for (unsigned i = first; i < end; i++) {
        size_t bytes = before->bytes[i] ? read_some(before->outputs[i], now) : 0;
        bytes = bytes < before->bytes[i] ? bytes : before->bytes[i];
        for (size_t k = 0; k < bytes; k++)
            if (now[k] != before->content[i][k] && count++ == n)
                found = (unsigned char *)before->outputs[i] + k;
    }
    *out_count = count;
    return found;
}

void emulated_fault_after(emulated_before *before)
{
    static uint64_t random = 1;
    size_t count;
    if (!before)
        return;
    /* A step between two others may have nothing but scratch to write to. */
    unsigned first = 0, end = before->count;
    changed_byte(before, first, end, 0, &count);
    if (!count) {
        first = end++;
        changed_byte(before, first, end, 0, &count);
    }
    random = random * 6364136223846793005u + 1442695040888963407u;
    size_t n = count ? (random >> 33) % count : 0;
    if (unsigned char *byte = changed_byte(before, first, end, n, &count))
        *byte ^= 1;
    free(before);
}

void emulated_fault_hang(const emulated_kernel *kernel)
{
    static const char *hang = getenv("PISTACHIO_CUDA_HANG");
    while (is_of(kernel, hang)) {
        timespec pause = {1000, 0};
        nanosleep(&pause, nullptr);
    }
}

bool emulated_fault_gone()
{
    static const char *file = getenv("PISTACHIO_CUDA_GONE");
    return file && !access(file, F_OK);
}
