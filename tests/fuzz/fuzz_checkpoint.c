/* SPDX-License-Identifier: MIT */
/* libFuzzer: any bytes as a checkpoint. Nothing may crash, leak, or be taken for a checkpoint without its seal.
 *
 *   cmake --preset asan-ubsan && cmake --build --preset asan-ubsan --target fuzz_checkpoint
 *   build/asan-ubsan/tests/fuzz_checkpoint -max_len=65536 -max_total_time=60 [FOLDER OF EXAMPLES]
 *
 * With POLHODE_FUZZ_SEALED in the environment a right seal is put behind the bytes, so that HDF5 sees them: this tries
 * HDF5 more than us, whose old versions do crash on forged files. */
#define _GNU_SOURCE /* memfd_create */
#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A file in memory, under the name by which a process finds its own descriptors: files on disks cost most of the time.
 */
static char file[64];
static int descriptor = -1;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    descriptor = memfd_create("polhode-fuzz", 0);
    if (descriptor < 0)
        abort();
    snprintf(file, sizeof file, "/proc/self/fd/%d", descriptor);
    return 0;
}

static void put(const void *data, size_t size)
{
    if (write(descriptor, data, size) != (ssize_t)size)
        abort();
}

static void put_seal(const uint8_t *data, size_t size)
{
    const uint64_t length = size, hash = size > 0 ? ph_hash_bytes(ph_hash_begin(), size, data) : ph_hash_begin();
    put("polhode1", 8);
    put(&length, sizeof length);
    put(&hash, sizeof hash);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ph_checkpoint checkpoint;
    struct ph_error err;
    if (ftruncate(descriptor, 0) != 0 || lseek(descriptor, 0, SEEK_SET) != 0)
        abort();
    put(data, size);
    if (getenv("POLHODE_FUZZ_SEALED") != NULL && size < 1 << 20)
        put_seal(data, size);
    if (ph_checkpoint_read(file, &checkpoint, NULL, &err) == PH_OK) {
        double number;
        ph_checkpoint_doubles(&checkpoint, "numbers", 1, &number, &err);
    } else if (err.status != PH_ERR_IO || strlen(err.text) == 0) {
        abort();
    }
    ph_checkpoint_free(&checkpoint);
    return 0;
}
