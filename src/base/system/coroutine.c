/* SPDX-License-Identifier: MIT */
/* A coroutine begins with its context (ucontext.h), once. From then on _setjmp and _longjmp switch. A context has the
 * mask of signals, too, which costs a system call at every switch. Coroutines use the mask of their thread. The check
 * that some compilers have for longjmp takes another stack for a mistake. */

/* Some processors keep a second stack of return addresses alone (x86-64: shadow stacks; aarch64: guarded control
 * stacks). They take a return to an address that is not on it for an attack. A context has such a stack of its own. But
 * longjmp, at least of the C library of x86-64, unwinds the stack in use, and ends the process if the state was saved
 * on another one. So with such a stack contexts switch every time, at the price of system calls. A program has one only
 * if all its parts were compiled for it and its user asks for it. */
#undef _FORTIFY_SOURCE
#include "base/system/coroutine.h"

#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __SANITIZE_ADDRESS__
#define HAS_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN
#endif
#endif

/* The sanitizer of addresses has to know which stack is in use. */
#ifdef HAS_ASAN
#include <sanitizer/common_interface_defs.h>
#define LEAVE_STACK(kept, bottom, size) __sanitizer_start_switch_fiber(kept, bottom, size)
#define ENTER_STACK(kept, bottom, size) __sanitizer_finish_switch_fiber(kept, bottom, size)
#else
#define LEAVE_STACK(kept, bottom, size) ((void)0)
#define ENTER_STACK(kept, bottom, size) ((void)0)
#endif

/* As much as a thread has; memory is taken where it is used. */
enum { STACK = 8 << 20 };

struct ph_coroutine {
    void (*function)(void *data);
    void *data;
    char *stack; /* owned; its lowest page is not to be touched */
    bool begun, ended;
    bool by_context;          /* how it switches: */
    ucontext_t at, came_from; /* by contexts; else `at` is where it begins, and */
    jmp_buf here, resumer;
#ifdef HAS_ASAN
    void *kept, *kept_of_resumer;
    const void *bottom; /* stack of the resumer */
    size_t size;
#endif
};

static _Thread_local struct ph_coroutine *current; /* NULL: none */

bool ph_coroutines_by_context;

/* Is there a stack of return addresses? Processors without one ignore these instructions. */
static bool has_shadow_stack(void)
{
#if defined(__x86_64__) && defined(__LP64__)
    uint64_t pointer = 0;
    __asm__ volatile("rdsspq %0" : "+r"(pointer));
    return pointer != 0;
#elif defined(__aarch64__)
    register uint64_t features __asm__("x16") = 1;
    __asm__ volatile("hint #40" : "+r"(features)); /* chkfeat: clears the bits of enabled features */
    return features == 0;
#else
    return false;
#endif
}

/* With the mask of signals of now, not of then */
static void keep_mask(ucontext_t *to) { sigprocmask(SIG_BLOCK, NULL, &to->uc_sigmask); }

static void begin(void)
{
    struct ph_coroutine *coroutine = current;
    ENTER_STACK(NULL, &coroutine->bottom, &coroutine->size);
    coroutine->function(coroutine->data);
    coroutine->ended = true;
    LEAVE_STACK(NULL, coroutine->bottom, coroutine->size);
    if (!coroutine->by_context)
        _longjmp(coroutine->resumer, 1);
    keep_mask(&coroutine->came_from);
    setcontext(&coroutine->came_from);
    abort(); /* it does not come back */
}

enum ph_status ph_coroutine_create(void (*function)(void *data), void *data, struct ph_coroutine **out,
                                   struct ph_error *err)
{
    *out = NULL;
    struct ph_coroutine *coroutine = calloc(1, sizeof *coroutine);
    void *stack = coroutine ? mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0)
                            : MAP_FAILED;
    const bool guarded = stack != MAP_FAILED && mprotect(stack, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE) == 0;
    if (!guarded) {
        if (stack != MAP_FAILED)
            munmap(stack, STACK);
        free(coroutine);
        return ph_no_memory(err, "the stack of another run");
    }
    coroutine->function = function;
    coroutine->data = data;
    coroutine->stack = stack;
    coroutine->by_context = ph_coroutines_by_context || has_shadow_stack();
    getcontext(&coroutine->at);
    coroutine->at.uc_stack.ss_sp = stack;
    coroutine->at.uc_stack.ss_size = STACK;
    makecontext(&coroutine->at, begin, 0);
    *out = coroutine;
    return PH_OK;
}

void ph_coroutine_destroy(struct ph_coroutine *coroutine)
{
    if (!coroutine)
        return;
    munmap(coroutine->stack, STACK);
    free(coroutine);
}

/* Enters the coroutine at its beginning, or where it paused. */
static _Noreturn void enter(struct ph_coroutine *coroutine)
{
    const bool begun = coroutine->begun;
    coroutine->begun = true;
    if (begun)
        _longjmp(coroutine->here, 1);
    setcontext(&coroutine->at);
    abort(); /* it does not come back */
}

/* Code after a switch reads `current` again, because local variables may be lost. */
bool ph_coroutine_resume(struct ph_coroutine *coroutine)
{
    assert(!current && !coroutine->ended);
    current = coroutine;
    LEAVE_STACK(&coroutine->kept_of_resumer, coroutine->stack, STACK);
    if (coroutine->by_context) {
        keep_mask(&coroutine->at);
        swapcontext(&coroutine->came_from, &coroutine->at);
    } else if (_setjmp(coroutine->resumer) == 0) {
        enter(coroutine);
    }
    ENTER_STACK(current->kept_of_resumer, NULL, NULL);
    const bool ended = current->ended;
    current = NULL;
    return !ended;
}

void ph_coroutine_pause(void)
{
    assert(current);
    LEAVE_STACK(&current->kept, current->bottom, current->size);
    if (current->by_context) {
        keep_mask(&current->came_from);
        swapcontext(&current->at, &current->came_from);
    } else if (_setjmp(current->here) == 0) {
        _longjmp(current->resumer, 1);
    }
    ENTER_STACK(current->kept, &current->bottom, &current->size);
}
