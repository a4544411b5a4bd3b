/* test_registered.c - memory registered for reads: shared out without overlaps, given back, read
 * into. Where the process may not register any, there is nothing to test.
 *
 * test_label: threads */
#include "base/mem.h"
#include "device/device.h"
#include "storage/read.h"
#include "storage/registered.h"
#include "test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KIB = 1 << 10, MIB = 1 << 20 };

static bool can_register(void)
{
    void *memory = storage_memory_take(MIB);
    if (memory)
        storage_memory_give(memory, MIB);
    return memory;
}

TEST(takes_do_not_overlap)
{
    enum { COUNT = 40 };
    uint8_t *taken[COUNT];
    size_t bytes[COUNT];
    if (!can_register())
        SKIP("this process cannot register memory");
    for (int i = 0; i < COUNT; i++) {
        bytes[i] = (size_t)256 * KIB + (size_t)(i * 7919) % (3 * MIB);
        taken[i] = storage_memory_take(bytes[i]);
        CHECK(taken[i] != NULL);
        CHECK_EQ((uintptr_t)taken[i] % STORAGE_BLOCK, 0);
        memset(taken[i], i, bytes[i]);
        CHECK(storage_memory_slot(taken[i], bytes[i]) >= 0);
    }
    for (int i = 0; i < COUNT; i++) {
        for (size_t at = 0; at < bytes[i]; at += 4096)
            CHECK_EQ(taken[i][at], i);
        CHECK_EQ(taken[i][bytes[i] - 1], i);
        storage_memory_give(taken[i], bytes[i]);
    }
    /* Memory that was given back is taken again. */
    uint64_t held = storage_memory_held();
    CHECK(held <= 96 * MIB);
    taken[0] = storage_memory_take(4 * MIB);
    CHECK_EQ(storage_memory_held(), held);
    storage_memory_give(taken[0], 4 * MIB);
}

TEST(sizes_that_are_not_for_slabs)
{
    int here;
    CHECK(!storage_memory_take(0));
    CHECK(!storage_memory_take(4096));
    CHECK(!storage_memory_take(STORAGE_SLAB_BYTES + 1));
    CHECK_EQ(storage_memory_slot(&here, 1), -1);
}

TEST(there_is_an_end_to_it)
{
    enum { MOST = 1000 };
    static void *taken[MOST];
    int count = 0;
    while (count < MOST && (taken[count] = storage_memory_take(STORAGE_SLAB_BYTES)))
        count++;
    CHECK(count < MOST);
    while (count)
        storage_memory_give(taken[--count], STORAGE_SLAB_BYTES);
}

/* `memory`: of a MiB. */
static void read_into(uint8_t *memory)
{
    char path[512];
    file *f;
    read_request *r;
    uint32_t *numbers = mem_new(MIB);
    CHECK(numbers);
    for (uint32_t i = 0; i < MIB / 4; i++)
        numbers[i] = i * 2654435761u;
    snprintf(path, sizeof path, "%s/numbers", test_folder());
    int descriptor = open(path, O_CREAT | O_WRONLY, 0600);
    CHECK_EQ(write(descriptor, numbers, MIB), MIB);
    CHECK_EQ(close(descriptor), 0);
    CHECK_OK(file_open(path, &f));
    CHECK_OK(storage_read_submit_direct(f, 4096, memory + 8192, MIB - 16384, &r));
    CHECK_OK(storage_read_finish(r));
    CHECK(!memcmp(memory + 8192, (char *)numbers + 4096, MIB - 16384));
    file_close(f);
    mem_free(numbers);
}

TEST(a_read_ends_in_it)
{
    uint8_t *memory = storage_memory_take(MIB);
    if (!memory)
        SKIP("this process cannot register memory");
    read_into(memory);
    storage_memory_give(memory, MIB);
}

TEST(memory_of_others_is_known_until_it_goes)
{
    uint8_t *memory = mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(memory != MAP_FAILED);
    storage_memory_know(memory, MIB);
    if (storage_memory_slot(memory, MIB) < 0) {
        munmap(memory, MIB);
        SKIP("this process cannot register memory");
    }
    int slot = storage_memory_slot(memory, MIB);
    storage_memory_know(memory, MIB);
    CHECK_EQ(storage_memory_slot(memory + 4096, MIB - 4096), slot);
    CHECK_EQ(storage_memory_slot(memory + 4096, MIB), -1);
    CHECK(storage_memory_slot(memory + MIB, 1) != slot);
    uint8_t *other = storage_memory_take(MIB);
    CHECK(!other || other + MIB <= memory || other >= memory + MIB);
    if (other)
        storage_memory_give(other, MIB);
    read_into(memory);
    storage_memory_forget(memory, MIB);
    CHECK_EQ(storage_memory_slot(memory, MIB), -1);
    read_into(memory);
    storage_memory_know(memory, 4096); /* too little to pay */
    CHECK_EQ(storage_memory_slot(memory, 4096), -1);
    munmap(memory, MIB);
}

static int given_back;

static void give_back(void *address, size_t bytes)
{
    CHECK(address == &given_back && bytes == 4);
    given_back++;
}

TEST(a_wrapped_buffer_is_given_back_with_its_last_reference)
{
    mem_budget *budget;
    device *dev;
    dev_buffer *buffer;
    CHECK_OK(mem_budget_new(100, &budget));
    CHECK_OK(dev_open_cpu("auto", 0, budget, &dev));
    CHECK_OK(dev->ops->wrap(dev, &given_back, 4, give_back, "test", &buffer));
    CHECK_EQ(mem_budget_used(budget), 4);
    dev_buffer_unref(dev_buffer_ref(buffer));
    CHECK_EQ(given_back, 0);
    dev_buffer_unref(buffer);
    CHECK_EQ(given_back, 1);
    CHECK_EQ(mem_budget_used(budget), 0);
    status st = dev->ops->wrap(dev, &given_back, 101, give_back, "test", &buffer);
    CHECK(st != NULL);
    status_free(st);
    dev_close(dev);
    mem_budget_free(budget);
}
