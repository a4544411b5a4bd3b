/* devices.cpp - memory of the emulated devices, and the links between these.
 *
 *   PISTACHIO_CUDA_DEVICES=N      how many devices there are (1)
 *   PISTACHIO_CUDA_MEMORY=BYTES   the memory of each (4 GiB)
 *   PISTACHIO_CUDA_MEMORY_OF_OTHERS=BYTES  of which other processes have so much
 *   PISTACHIO_CUDA_LINKS=A-B=RATE,...  bytes in a second that a link between two devices takes, each way, where it is not to be
 *                                 as fast as memory; 0: neither device reaches the other's memory, and copies go by way of the host
 *
 * Memory is of the device that it was made on. Others may use it where they were given access to it; what uses memory of
 * another device without that is refused. Copies between devices are counted by link. */
#include "devices.h"

#include <math.h>
#include <sys/mman.h>
#include <time.h>

#define GRANULARITY ((size_t)2 << 20)

emulated_device emulated_devices[EMULATED_DEVICES_MAX];
thread_local emulated_device *current;

int emulated_device_count()
{
    const char *given = getenv("PISTACHIO_CUDA_DEVICES");
    long count = given ? strtol(given, nullptr, 10) : 1;
    return count < EMULATED_DEVICES_MAX ? (int)count : EMULATED_DEVICES_MAX;
}

/* ---- links ---- */

struct link_counts {
    uint64_t copies = 0, staged = 0, bytes = 0, nanoseconds = 0;
    uint64_t busy_until = 0;
};
static std::mutex links_lock;
static std::map<std::pair<int, int>, link_counts> links; /* from, to */

/* Bytes in a second; HUGE_VAL: as fast as memory; 0: no access. */
static double link_rate(int from, int to)
{
    const char *given = getenv("PISTACHIO_CUDA_LINKS");
    for (const char *at = given; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : nullptr) {
        int a, b;
        double rate;
        if (sscanf(at, "%d-%d=%lf", &a, &b, &rate) == 3 &&
            ((a == from && b == to) || (a == to && b == from)))
            return rate;
    }
    return HUGE_VAL;
}

static bool can_access(int device, int peer)
{
    return device != peer && link_rate(device, peer) > 0;
}

static uint64_t nanoseconds_now()
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Takes its time on the link, after the copies that are on it. */
static void travel(int from, int to, size_t bytes, bool is_direct)
{
    double rate = link_rate(from, to);
    uint64_t now = nanoseconds_now(), takes = rate > 0 && rate < HUGE_VAL ? (uint64_t)((double)bytes / rate * 1e9) : 0;
    std::unique_lock<std::mutex> guard(links_lock);
    link_counts &link = links[{from, to}];
    link.copies++;
    link.staged += !is_direct;
    link.bytes += bytes;
    link.nanoseconds += takes;
    link.busy_until = (link.busy_until > now ? link.busy_until : now) + takes;
    uint64_t until = link.busy_until;
    guard.unlock();
    if (until > now) {
        timespec pause = {(time_t)((until - now) / 1000000000), (long)((until - now) % 1000000000)};
        nanosleep(&pause, nullptr);
    }
}

/* What went from one device to another: 0 bytes, 1 copies, 2 of these by way of the host. */
EXPORTED uint64_t emulated_link(int from, int to, int what)
{
    std::lock_guard<std::mutex> guard(links_lock);
    const link_counts &link = links[{from, to}];
    return what == 0 ? link.bytes : what == 1 ? link.copies : link.staged;
}

/* As kernels' lines: name, copies, those by way of the host, bytes, seconds. */
void emulated_write_links(FILE *file)
{
    std::lock_guard<std::mutex> guard(links_lock);
    for (auto &[ends, link] : links)
        fprintf(file, "link_%d_%d %llu %llu %llu %.6f\n", ends.first, ends.second,
                (unsigned long long)link.copies, (unsigned long long)link.staged,
                (unsigned long long)link.bytes, (double)link.nanoseconds / 1e9);
}

