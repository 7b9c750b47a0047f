/* SPDX-License-Identifier: MIT */
#include "force/external/plumed_kernel.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The table that the library exports as `plumed_symbol_table`. This is the layout that PLUMED documents for its
 * wrapper: later versions only append to it. */
struct failure_handler {
    void *data;
    void (*handle)(void *data, int code, const char *what, const void *more);
};
struct ph_plumed_table {
    int version;
    void *(*create)(void);
    void (*command)(void *plumed, const char *word, const void *value);
    void (*finalize)(void *plumed);
    void (*command_nothrow)(void *plumed, const char *word, const void *value,
                            struct failure_handler handler); /* since version 2 */
};

static enum ph_status load(struct ph_plumed_kernel *kernel, struct ph_error *err)
{
    const char *file = getenv("PLUMED_KERNEL");
    if (!file || !*file)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.plumed needs the library PLUMED, but the environment variable PLUMED_KERNEL "
                            "is not set. Set it to the file libplumedKernel.so of an installed PLUMED.");
    if (!(kernel->library = dlopen(file, RTLD_NOW | RTLD_GLOBAL))) {
        const char *reason = dlerror();
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.plumed: the library in PLUMED_KERNEL, '%.200s', cannot be loaded: %.400s.",
                            file, reason ? reason : "unknown reason");
    }
    kernel->table = dlsym(kernel->library, "plumed_symbol_table");
    if (!kernel->table || kernel->table->version < 2 || !kernel->table->create || !kernel->table->finalize ||
        !kernel->table->command_nothrow)
        return ph_error_set(err, PH_ERR_INPUT,
                            "interactions.plumed: the library in PLUMED_KERNEL, '%.200s', is not the kernel of PLUMED "
                            "2.5 or later: %s.",
                            file, kernel->table ? "its table of functions is too old" : "no plumed_symbol_table");
    return PH_OK;
}

enum ph_status ph_plumed_kernel_open(struct ph_plumed_kernel *kernel, struct ph_error *err)
{
    enum ph_status status = load(kernel, err);
    if (status == PH_OK && !(kernel->plumed = kernel->table->create()))
        status = ph_error_set(err, PH_ERR_INPUT, "interactions.plumed: PLUMED could not begin.");
    if (status != PH_OK)
        ph_plumed_kernel_close(kernel);
    return status;
}

void ph_plumed_kernel_close(struct ph_plumed_kernel *kernel)
{
    if (kernel->plumed)
        kernel->table->finalize(kernel->plumed);
    if (kernel->library)
        dlclose(kernel->library);
    *kernel = (struct ph_plumed_kernel){.library = NULL};
}

struct failure {
    bool failed;
    char text[600];
};

static void note_failure(void *data, int code, const char *what, const void *more)
{
    struct failure *failure = data;
    (void)code, (void)more;
    failure->failed = true;
    const size_t room = sizeof failure->text - 1, length = what ? strlen(what) : 0, n = length < room ? length : room;
    for (size_t k = 0; k < n; ++k)
        failure->text[k] = what[k] == '\n' ? ' ' : what[k];
    failure->text[n] = '\0';
}

enum ph_status ph_plumed_kernel_command(const struct ph_plumed_kernel *kernel, const char *word, const void *value,
                                        struct ph_error *err)
{
    struct failure failure = {.failed = false};
    kernel->table->command_nothrow(kernel->plumed, word, value,
                                   (struct failure_handler){.data = &failure, .handle = note_failure});
    return failure.failed
               ? ph_error_set(err, PH_ERR_INPUT, "interactions.plumed: PLUMED reports (%s): %s", word, failure.text)
               : PH_OK;
}
