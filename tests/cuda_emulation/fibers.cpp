/* fibers.cpp - a block of threads on one thread of the host. Fibers meet at barriers and warp
 * functions; who does not come to a meeting that others wait for has missed it. */
#include "fibers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if !defined __x86_64__
#error "switching fibers is written for x86-64"
#endif

#define THREADS_MAX 1024
#define STACK_BYTES ((size_t)128 << 10)
#define LAST_FRAMES_BYTES ((size_t)4 << 10)
#define PAUSE_ODDS 16 /* a thread pauses at one atomic in so many, before it and after it */

emulated_index threadIdx, blockIdx, blockDim, gridDim;
const emulated_kernel *emulated_kernels;

emulated_kernel::emulated_kernel(const char *its_name, void (*its_call)(const void *), bool together,
                                 uint64_t (*its_rows)(const void *),
                                 uint64_t (*its_rows_now)(const void *),
                                 const char *(*its_strange)(const void *, emulated_question *),
                                 size_t bytes)
    : name(its_name), call(its_call), is_together(together), rows(its_rows),
      rows_now(its_rows_now), strange(its_strange), argument_bytes(bytes), next(emulated_kernels)
{
    emulated_kernels = this;
}

/* Shared variables of all kernels lie here. */
extern "C" char __start_emulated_shared[], __stop_emulated_shared[];

extern "C" void emulated_switch(void **save, void *to);
asm(".pushsection .text\n"
    ".type emulated_switch,@function\n"
    "emulated_switch:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  movq %rsp,(%rdi)\n  movq %rsi,%rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size emulated_switch,.-emulated_switch\n"
    ".popsection\n");

enum fiber_state { FIBER_READY, FIBER_AT_BARRIER, FIBER_AT_WARP, FIBER_DONE };

struct fiber {
    void *stack_pointer;
    fiber_state state;
    unsigned mask;
};

static fiber fibers[THREADS_MAX];
static char *stacks;
static uint64_t words[THREADS_MAX]; /* a word for each lane */
static void *home;
static unsigned current, thread_count;
static const emulated_kernel *running;
static const void *running_job;
static jmp_buf failure;
static char *why;
static size_t why_bytes;
static uint64_t random_state = 88172645463325252u;

static uint64_t next_random()
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* ---- switching; the sanitizer is told of each ---- */

#ifdef __SANITIZE_ADDRESS__
static const void *home_stack;
static size_t home_stack_bytes;
#endif

static void to_fiber(unsigned i)
{
    current = i;
    threadIdx.x = i;
#if defined __SANITIZE_ADDRESS__
    void *fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, stacks + i * STACK_BYTES, STACK_BYTES);
#endif
    emulated_switch(&home, fibers[i].stack_pointer);
#if defined __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

static void to_home(bool is_last)
{
#if defined __SANITIZE_ADDRESS__
    void *fake = nullptr;
    __sanitizer_start_switch_fiber(is_last ? nullptr : &fake, home_stack, home_stack_bytes);
#else
    (void)is_last;
#endif
    emulated_switch(&fibers[current].stack_pointer, home);
#if defined __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fake, &home_stack, &home_stack_bytes);
#endif
}

static void fiber_main()
{
#if defined __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(nullptr, &home_stack, &home_stack_bytes);
#endif
    running->call(running_job);
    fibers[current].state = FIBER_DONE;
    to_home(true);
    abort();
}

static bool has_failed, has_left_frames;

void emulated_fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why, why_bytes, format, list);
    va_end(list);
    has_failed = true;
    if (!running->is_together)
        longjmp(failure, 1);
    fibers[current].state = FIBER_DONE;
    to_home(true);
    abort();
}

void emulated_meet(emulated_meeting kind, unsigned mask)
{
    if (!running->is_together)
        emulated_fail("%s is KERNEL_ALONE, and its threads meet", running->name);
    fibers[current].mask = mask;
    fibers[current].state = kind == EMULATED_BARRIER ? FIBER_AT_BARRIER : FIBER_AT_WARP;
    to_home(false);
}

void emulated_pause()
{
    if (running->is_together && next_random() % PAUSE_ODDS == 0)
        to_home(false); /* ready to go on */
}

uint64_t *emulated_words()
{
    return &words[current / 32 * 32];
}

/* ---- a block ---- */

static void begin_fiber(unsigned i)
{
#if defined __SANITIZE_ADDRESS__
    /* The last frames of a fiber stay as they were; all of them, if the launch failed. */
    size_t bytes = has_left_frames ? STACK_BYTES : LAST_FRAMES_BYTES;
    __asan_unpoison_memory_region(stacks + (i + 1) * STACK_BYTES - bytes, bytes);
#endif
    void **top = (void **)(stacks + (i + 1) * STACK_BYTES);
    top -= 2;
    *top = (void *)fiber_main;
    top -= 6;
    memset(top, 0, 6 * sizeof *top);
    fibers[i] = {top, FIBER_READY, 0};
}

