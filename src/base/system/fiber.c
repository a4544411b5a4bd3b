/* fiber.c - fibers: a stack each, and a switch of the registers that a call must keep.
 *
 * x86-64 and aarch64 have a switch of their own; on others it is swapcontext(), which also calls
 * the kernel for the signal mask. */
#include "base/system/fiber.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __SANITIZE_ADDRESS__
#define HAS_ASAN 1
#elif defined __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#if defined __SANITIZE_THREAD__
#define HAS_TSAN 1
#elif defined __has_feature
#if __has_feature(thread_sanitizer)
#define HAS_TSAN 1
#endif
#endif

#ifdef HAS_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef HAS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* Sanitizers make frames several times larger. */
#define STACK_BYTES ((size_t)1 << 20)
/* Stacks that a thread keeps: as many tasks as a lazy device has streams go on at once. */
#define KEPT_MAX 4

#if defined __x86_64__ || defined __aarch64__
typedef void *machine_context; /* the stack pointer, its registers above it */

/* Leaves the present context in *from and goes on with `to`. */
void fiber_switch(machine_context *from, machine_context to);

#ifdef __x86_64__
/* Six registers, where to go on; then rsp is 8 more than a multiple of 16, as behind a call. */
#define START_WORDS 10
#define RETURN_WORD 6
__asm__(".text\n"
        ".globl fiber_switch\n"
        ".hidden fiber_switch\n"
        ".type fiber_switch, @function\n"
        "fiber_switch:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    retq\n"
        ".size fiber_switch, .-fiber_switch\n");
#else
#define START_WORDS 20 /* x19 to x30, d8 to d15 */
#define RETURN_WORD 11
__asm__(".text\n"
        ".globl fiber_switch\n"
        ".hidden fiber_switch\n"
        ".type fiber_switch, %function\n"
        "fiber_switch:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n   stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n     stp d10, d11, [sp, #112]\n   stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n   ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n     ldp d10, d11, [sp, #112]\n   ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size fiber_switch, .-fiber_switch\n");
#endif

/* `start` begins as if it had been called: with the stack aligned as the ABI wants it there. */
static bool context_init(machine_context *context, char *stack, size_t bytes, void (*start)(void))
{
    /* After the saved words comes a return address of zero on x86-64, which ends backtraces. */
    uintptr_t *saved = (uintptr_t *)(void *)(stack + bytes) - START_WORDS;
    memset(saved, 0, START_WORDS * sizeof *saved);
    saved[RETURN_WORD] = (uintptr_t)start;
    *context = saved;
    return true;
}

static void context_switch(machine_context *from, machine_context *to)
{
    fiber_switch(from, *to);
}
#else
#include <ucontext.h>
typedef ucontext_t machine_context;

static bool context_init(machine_context *context, char *stack, size_t bytes,
                         void (*fiber_start)(void))
{
    if (getcontext(context))
        return false;
    context->uc_stack.ss_sp = stack;
    context->uc_stack.ss_size = bytes;
    makecontext(context, fiber_start, 0);
    return true;
}

static void context_switch(machine_context *from, machine_context *to)
{
    swapcontext(from, to);
}
#endif

struct fiber {
    void (*body)(void *argument);
    void *argument;
    char *memory; /* the page that faults, then the stack */
    size_t bytes;
    bool has_started, has_ended;
    char *stack;
    fiber *next; /* in a store */
    machine_context here, caller;
#ifdef HAS_ASAN
    void *fake_stack, *caller_fake_stack;
    const void *caller_stack;
    size_t caller_stack_bytes;
#endif
#ifdef HAS_TSAN
    void *tsan, *caller_tsan;
#endif
};

/* Before control leaves for the fiber. */
static void leave_caller(fiber *f)
{
#ifdef HAS_ASAN
    __sanitizer_start_switch_fiber(&f->caller_fake_stack, f->stack, STACK_BYTES);
#endif
#ifdef HAS_TSAN
    f->caller_tsan = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(f->tsan, 0);
#endif
    (void)f;
}