EXPORTED int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    BEGIN
    *can = can_access(device, peer);
    return 0;
}

/* The rank is 0 for the fastest of all links. */
EXPORTED int cuDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
    BEGIN
    int faster = 0, count = emulated_device_count();
    for (int a = 0; a < count; a++)
        for (int b = a + 1; b < count; b++)
            faster |= link_rate(a, b) > link_rate(from, to);
    *value = attribute == CUDA_LINK_RANK ? faster : can_access(from, to);
    return 0;
}

/* ---- memory ---- */

struct mapping {
    size_t bytes;
    int device;
    uint64_t access; /* a bit for each device */
};
static std::map<char *, size_t> ranges; /* of addresses: one for each time that a device is open */
static std::map<char *, mapping> mappings;
static size_t created[EMULATED_DEVICES_MAX]; /* bytes */

bool emulated_is_reserved(const void *address, size_t bytes)
{
    std::lock_guard<std::mutex> guard(emulated_lock);
    auto next = ranges.upper_bound((char *)address);
    if (next == ranges.begin())
        return false;
    auto found = std::prev(next);
    return (char *)address + bytes <= found->first + found->second;
}

const emulated_device *emulated_foreign(const emulated_device *device, const void *address,
                                        size_t bytes)
{
    char *first = (char *)address;
    std::lock_guard<std::mutex> guard(emulated_lock);
    auto at = mappings.upper_bound(first);
    if (at != mappings.begin())
        --at;
    for (; at != mappings.end() && at->first < first + bytes; ++at)
        if (first < at->first + at->second.bytes &&
            !(at->second.access >> emulated_ordinal(device) & 1))
            return &emulated_devices[at->second.device];
    return nullptr;
}

static bool is_of(const emulated_device *device, uint64_t address)
{
    std::lock_guard<std::mutex> guard(emulated_lock);
    auto at = mappings.upper_bound((char *)address);
    return at != mappings.begin() && std::prev(at)->second.device == emulated_ordinal(device);
}

EXPORTED int cuMemGetAllocationGranularity(size_t *bytes, const void *, int)
{
    BEGIN
    *bytes = GRANULARITY;
    return 0;
}

EXPORTED int cuMemAddressReserve(uint64_t *address, size_t bytes, size_t, uint64_t,
                                 unsigned long long)
{
    BEGIN
    void *memory =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return CUDA_OUT_OF_MEMORY;
    std::lock_guard<std::mutex> guard(emulated_lock);
    ranges[(char *)memory] = bytes;
    *address = (uint64_t)memory;
    return 0;
}

EXPORTED int cuMemAddressFree(uint64_t address, size_t bytes)
{
    {
        std::lock_guard<std::mutex> guard(emulated_lock);
        ranges.erase((char *)address);
    }
    munmap((void *)address, bytes);
    return emulated_count_call_of(__func__, nullptr);
}

static size_t memory_bytes()
{
    const char *given = getenv("PISTACHIO_CUDA_MEMORY");
    return given ? strtoull(given, nullptr, 10) : (size_t)4 << 30;
}

EXPORTED int cuDeviceTotalMem_v2(size_t *bytes, int)
{
    BEGIN
    *bytes = memory_bytes();
    return 0;
}

/* An allocation's number is its bytes, which are many, and its device. */
EXPORTED int cuMemCreate(uint64_t *allocation, size_t bytes, const cuda_allocation_properties *properties,
                         unsigned long long)
{
    BEGIN
    int device = properties->location.id;
    if (!bytes || bytes % GRANULARITY || device < 0 || device >= emulated_device_count())
        return emulated_refuse("an allocation of %zu bytes on device %d", bytes, device);
    const char *others = getenv("PISTACHIO_CUDA_MEMORY_OF_OTHERS");
    std::lock_guard<std::mutex> guard(emulated_lock);
    if (others && created[device] + bytes > memory_bytes() - strtoull(others, nullptr, 10))
        return CUDA_OUT_OF_MEMORY;
    emulated_counts["bytes"] += bytes;
    created[device] += bytes;
    *allocation = bytes + (uint64_t)device;
    return 0;
}

