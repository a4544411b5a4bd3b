/* devices.h - inside the emulated driver: its devices, their streams, and what its files share. */
#ifndef PISTACHIO_CUDA_EMULATION_DEVICES_H
#define PISTACHIO_CUDA_EMULATION_DEVICES_H

#include "fibers.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

extern "C" {
#include "device/cuda/driver.h"
}

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

#define EXPORTED extern "C" __attribute__((visibility("default")))

enum {
    ERROR_INVALID = 1,
    ERROR_NO_LONGER_THERE = 79, /* a device that left the bus */
    ERROR_CONTEXT = 201,
    ERROR_REGISTERED = 712, /* already */
    ERROR_NOT_REGISTERED = 713,
    ERROR_ILLEGAL_ADDRESS = 700,
    ERROR_LAUNCH_FAILED = 719,
    ERROR_UNKNOWN = 999,
};

/* A device; its address is its primary context's. */
struct emulated_device {
    std::atomic<int> lost{0}; /* an error that stays */
    int retained = 0;         /* how often its context is */
};
#define EMULATED_DEVICES_MAX 64
extern emulated_device emulated_devices[EMULATED_DEVICES_MAX];
extern thread_local emulated_device
    *current; /* the device of the thread's context; NULL: it has none */
int emulated_device_count();

static inline int emulated_ordinal(const emulated_device *device)
{
    return (int)(device - emulated_devices);
}

struct CUstream_st {
    std::mutex mutex;
    std::condition_variable changed, done;
    std::deque<std::function<void()>> commands;
    emulated_device *device = nullptr; /* whose context it was made in */
    bool is_busy = false;
    std::atomic<bool> is_open{false};
    uint64_t random = 1;

    void main();
    void must_be_open() const
    {
        if (is_open)
            return;
        fprintf(stderr, "emulated driver: a stream is used that was destroyed\n");
        abort();
    }
    void enqueue(std::function<void()> command)
    {
        must_be_open();
        std::lock_guard<std::mutex> guard(mutex);
        commands.push_back(std::move(command));
        changed.notify_one();
    }
};

extern std::mutex emulated_lock; /* of the driver's state */
extern std::map<std::string, uint64_t>
    emulated_counts; /* calls of each function, and others: under the lock */

/* Counts a call on a device, or of the thread's, if it has one. What the call fails with; 0: it goes on. */
int emulated_count_call_of(const char *name, emulated_device *device);
bool emulated_has_context(const char *name);
/* Notes why a call is refused, and returns the error. */
int emulated_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

#define BEGIN                                                                                      \
    if (int failed = emulated_count_call_of(__func__, nullptr))                                    \
        return failed;
#define BEGIN_IN_CONTEXT                                                                           \
    BEGIN                                                                                          \
    if (!emulated_has_context(__func__))                                                           \
        return ERROR_CONTEXT;

/* ---- devices.cpp ---- */
/* Whether the bytes are at addresses that were reserved for devices' memory. */
bool emulated_is_reserved(const void *address, size_t bytes);
/* The device whose memory the bytes are, or some of them, though another one, `device`, may not use it; NULL: there is none. */
const emulated_device *emulated_foreign(const emulated_device *device, const void *address,
                                        size_t bytes);
/* Adds lines of the links to the file of counts. */
void emulated_write_links(FILE *file);

#endif
