/* SPDX-License-Identifier: MIT */
/* Memory of the device, and transfers between it and the host; part of machine_cuda.cu. */

/* A device that fails is no failure of numbers: what was saved before is good. */
static enum ph_status check(cudaError_t result, const char *what, struct ph_error *err)
{
    if (result == cudaSuccess)
        return PH_OK;
    cudaGetLastError(); /* told here, and not to be seen as the failure of a later kernel */
    return ph_error_set(err, result == cudaErrorMemoryAllocation ? PH_ERR_MEMORY : PH_ERR_IO,
                        "The graphics processor failed at %s: %s.", what, cudaGetErrorString(result));
}

static const char copying[] = "a copy of the state";

static const char *why_no_device(void)
{
    int count = 0;
    const cudaError_t result = cudaGetDeviceCount(&count);
    cudaGetLastError(); /* a failure is not to be seen again */
    return result != cudaSuccess ? cudaGetErrorString(result) : count == 0 ? "no device" : NULL;
}

/* CUDA keeps a present device for each thread of the host. All threads use that of the process. */
static int device_of_process;
static thread_local int device_of_thread = -1;

static cudaError_t use_device(void)
{
    if (device_of_thread == device_of_process)
        return cudaSuccess;
    const cudaError_t result = cudaSetDevice(device_of_process);
    if (result == cudaSuccess)
        device_of_thread = device_of_process;
    return result;
}

static int device_count(void)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess)
        cudaGetLastError();
    return count;
}

static void look(struct ph_machine_facts *facts)
{
    *facts = {};
    facts->built = true;
    const char *why = why_no_device();
    struct cudaDeviceProp found;
    struct ph_error err;
    size_t free_memory = 0, memory = 0;
    facts->devices = why ? 0 : device_count();
    if (!why && ph_device_find("cuda", facts->devices, &device_of_process, &err) != PH_OK) {
        snprintf(facts->device, sizeof facts->device, "%.255s", err.text);
        return;
    }
    if (!why && (use_device() != cudaSuccess || cudaGetDeviceProperties(&found, device_of_process) != cudaSuccess ||
                 cudaMemGetInfo(&free_memory, &memory) != cudaSuccess))
        why = cudaGetErrorString(cudaGetLastError());
    if (why) {
        snprintf(facts->device, sizeof facts->device, "no graphics processor was found: %s", why);
        return;
    }
    facts->found = true;
    facts->memory = (double)memory;
    facts->free_memory = (double)free_memory;
    snprintf(facts->device, sizeof facts->device, "%.200s, compute capability %d.%d", found.name, found.major,
             found.minor);
}

static enum ph_status open_machine(struct ph_error *err)
{
    const char *why = why_no_device();
    if (why)
        return ph_error_set(err, PH_ERR_INPUT,
                            "dynamics.backend is cuda, but no graphics processor was found: %s. Accepted here: cpu, "
                            "emulated. Nothing else was taken instead.",
                            why);
    const enum ph_status status = ph_device_find("cuda", device_count(), &device_of_process, err);
    if (status != PH_OK)
        return status;
    const enum ph_status used = check(use_device(), "its start", err);
    cudaSetDeviceFlags(cudaDeviceScheduleSpin); /* waits are short */
    cudaGetLastError();                         /* they cannot be set twice, which is no failure */
    return used;
}

static void *take(cudaError_t result, void *memory, enum ph_status *status, struct ph_error *err)
{
    *status = check(result, "taking memory", err);
    return *status == PH_OK ? memory : NULL;
}

static void *allocate(size_t bytes, enum ph_status *status, struct ph_error *err)
{
    void *memory = NULL;
    if (*status != PH_OK)
        return NULL;
    use_device();
    cudaError_t result = cudaMalloc(&memory, bytes > 0 ? bytes : 1);
    if (result == cudaSuccess && (result = cudaMemset(memory, 0, bytes)) != cudaSuccess)
        cudaFree(memory);
    return take(result, memory, status, err);
}

static void release(void *memory) { cudaFree(memory); }

static struct ph_signals *allocate_signals(enum ph_status *status, struct ph_error *err)
{
    void *memory = NULL;
    if (*status != PH_OK)
        return NULL;
    use_device();
    const cudaError_t result = cudaHostAlloc(&memory, sizeof(struct ph_signals), cudaHostAllocMapped);
    memory = take(result, memory, status, err);
    if (memory)
        memset(memory, 0, sizeof(struct ph_signals));
    return (struct ph_signals *)memory;
}

static void release_signals(struct ph_signals *signals) { cudaFreeHost(signals); }

static thread_local struct ph_transfer_counts transfers;

static struct ph_transfer_counts transfers_so_far(void) { return transfers; }

/* Kernels that it has to wait for are none of its time. */
static enum ph_status copy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                           struct ph_traffic *traffic, struct ph_error *err)
{
    use_device();
    const enum ph_status status = check(cudaStreamSynchronize(0), "a kernel", err);
    if (status != PH_OK)
        return status;
    const double began = ph_clock_wall();
    const cudaError_t result = cudaMemcpy(to, from, bytes, kind);
    ph_traffic_add(1, bytes, ph_clock_wall() - began, traffic);
    return check(result, copying, err);
}