EXPORTED int cuMemRelease(uint64_t allocation)
{
    {
        std::lock_guard<std::mutex> guard(emulated_lock);
        created[allocation % GRANULARITY] -= allocation - allocation % GRANULARITY;
    }
    return emulated_count_call_of(__func__, nullptr);
}

EXPORTED int cuMemMap(uint64_t address, size_t bytes, size_t, uint64_t allocation,
                      unsigned long long)
{
    BEGIN
    if (allocation - allocation % GRANULARITY != bytes || address % GRANULARITY % 4096)
        return emulated_refuse("an allocation of %zu bytes is mapped as %zu", (size_t)allocation,
                               bytes);
    std::lock_guard<std::mutex> guard(emulated_lock);
    mappings[(char *)address] = {bytes, (int)(allocation % GRANULARITY), 0};
    return 0;
}

/* Of one mapping. Others' access comes later than its own device's, when there may be buffers. */
EXPORTED int cuMemSetAccess(uint64_t address, size_t bytes, const cuda_access *access, size_t count)
{
    BEGIN
    std::unique_lock<std::mutex> guard(emulated_lock);
    auto found = mappings.find((char *)address);
    if (found == mappings.end() || found->second.bytes != bytes)
        return emulated_refuse("access to %zu bytes that are not a mapping", bytes);
    bool is_first = !found->second.access;
    for (size_t i = 0; i < count; i++) {
        int device = access[i].location.id;
        if (device != found->second.device && !can_access(device, found->second.device))
            return emulated_refuse("device %d cannot be given access to the memory of device %d", device,
                                   found->second.device);
        found->second.access |= (uint64_t)1 << device;
    }
    guard.unlock();
    if (is_first) {
        mprotect((void *)address, bytes, PROT_READ | PROT_WRITE);
        ASAN_POISON_MEMORY_REGION((void *)address, bytes);
    }
    return 0;
}

EXPORTED int cuMemUnmap(uint64_t address, size_t bytes)
{
    {
        std::lock_guard<std::mutex> guard(emulated_lock);
        mappings.erase((char *)address);
    }
    ASAN_UNPOISON_MEMORY_REGION((void *)address, bytes);
    mprotect((void *)address, bytes, PROT_NONE);
    return emulated_count_call_of(__func__, nullptr);
}

/* The device says which bytes of its range are a buffer's: others are out of bounds. New ones hold
 * rubbish. */
EXPORTED void pistachio_watch_buffer(uint64_t address, size_t bytes, size_t room)
{
    ASAN_UNPOISON_MEMORY_REGION((void *)address, room);
    memset((void *)address, 0xa5, bytes < 65536 ? bytes : 65536);
    ASAN_POISON_MEMORY_REGION((char *)address + bytes, room - bytes);
}

/* From the memory of one context's device to that of another's. */
EXPORTED int cuMemcpyPeerAsync(uint64_t target, emulated_device *target_context, uint64_t source,
                               emulated_device *source_context, size_t bytes, CUstream_st *stream)
{
    BEGIN_IN_CONTEXT
    if (!emulated_is_reserved((void *)target, bytes) || !is_of(target_context, target))
        return emulated_refuse("%s of %zu bytes to %p, which is not the memory of device %d", __func__, bytes,
                               (void *)target, emulated_ordinal(target_context));
    if (!emulated_is_reserved((void *)source, bytes) || !is_of(source_context, source))
        return emulated_refuse("%s of %zu bytes at %p, which is not the memory of device %d", __func__, bytes,
                               (void *)source, emulated_ordinal(source_context));
    bool is_direct = !emulated_foreign(stream->device, (void *)target, bytes) &&
                     !emulated_foreign(stream->device, (void *)source, bytes);
    int from = emulated_ordinal(source_context), to = emulated_ordinal(target_context);
    stream->enqueue([=] {
        memmove((void *)target, (void *)source, bytes);
        if (from != to)
            travel(from, to, bytes, is_direct);
    });
    return 0;
}