static void enter_caller(fiber *f)
{
#ifdef HAS_ASAN
    __sanitizer_finish_switch_fiber(f->caller_fake_stack, NULL, NULL);
#endif
    (void)f;
}

/* Before control leaves the fiber: for good, if it has ended. */
static void leave_fiber(fiber *f)
{
#ifdef HAS_ASAN
    __sanitizer_start_switch_fiber(f->has_ended ? NULL : &f->fake_stack, f->caller_stack,
                                   f->caller_stack_bytes);
#endif
#ifdef HAS_TSAN
    __tsan_switch_to_fiber(f->caller_tsan, 0);
#endif
    (void)f;
}

static void enter_fiber(fiber *f)
{
#ifdef HAS_ASAN
    __sanitizer_finish_switch_fiber(f->fake_stack, &f->caller_stack, &f->caller_stack_bytes);
#endif
    (void)f;
}

/* The fiber that the calling thread enters for the first time. */
static _Thread_local fiber *starting;

/* Body after body: where one has returned the next begins (fiber_take). */
static void fiber_start(void)
{
    fiber *f = starting;
    for (;;) {
        enter_fiber(f);
        f->body(f->argument);
        f->has_ended = true;
        leave_fiber(f);
        context_switch(&f->here, &f->caller);
    }
}

status fiber_new(void (*body)(void *argument), void *argument, fiber **out)
{
    *out = NULL;
    fiber *f = mem_new(sizeof *f);
    if (!f)
        return status_no_memory("fiber", sizeof *f);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    f->body = body;
    f->argument = argument;
    f->bytes = page + STACK_BYTES;
    f->memory = mmap(NULL, f->bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (f->memory == MAP_FAILED || mprotect(f->memory, page, PROT_NONE)) {
        status st =
            status_new_errno(errno, "could not make a fiber's stack of %zu bytes", f->bytes);
        if (f->memory != MAP_FAILED)
            munmap(f->memory, f->bytes);
        mem_free(f);
        return st;
    }
    f->stack = f->memory + page;
    if (!context_init(&f->here, f->stack, STACK_BYTES, fiber_start)) {
        status st = status_new_errno(errno, "could not make a fiber");
        munmap(f->memory, f->bytes);
        mem_free(f);
        return st;
    }
#ifdef HAS_TSAN
    f->tsan = __tsan_create_fiber(0);
#endif
    *out = f;
    return STATUS_OK;
}

bool fiber_resume(fiber *f)
{
    assert(!f->has_ended);
    if (!f->has_started)
        starting = f;
    f->has_started = true;
    leave_caller(f);
    context_switch(&f->caller, &f->here);
    enter_caller(f);
    return f->has_ended;
}

void fiber_suspend(fiber *f)
{
    leave_fiber(f);
    context_switch(&f->here, &f->caller);
    enter_fiber(f);
}

void fiber_free(fiber *f)
{
    if (!f)
        return;
    assert(f->has_ended || !f->has_started);
#ifdef HAS_TSAN
    __tsan_destroy_fiber(f->tsan);
#endif
    munmap(f->memory, f->bytes);
    mem_free(f);
}

status fiber_take(fiber_store *store, void (*body)(void *argument), void *argument, fiber **out)
{
    fiber *f = store->first;
    if (!f)
        return fiber_new(body, argument, out);
    store->first = f->next;
    store->count--;
    f->body = body;
    f->argument = argument;
    f->has_ended = false;
#ifdef HAS_ASAN
    f->fake_stack = NULL; /* went with the body before */
#endif
    *out = f;
    return STATUS_OK;
}

void fiber_give(fiber_store *store, fiber *f)
{
    assert(f->has_ended);
    if (store->count == KEPT_MAX) {
        fiber_free(f);
        return;
    }
    f->next = store->first;
    store->first = f;
    store->count++;
}

void fiber_store_release(fiber_store *store)
{
    while (store->first) {
        fiber *f = store->first;
        store->first = f->next;
        fiber_free(f);
    }
    store->count = 0;
}
