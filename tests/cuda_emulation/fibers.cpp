/* fibers.cpp - a block of threads on one thread of the host. Fibers meet at barriers and warp
 * functions; who does not come to a meeting that others wait for has missed it.
 *
 * Who waits chooses who goes on, and switches to it: a lane of its warp that may, any; when none may, those of the
 * warp that wait for nobody else, may; else another warp's, any. The block's first and last switch are the host's. All
 * lanes that may go on do before one does twice, so what a meeting gave is read before the next one's is there. */
#include "fibers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <sys/mman.h>

#ifdef PISTACHIO_EMULATED_ADDRESS /* kernels are built with AddressSanitizer, this file is not */
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#if !defined __x86_64__
#error "switching fibers is written for x86-64"
#endif

#define THREADS_MAX 1024
#define LANES 32
/* A stack more than a power of two apart: else the frames of all fibers share a few lines of the processor's cache. */
#define STACK_BYTES (((size_t)128 << 10) + 17 * 64)
#define PAUSE_ODDS 16 /* a thread pauses at one atomic in so many, before it and after it */
#define NOBODY UINT32_MAX

emulated_index threadIdx, blockIdx, blockDim, gridDim;
const emulated_kernel *emulated_kernels;

emulated_kernel::emulated_kernel(const char *its_name, void (*its_call)(const void *), bool together,
                                 uint64_t (*its_rows)(const void *),
                                 uint64_t (*its_rows_now)(const void *),
                                 const char *(*its_strange)(const void *, emulated_question *),
                                 unsigned (*its_outputs)(const void *, void **), size_t bytes)
    : name(its_name), call(its_call), is_together(together), rows(its_rows),
      rows_now(its_rows_now), strange(its_strange), outputs(its_outputs), argument_bytes(bytes), next(emulated_kernels)
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

/* Lanes are bits. */
struct warp {
    unsigned ready, at_warp, at_barrier;
    unsigned turn; /* those of `ready` that go on before any does twice, and have not yet */
    bool is_one_meeting; /* all of at_warp came to the same */
    emulated_meeting kinds[LANES];
    unsigned masks[LANES], from[LANES];
    uint64_t brought[LANES], given[LANES];
};

static void *stack_pointers[THREADS_MAX];
static warp warps[THREADS_MAX / LANES];
static unsigned warp_count, warps_turn; /* as a warp's turn, of warps */
static char *stacks;
static void *home;
static unsigned current, thread_count;
static const emulated_kernel *running;
static const void *running_job;
static jmp_buf failure;
static char *why;
static size_t why_bytes;
static bool has_failed;
static uint64_t random_state = 88172645463325252u;

static uint64_t next_random()
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* Any of the bits, of which there is one. */
static unsigned any_bit(unsigned bits)
{
    unsigned shift = (unsigned)(next_random() >> 32) & 31;
    unsigned turned = bits >> shift | bits << ((32 - shift) & 31);
    return ((unsigned)__builtin_ctz(turned) + shift) & 31;
}

static void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void fail(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(why, why_bytes, format, list);
    va_end(list);
    has_failed = true;
}

/* ---- what a meeting of a warp gives ---- */

/* True: all of the mask have come as the same. */
static bool is_agreed(const warp *w, unsigned mask, emulated_meeting kind)
{
    for (unsigned left = mask; left; left &= left - 1)
        if (w->kinds[__builtin_ctz(left)] != kind)
            return false;
    return true;
}

static void give_all(warp *w, unsigned mask, uint64_t word)
{
    for (unsigned left = mask; left; left &= left - 1)
        w->given[__builtin_ctz(left)] = word;
}

static uint64_t bits_brought(const warp *w, unsigned mask, uint64_t wanted)
{
    uint64_t bits = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        bits |= (uint64_t)(w->brought[lane] == wanted) << lane;
    return bits & mask;
}