static enum ph_status copy_to(void *there, const void *here, size_t bytes, struct ph_error *err)
{
    return copy(there, here, bytes, cudaMemcpyHostToDevice, &transfers.to, err);
}

static enum ph_status clear(void *there, size_t bytes, struct ph_error *err)
{
    use_device();
    return check(cudaMemsetAsync(there, 0, bytes), copying, err);
}

static enum ph_status copy_from(void *here, const void *there, size_t bytes, struct ph_error *err)
{
    return copy(here, there, bytes, cudaMemcpyDeviceToHost, &transfers.from, err);
}

/* ---- Arrays that are sent: on a stream that does not wait for tasks, nor tasks for it ---- */

struct way {
    cudaStream_t stream;
    cudaEvent_t kept, begun, done; /* copies within the device have been made; transfers begin; all have arrived */
    size_t calls, bytes;           /* on the way */
};

static void *allocate_here(size_t bytes)
{
    void *memory = NULL;
    use_device();
    if (cudaHostAlloc(&memory, bytes, cudaHostAllocDefault) != cudaSuccess) {
        cudaGetLastError();
        return NULL;
    }
    return memory;
}

static void release_here(void *memory) { cudaFreeHost(memory); }

static void release_way(void *at)
{
    struct way *way = (struct way *)at;
    if (!way)
        return;
    if (way->stream) {
        cudaStreamSynchronize(way->stream);
        cudaStreamDestroy(way->stream);
    }
    const cudaEvent_t events[] = {way->kept, way->begun, way->done};
    for (size_t k = 0; k < sizeof events / sizeof *events; ++k)
        if (events[k])
            cudaEventDestroy(events[k]);
    free(way);
}

static enum ph_status make_way(void **at, struct ph_error *err)
{
    struct way *way = (struct way *)calloc(1, sizeof *way);
    if (!way)
        return ph_no_memory(err, "a copy of the state");
    *at = way;
    cudaError_t result = cudaStreamCreateWithFlags(&way->stream, cudaStreamNonBlocking);
    if (result == cudaSuccess)
        result = cudaEventCreateWithFlags(&way->kept, cudaEventDisableTiming);
    if (result == cudaSuccess)
        result = cudaEventCreate(&way->begun);
    if (result == cudaSuccess)
        result = cudaEventCreate(&way->done);
    return check(result, copying, err);
}

static enum ph_status send_arrays(void **at, size_t n, const struct ph_sent_array arrays[], struct ph_error *err)
{
    use_device();
    const enum ph_status status = *at ? PH_OK : make_way(at, err);
    if (status != PH_OK)
        return status;
    struct way *way = (struct way *)*at;
    cudaError_t result = cudaSuccess;
    for (size_t k = 0; k < n && result == cudaSuccess; ++k)
        result = cudaMemcpyAsync(arrays[k].kept, arrays[k].there, arrays[k].bytes, cudaMemcpyDeviceToDevice);
    if (result == cudaSuccess)
        result = cudaEventRecord(way->kept);
    if (result == cudaSuccess)
        result = cudaStreamWaitEvent(way->stream, way->kept, 0);
    if (result == cudaSuccess && way->calls == 0)
        result = cudaEventRecord(way->begun, way->stream);
    for (size_t k = 0; k < n && result == cudaSuccess; ++k)
        result = cudaMemcpyAsync(arrays[k].here, arrays[k].kept, arrays[k].bytes, cudaMemcpyDeviceToHost, way->stream);
    if (result == cudaSuccess)
        result = cudaEventRecord(way->done, way->stream);
    for (size_t k = 0; k < n; ++k)
        way->bytes += arrays[k].bytes;
    way->calls += n;
    return check(result, copying, err);
}

static enum ph_status have_arrived(void *at, bool wait, bool *all, struct ph_error *err)
{
    struct way *way = (struct way *)at;
    const double began = ph_clock_wall();
    const cudaError_t result = !way ? cudaSuccess : wait ? cudaEventSynchronize(way->done) : cudaEventQuery(way->done);
    *all = result == cudaSuccess;
    transfers.waited += wait ? ph_clock_wall() - began : 0.0;
    if (result == cudaErrorNotReady) {
        cudaGetLastError(); /* no failure, and not to be seen as that of a kernel */
        return PH_OK;
    }
    float milliseconds = 0.0f;
    if (*all && way && way->calls > 0 && cudaEventElapsedTime(&milliseconds, way->begun, way->done) == cudaSuccess) {
        ph_traffic_add(way->calls, way->bytes, 1e-3 * (double)milliseconds, &transfers.beside);
        way->calls = way->bytes = 0;
    }
    if (result == cudaSuccess)
        cudaGetLastError(); /* times that are not known are no failure */
    return check(result, copying, err);
}
