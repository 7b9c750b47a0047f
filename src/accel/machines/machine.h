/* SPDX-License-Identifier: MIT */
#ifndef PH_ACCEL_MACHINES_MACHINE_H
#define PH_ACCEL_MACHINES_MACHINE_H

/* A machine runs the bodies: a graphics processor, or loops on the host that give the same bits. All differences
 * between the two are here; engine.c decides the order of tasks for both. */

#include "accel/functions/view.h"
#include "base/error.h"

/* One kernel each: the body of that name, for molecules, slots, cells or sums 0 .. count-1 */
enum ph_task {
    PH_TASK_DRIFT,
    PH_TASK_KICK,
    PH_TASK_PLACE,
    PH_TASK_WRAP,
    PH_TASK_COUNT,
    PH_TASK_SCAN, /* start[c]: the sum of filled[b] for b < c, for all cells and one more */
    PH_TASK_FILL,
    PH_TASK_SORT,
    PH_TASK_ARRANGE,
    PH_TASK_SLOTS, /* all from wrap (not if x is 0) to arrange, of few molecules; count: cells, up to PH_SCAN_SHARE */
    PH_TASK_PARTNERS,
    PH_TASK_FORCES,
    PH_TASK_FORCES_ENERGY,
    PH_TASK_EXTERNAL, /* after forces; y other than 0: with energies */
    PH_TASK_SUM,
    PH_TASK_NOISE,   /* all these for the whole view: the pending kick, noise, its heat added */
    PH_TASK_KINETIC, /* the pending kick, kinetic energies of groups in parts */
    PH_TASK_FACTORS, /* factors from these, and new numbers of the bath; count is not used */
    PH_TASK_SCALE,
    PH_TASK_OBSERVE,    /* sums of the state, in the signals */
    PH_TASK_KEEP,       /* copies, see accel/functions/aside_functions.h */
    PH_TASK_BRING_BACK, /* x: the sign of momenta */
    PH_TASK_MAP,
    PH_TASK_DISPLACE, /* x, y: d, d/mass */
    PH_TASK_PLACES_BACK,
    PH_TASK_FORCES_BACK,
    PH_TASK_NO_FORCES, /* these three with x other than 0: as forces */
    PH_TASK_KEEP_FAST,
    PH_TASK_TAKE_OFF_FAST,
    PH_TASK_RECALL_FAST
};

/* The same for reciprocal space: bodies of accel/functions/wave_functions.h and accel/functions/mesh_functions.h, by
 * their names; and Fourier transforms, count: rows, or planes that have lines across */
#define PH_WAVE_BODIES(B)                                                                                              \
    B(moment)                                                                                                          \
    B(moment_part)                                                                                                     \
    B(moment_sum)                                                                                                      \
    B(turn)                                                                                                            \
    B(structure)                                                                                                       \
    B(structure_sum)                                                                                                   \
    B(direct_field)                                                                                                    \
    B(locate)                                                                                                          \
    B(clear)                                                                                                           \
    B(gather)                                                                                                          \
    B(gather_tensors)                                                                                                  \
    B(push)                                                                                                            \
    B(net)                                                                                                             \
    B(wave_sum)
/* A device has a kernel of its own for these. */
#define PH_WAVE_SPREADS(B) B(spread) B(spread_tensors)
#define PH_WAVE_TASK(name) PH_WAVES_##name,
enum ph_wave_task {
    PH_WAVE_BODIES(PH_WAVE_TASK) PH_WAVE_SPREADS(PH_WAVE_TASK) PH_WAVES_ROWS,
    PH_WAVES_ROWS_BACK,
    PH_WAVES_COLUMNS,
    PH_WAVES_COLUMNS_BACK,
    PH_WAVES_LINES
};
#undef PH_WAVE_TASK

/* How tasks of reciprocal space are done: with energies; not if the list is outdated */
struct ph_wave_order {
    bool energy, unless_outdated;
};

/* An array that is sent to the host beside tasks: copied to `kept`, in the memory of the machine, in turn with tasks,
 * and from there to `here`, in memory of allocate_here, while further tasks run */
struct ph_sent_array {
    void *here, *kept;
    const void *there;
    size_t bytes;
};

/* Transfers: copies, their bytes, and their seconds, without the time spent waiting */
struct ph_traffic {
    size_t calls, bytes;
    double seconds;
};
struct ph_transfer_counts {
    struct ph_traffic to, from; /* while tasks wait: by copy_to, copy_from */
    struct ph_traffic beside;   /* sent */
    double waited;              /* seconds spent waiting for sent arrays */
};

static inline void ph_traffic_add(size_t calls, size_t bytes, double seconds, struct ph_traffic *traffic)
{
    traffic->calls += calls;
    traffic->bytes += bytes;
    traffic->seconds += seconds;
}

/* A task that waits for its turn, with its arguments. It holds the part of the view that changes from task to task, as
 * it was at the request; the machine has a copy of the rest. */
struct ph_job {
    bool waves; /* one of reciprocal space */
    int task;   /* enum ph_task, or enum ph_wave_task */
    size_t count;
    double x, y;
    struct ph_wave_order order;
    const struct ph_accel_view *view; /* of the host: for how many, and which kernels; */
    const struct ph_accel_view *kept; /* in the memory of the machine: for kernels */
    struct ph_pending_work pending;   /* overrides both views */
    enum ph_status status;            /* its result, after the launch; */
    struct ph_error *err;             /* and why, if it failed */
};