/* Lets the lanes of a warp go on that wait for nobody else. True: there were some. */
static bool release_warp(unsigned first, unsigned end)
{
    unsigned waiting = 0;
    bool any = false;
    for (unsigned i = first; i < end; i++)
        if (fibers[i].state == FIBER_AT_WARP)
            waiting |= 1u << (i - first);
    for (unsigned i = first; i < end; i++) {
        unsigned mask = fibers[i].mask;
        if (fibers[i].state != FIBER_AT_WARP || (mask & waiting) != mask)
            continue;
        bool is_same = mask >> (i - first) & 1;
        for (unsigned k = first; k < end; k++)
            is_same = is_same && (!(mask >> (k - first) & 1) || fibers[k].mask == mask);
        for (unsigned k = first; is_same && k < end; k++)
            if (mask >> (k - first) & 1)
                fibers[k].state = FIBER_READY;
        waiting = is_same ? waiting & ~mask : waiting;
        any |= is_same;
    }
    return any;
}

/* Runs a warp, whose lanes come in any order, until all of it waits for others, pauses or is done. True: something
 * ran. */
static bool run_warp(unsigned first, unsigned end)
{
    bool ran = false;
    for (bool again = true; again && !has_failed;) {
        uint64_t random = next_random();
        unsigned step = (unsigned)random % 32 | 1, shift = (unsigned)(random >> 8) % 32;
        for (unsigned k = 0; k < 32 && !has_failed; k++) {
            unsigned i = first + (k * step + shift) % 32;
            if (i < end && fibers[i].state == FIBER_READY) {
                to_fiber(i);
                ran = true;
            }
        }
        again = !has_failed && release_warp(first, end);
    }
    return ran;
}

static unsigned count_state(fiber_state state)
{
    unsigned count = 0;
    for (unsigned i = 0; i < thread_count; i++)
        count += fibers[i].state == state;
    return count;
}

static void report_missed()
{
    unsigned barrier = count_state(FIBER_AT_BARRIER), warp = count_state(FIBER_AT_WARP);
    snprintf(why, why_bytes,
             "%s: of %u threads of block %u, %u wait at a barrier, %u at a warp function, %u are done",
             running->name, thread_count, blockIdx.x, barrier, warp, count_state(FIBER_DONE));
    has_failed = true;
}

static void run_together()
{
    for (unsigned i = 0; i < thread_count; i++)
        begin_fiber(i);
    while (!has_failed && count_state(FIBER_DONE) < thread_count) {
        bool ran = false;
        unsigned warps = (thread_count + 31) / 32, shift = (unsigned)(next_random() % warps);
        for (unsigned w = 0; w < warps && !has_failed; w++) {
            unsigned first = (w + shift) % warps * 32;
            ran |= run_warp(first, first + 32 < thread_count ? first + 32 : thread_count);
        }
        if (has_failed)
            return;
        if (count_state(FIBER_AT_BARRIER) == thread_count)
            for (unsigned i = 0; i < thread_count; i++)
                fibers[i].state = FIBER_READY;
        else if (!ran)
            report_missed();
    }
}

static void run_alone()
{
    if (setjmp(failure))
        return;
    for (unsigned i = 0; i < thread_count && !has_failed; i++) {
        current = threadIdx.x = i;
        running->call(running_job);
    }
}

bool emulated_run(const emulated_kernel *kernel, unsigned blocks, unsigned threads,
                  const void *job, char *message, size_t message_bytes)
{
    if (!stacks)
        stacks = (char *)mmap(nullptr, THREADS_MAX * STACK_BYTES, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    why = message;
    why_bytes = message_bytes;
    has_left_frames |= has_failed;
    has_failed = false;
    running = kernel;
    running_job = job;
    thread_count = threads;
    gridDim = {blocks, 1, 1};
    blockDim = {threads, 1, 1};
    uint64_t shift = next_random() % blocks;
    bool is_backward = next_random() & 1;
    for (unsigned b = 0; b < blocks && !has_failed; b++) {
        unsigned index = (unsigned)((b + shift) % blocks);
        blockIdx = {is_backward ? blocks - 1 - index : index, 0, 0};
        if (!kernel->is_together) {
            run_alone();
            continue;
        }
        memset(__start_emulated_shared, 0xa5,
               (size_t)(__stop_emulated_shared - __start_emulated_shared));
        run_together();
    }
    return !has_failed;
}