static void meet(warp *w, unsigned mask, emulated_meeting kind)
{
    uint64_t bits = 0;
    if (kind == EMULATED_SHUFFLE) {
        for (unsigned left = mask; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctz(left);
            w->given[lane] = w->brought[w->from[lane]];
        }
    } else if (kind == EMULATED_BALLOT) {
        give_all(w, mask, bits_brought(w, mask, 1));
    } else if (kind == EMULATED_OR) {
        for (unsigned left = mask; left; left &= left - 1)
            bits |= w->brought[__builtin_ctz(left)];
        give_all(w, mask, bits);
    } else if (kind == EMULATED_MATCH) {
        for (unsigned left = mask; left; left &= ~(unsigned)bits) {
            bits = bits_brought(w, mask, w->brought[__builtin_ctz(left)]);
            give_all(w, (unsigned)bits, bits);
        }
    }
    w->at_warp &= ~mask;
    w->ready |= mask;
}

/* Lets the lanes of a warp go on that wait for nobody else. */
static void release_warp(warp *w)
{
    unsigned lane = (unsigned)__builtin_ctz(w->at_warp);
    if (w->is_one_meeting) {
        if (w->at_warp == w->masks[lane])
            meet(w, w->at_warp, w->kinds[lane]);
        return;
    }
    for (unsigned left = w->at_warp; left; left &= left - 1) {
        lane = (unsigned)__builtin_ctz(left);
        unsigned mask = w->masks[lane];
        bool is_same = (mask & w->at_warp) == mask && w->at_warp >> lane & 1;
        for (unsigned others = mask; is_same && others; others &= others - 1)
            is_same = w->masks[__builtin_ctz(others)] == mask;
        if (is_same && !is_agreed(w, mask, w->kinds[lane]))
            fail("%s: the lanes of a warp of block %u meet in different functions", running->name,
                 blockIdx.x);
        else if (is_same)
            meet(w, mask, w->kinds[lane]);
    }
}

/* ---- who goes on ---- */

static unsigned count_of(unsigned warp::*lanes)
{
    unsigned count = 0;
    for (unsigned i = 0; i < warp_count; i++)
        count += (unsigned)__builtin_popcount(warps[i].*lanes);
    return count;
}

static unsigned ready_warps()
{
    unsigned bits = 0;
    for (unsigned i = 0; i < warp_count; i++)
        bits |= (unsigned)(warps[i].ready != 0) << i;
    return bits;
}

/* All warps have had their turn. False: nobody can go on. */
static bool next_round()
{
    warps_turn = ready_warps();
    if (warps_turn)
        return true;
    unsigned barrier = count_of(&warp::at_barrier), waiting = count_of(&warp::at_warp);
    if (barrier == thread_count) {
        for (unsigned i = 0; i < warp_count; i++) {
            warps[i].ready = warps[i].at_barrier;
            warps[i].at_barrier = 0;
        }
        warps_turn = ready_warps();
        return true;
    }
    if (barrier || waiting)
        fail("%s: of %u threads of block %u, %u wait at a barrier, %u at a warp function, %u are "
             "done",
             running->name, thread_count, blockIdx.x, barrier, waiting,
             thread_count - barrier - waiting);
    return false;
}

/* The fiber that goes on, or NOBODY. */
static unsigned choose()
{
    unsigned i = current / LANES;
    while (!has_failed) {
        warp *w = &warps[i];
        if (!w->turn) {
            unsigned before = w->at_warp;
            if (before)
                release_warp(w);
            if (w->at_warp == before) { /* those who paused go on after other warps */
                if (!warps_turn && !next_round())
                    return NOBODY;
                i = any_bit(warps_turn);
                warps_turn &= ~(1u << i);
                w = &warps[i];
            }
            w->turn = w->ready;
        }
        if (w->turn) {
            unsigned lane = any_bit(w->turn);
            w->turn &= ~(1u << lane);
            w->ready &= ~(1u << lane);
            return i * LANES + lane;
        }
    }
    return NOBODY;
}

/* The current fiber waits, or is done. */
static void hand_on()
{
    unsigned from = current, to = choose();
    if (to == from)
        return;
    if (to != NOBODY)
        threadIdx.x = current = to;
    emulated_switch(&stack_pointers[from], to == NOBODY ? home : stack_pointers[to]);
}

static void fiber_main()
{
    for (;;) {
        running->call(running_job);
        hand_on(); /* comes back for the next block */
    }
}

/* Of a thread that runs: the launch ends. */
[[noreturn]] static void give_up()
{
    if (!running->is_together)
        longjmp(failure, 1);
    hand_on();
    abort();
}

