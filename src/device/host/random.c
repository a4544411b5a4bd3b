/* random.c - random numbers and UUIDs. Numbers are a counter, scrambled (splitmix64; Steele, Lea and Flood, OOPSLA
 * 2014), so that any number of threads take numbers from one sequence without waiting for each other. */
#include "base/text/uuid_text.h"
#include "device/host/host.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <time.h>

/* One for the process. */
static _Atomic uint64_t seed, drawn;
static _Atomic bool is_seeded;

static uint64_t random_scramble(uint64_t number)
{
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

/* Two threads may do this at once: the first numbers are of the one or the other seed. */
static void seed_once(void)
{
    uint64_t bytes;
    if (atomic_load(&is_seeded))
        return;
    if (getrandom(&bytes, sizeof bytes, GRND_NONBLOCK) != sizeof bytes)
        bytes = (uint64_t)time(NULL);
    uint64_t none = 0;
    atomic_compare_exchange_strong(&seed, &none, bytes);
    atomic_store(&is_seeded, true);
}

/* Takes the numbers of all rows. */
static status random_begin(host_call *c)
{
    seed_once();
    c->state = (void *)(uintptr_t)atomic_fetch_add(&drawn, c->count);
    return STATUS_OK;
}

/* Returns the number with a place in the sequence, from 0 to 1. */
static inline double random_number(uint64_t number)
{
    uint64_t bits = random_scramble(atomic_load_explicit(&seed, memory_order_relaxed) +
                                    number * UINT64_C(0x9e3779b97f4a7c15));
    return (double)(bits >> 11) * 0x1p-53;
}

status host_random(host_call *c, uint64_t row)
{
    host_put_double(c, row, random_number((uint64_t)(uintptr_t)c->state + row + 1));
    return STATUS_OK;
}

/* Rows of which one number is drawn. */
#define BLOCK_ROWS 2048

status host_random_block(host_call *c, uint64_t row)
{
    uint64_t number = ((uint64_t)(uintptr_t)c->state + row) / BLOCK_ROWS + 1;
    host_put_double(c, row, random_number(~number));
    return STATUS_OK;
}

/* Fills a block, or what is left of it, from the row on; returns the row after it. */
static uint64_t random_fill_block(host_call *c, uint64_t row)
{
    double *values = c->values;
    uint64_t more = BLOCK_ROWS - ((uint64_t)(uintptr_t)c->state + row) % BLOCK_ROWS;
    uint64_t end = row + more < c->count ? row + more : c->count;
    for (uint64_t i = row + 1; i < end; i++)
        values[i] = values[row];
    return end;
}

static status random_begin_all(host_call *c)
{
    TRY(random_begin(c));
    bool by_blocks = c->function == HOST_RANDOM_BLOCK;
    for (uint64_t row = 0; row < c->count;) {
        TRY(by_blocks ? host_random_block(c, row) : host_random(c, row));
        row = by_blocks ? random_fill_block(c, row) : row + 1;
    }
    return STATUS_OK;
}

const host_function_ops host_random_ops = {.begin = random_begin_all, .begin_is_all = true};

status host_setseed(host_call *c, uint64_t row)
{
    double number = host_double(c, 0, row);
    uint64_t bits;
    if (!(fabs(number) <= 1))
        return status_new(STATUS_KIND_DATA, "the seed %g is not between -1 and 1", number);
    memcpy(&bits, &number, sizeof bits);
    atomic_store(&seed, random_scramble(bits + 1));
    atomic_store(&drawn, 0);
    atomic_store(&is_seeded, true);
    return host_put_text(c, row, "", 0);
}

/* ---- UUIDs: of the system, as nobody is to guess them ---- */

static status random_draw(host_call *c)
{
    char *at = c->values;
    for (uint64_t left = c->count * UUID_BYTES; left;) {
        ssize_t count = getrandom(at, left, 0);
        if (count < 0 && errno != EINTR)
            return status_new_errno(errno, "the system gives no random bytes");
        at += count < 0 ? 0 : count;
        left -= count < 0 ? 0 : (uint64_t)count;
    }
    return STATUS_OK;
}

const host_function_ops host_random_uuid_ops = {.begin = random_draw};

/* RFC 9562, 5.4: version 4, variant 10. */
status host_gen_random_uuid(host_call *c, uint64_t row)
{
    uint8_t bytes[UUID_BYTES];
    int128 *uuid = (int128 *)c->values + row;
    memcpy(bytes, uuid, sizeof bytes);
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80);
    *uuid = uuid_of_bytes(bytes);
    return STATUS_OK;
}
