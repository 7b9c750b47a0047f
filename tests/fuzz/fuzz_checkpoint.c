/* SPDX-License-Identifier: MIT */
/* libFuzzer: any bytes as a checkpoint. Nothing may crash, leak, or be taken for a checkpoint without its seal.
 *
 *   cmake --preset asan-ubsan && cmake --build --preset asan-ubsan --target fuzz_checkpoint
 *   build/asan-ubsan/tests/fuzz_checkpoint -max_len=65536 -max_total_time=60 [FOLDER OF EXAMPLES]
 *
 * With POLHODE_FUZZ_SEALED in the environment a right seal is put behind the bytes, so that HDF5 sees them: this tries
 * HDF5 more than us, whose old versions do crash on forged files. */
#include "output/checkpoint/checkpoint.h"
#include "output/checkpoint/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char file[64];

static void remove_file(void) { unlink(file); }

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    snprintf(file, sizeof file, "/tmp/polhode-fuzz-%ld", (long)getpid());
    atexit(remove_file);
    return 0;
}

static void write_seal(FILE *out, const uint8_t *data, size_t size)
{
    const uint64_t length = size, hash = size > 0 ? ph_hash_bytes(ph_hash_begin(), size, data) : ph_hash_begin();
    fwrite("polhode1", 1, 8, out);
    fwrite(&length, sizeof length, 1, out);
    fwrite(&hash, sizeof hash, 1, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ph_checkpoint checkpoint;
    struct ph_error err;
    const bool sealed = getenv("POLHODE_FUZZ_SEALED") != NULL && size < 1 << 20;
    FILE *out = fopen(file, "wb");
    if (!out)
        abort();
    fwrite(data, 1, size, out);
    if (sealed)
        write_seal(out, data, size);
    fclose(out);
    if (ph_checkpoint_read(file, &checkpoint, NULL, &err) == PH_OK) {
        double number;
        ph_checkpoint_doubles(&checkpoint, "numbers", 1, &number, &err);
    } else if (err.status != PH_ERR_IO || strlen(err.text) == 0) {
        abort();
    }
    ph_checkpoint_free(&checkpoint);
    return 0;
}