uint64_t emulated_meet(emulated_meeting kind, unsigned mask, uint64_t word, unsigned from)
{
    if (!running->is_together) {
        fail("%s is KERNEL_ALONE, and its threads meet", running->name);
        give_up();
    }
    warp *w = &warps[current / LANES];
    unsigned lane = current % LANES;
    if (kind == EMULATED_BARRIER) {
        w->at_barrier |= 1u << lane;
        hand_on();
        return 0;
    }
    if (!(mask >> lane & 1) || (kind == EMULATED_SHUFFLE && !(mask >> from & 1))) {
        fail("%s: lane %u reads lane %u with mask %08x", running->name, lane, from, mask);
        give_up();
    }
    unsigned other = w->at_warp ? (unsigned)__builtin_ctz(w->at_warp) : lane;
    w->at_warp |= 1u << lane;
    w->kinds[lane] = kind;
    w->masks[lane] = mask;
    w->from[lane] = from;
    w->brought[lane] = word;
    w->is_one_meeting = other == lane || (w->is_one_meeting && w->kinds[other] == kind &&
                                          w->masks[other] == mask);
    hand_on();
    return w->given[lane];
}

void emulated_pause()
{
    if (!running->is_together || next_random() % PAUSE_ODDS != 0)
        return;
    warps[current / LANES].ready |= 1u << current % LANES;
    hand_on();
}

/* ---- a launch ---- */

/* Fibers begin anew: those of a launch that failed are anywhere. */
static void begin_fibers()
{
#ifdef PISTACHIO_EMULATED_ADDRESS
    __asan_unpoison_memory_region(stacks, THREADS_MAX * STACK_BYTES);
#endif
    for (unsigned i = 0; i < THREADS_MAX; i++) {
        void **top = (void **)(stacks + (i + 1) * STACK_BYTES);
        top -= 2;
        *top = (void *)fiber_main;
        top -= 6;
        memset(top, 0, 6 * sizeof *top);
        stack_pointers[i] = top;
    }
}

static void run_together()
{
    warp_count = (thread_count + LANES - 1) / LANES;
    for (unsigned i = 0; i < warp_count; i++) {
        unsigned left = thread_count - i * LANES;
        warps[i].ready = left < LANES ? (1u << left) - 1 : ~0u;
        warps[i].turn = warps[i].at_warp = warps[i].at_barrier = 0;
    }
    warps_turn = current = 0;
    threadIdx.x = current = choose();
    emulated_switch(&home, stack_pointers[current]);
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

static void run_blocks(unsigned blocks)
{
    uint64_t shift = next_random() % blocks;
    bool is_backward = next_random() & 1;
    for (unsigned b = 0; b < blocks && !has_failed; b++) {
        unsigned index = (unsigned)((b + shift) % blocks);
        blockIdx = {is_backward ? blocks - 1 - index : index, 0, 0};
        if (!running->is_together) {
            run_alone();
            continue;
        }
        memset(__start_emulated_shared, 0xa5,
               (size_t)(__stop_emulated_shared - __start_emulated_shared));
        run_together();
    }
}

bool emulated_run(const emulated_kernel *kernel, unsigned blocks, unsigned threads,
                  const void *job, char *message, size_t message_bytes)
{
    if (!stacks)
        stacks = (char *)mmap(nullptr, THREADS_MAX * STACK_BYTES, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (has_failed || !stack_pointers[0])
        begin_fibers();
    why = message;
    why_bytes = message_bytes;
    has_failed = false;
    running = kernel;
    running_job = job;
    thread_count = threads;
    gridDim = {blocks, 1, 1};
    blockDim = {threads, 1, 1};
#ifdef PISTACHIO_EMULATED_ADDRESS
    /* For what is reported: all of the stacks are the thread's. */
    const void *own_stack;
    size_t own_bytes;
    void *fake;
    __sanitizer_start_switch_fiber(&fake, stacks, THREADS_MAX * STACK_BYTES);
    __sanitizer_finish_switch_fiber(nullptr, &own_stack, &own_bytes);
#endif
    run_blocks(blocks);
#ifdef PISTACHIO_EMULATED_ADDRESS
    __sanitizer_start_switch_fiber(nullptr, own_stack, own_bytes);
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
    return !has_failed;
}