/* Returns true if one launch can do both. Each has its own view, arguments and count; the comparison covers everything
 * that selects a kernel. */
static inline bool ph_jobs_match(const struct ph_job *a, const struct ph_job *b)
{
    const struct ph_accel_view *v = a->view, *w = b->view;
    const bool forces = !a->waves && (a->task == PH_TASK_FORCES || a->task == PH_TASK_FORCES_ENERGY);
    const bool transforms = a->waves && a->task >= PH_WAVES_ROWS;
    const bool spreads = a->waves && (a->task == PH_WAVES_spread || a->task == PH_WAVES_spread_tensors);
    if (a->waves != b->waves || a->task != b->task)
        return false;
    if (forces)
        return v->variant == w->variant && v->listed == w->listed && v->periodic == w->periodic &&
               v->sites.shape == w->sites.shape && v->sites.water_field == w->sites.water_field &&
               v->sites.common == w->sites.common && v->sites.is_rare == w->sites.is_rare;
    if (spreads && v->waves.width != w->waves.width)
        return false;
    for (int k = 0; k < 3 && transforms; ++k)
        if (v->waves.points[k] != w->waves.points[k])
            return false;
    return true;
}

/* Views of an engine: of all pairs, and of near pairs */
enum { PH_ENGINE_VIEWS = 2 };

/* So many at most in one launch: arguments of a kernel have no room for more */
enum { PH_JOBS_MOST = 64 };

/* Description of a machine for `polhode list backends` */
struct ph_machine_facts {
    bool built, found;
    int devices;                /* how many; the others are about the chosen one (device_choice.h), or the first: */
    char device[256];           /* its name; or why there is none */
    double memory, free_memory; /* bytes; 0 where that says nothing */
};

struct ph_machine {
    void (*look)(struct ph_machine_facts *facts);
    enum ph_status (*open)(struct ph_error *err); /* the chosen device, see device_choice.h */
    /* Memory of the machine, all zero. NULL if *status is no longer PH_OK: PH_ERR_MEMORY, without a message, if none is
     * left, else the error of the device. Does nothing if *status was not PH_OK before. Signals are in memory that both
     * see. */
    void *(*allocate)(size_t bytes, enum ph_status *status, struct ph_error *err);
    void (*release)(void *memory);
    struct ph_signals *(*allocate_signals)(enum ph_status *status, struct ph_error *err);
    void (*release_signals)(struct ph_signals *signals);
    enum ph_status (*copy_to)(void *there, const void *here, size_t bytes, struct ph_error *err);
    enum ph_status (*clear)(void *there, size_t bytes, struct ph_error *err); /* all zero, without a transfer */
    enum ph_status (*copy_from)(void *here, const void *there, size_t bytes, struct ph_error *err);
    /* Memory of the host that copies reach while tasks run; NULL: none left */
    void *(*allocate_here)(size_t bytes);
    void (*release_here)(void *memory);
    /* Begins to send arrays, in turn with tasks; the way they take is made when something is first sent. Have all
     * arrived? `wait`: they have, in the end. */
    enum ph_status (*send)(void **way, size_t n, const struct ph_sent_array arrays[], struct ph_error *err);
    enum ph_status (*arrived)(void *way, bool wait, bool *all, struct ph_error *err);
    void (*release_way)(void *way);
    /* Returns all transfers of this thread so far; sent arrays count after they have arrived */
    struct ph_transfer_counts (*transfers)(void);
    /* Begins a task; tasks follow each other. x, y: the arguments of drift (t, flight) and kick (t); forces of all
     * kinds with x other than 0 are left out if the list is outdated. */
    enum ph_status (*run)(enum ph_task task, uint32_t count, double x, double y, const struct ph_accel_view *view,
                          struct ph_error *err);
    enum ph_status (*run_waves)(enum ph_wave_task task, size_t count, struct ph_wave_order order,
                                const struct ph_accel_view *view, struct ph_error *err);
    /* One launch for the same task of up to PH_JOBS_MOST systems, each as `run` or `run_waves` would do it; each has
     * its own status, and error. */
    void (*run_jobs)(size_t n, struct ph_job *const job[]);
    /* All tasks have ended, and signals are there; or all up to a mark, which is made when it is first set. */
    enum ph_status (*wait)(struct ph_error *err);
    enum ph_status (*mark)(void **mark, struct ph_error *err);
    enum ph_status (*wait_for_mark)(void *mark, struct ph_error *err);
    void (*release_mark)(void *mark);
    /* For measurements. The time, in turn with tasks; a stamp is made when it is first set. Seconds between two, once
     * both have been reached */
    enum ph_status (*stamp)(void **stamp, struct ph_error *err);
    enum ph_status (*between)(void *from, void *to, double *seconds, struct ph_error *err);
    void (*release_stamp)(void *stamp);
};

extern const struct ph_machine ph_machine_emulated; /* as if there were two devices */
/* Arrays that `emulated` sends arrive after so many queries; 3, other numbers for tests */
extern int ph_emulated_late;
/* Its run_waves (machine_emulated_waves.c) */
enum ph_status ph_emulated_run_waves(enum ph_wave_task task, size_t count, struct ph_wave_order order,
                                     const struct ph_accel_view *view, struct ph_error *err);
extern const struct ph_machine ph_machine_cuda; /* in builds without CUDA never found */

#endif
