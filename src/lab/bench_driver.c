/* SPDX-License-Identifier: MIT */
#include "lab/bench_driver.h"

#include "base/array.h"
#include "base/rotation.h"
#include "model/start.h"
#include "rigid/flow.h"

#include <stdlib.h>

struct ph_bench_driver {
    struct ph_system *system;     /* not owned */
    struct ph_force_field *field; /* not owned */
    struct ph_top *top;           /* owned; of each species that rotates */
    double *norm;                 /* owned; |m| of each molecule */
    uint64_t draws;               /* of momenta */
};

void ph_bench_driver_destroy(struct ph_bench_driver *driver)
{
    if (!driver)
        return;
    free(driver->top);
    free(driver->norm);
    free(driver);
}

enum ph_status ph_bench_driver_create(struct ph_system *system, struct ph_force_field *field,
                                      struct ph_bench_driver **out, struct ph_error *err)
{
    *out = NULL;
    struct ph_bench_driver *driver = calloc(1, sizeof *driver);
    if (!driver)
        return ph_error_set(err, PH_ERR_MEMORY, "No memory for the benchmark driver.");
    driver->system = system;
    driver->field = field;
    driver->top = calloc(system->n_species, sizeof *driver->top);
    driver->norm = ph_array_create(ph_padded(system->n), sizeof *driver->norm);
    enum ph_status status =
        driver->top && driver->norm ? PH_OK : ph_error_set(err, PH_ERR_MEMORY, "No memory for the benchmark driver.");
    for (size_t s = 0; s < system->n_species && status == PH_OK; ++s)
        if (system->species[s].degrees > 0)
            status = ph_top_init(system->species[s].inertia, &driver->top[s], err);
    if (status == PH_OK)
        status = ph_force_field_evaluate(field, system, NULL, err);
    if (status != PH_OK) {
        ph_bench_driver_destroy(driver);
        return status;
    }
    *out = driver;
    return PH_OK;
}

/* p += h f, m += h Q^T t */
static void kick(double h, struct ph_system *system)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < system->n; ++i) {
        const double back[4] = {system->q[0][i], -system->q[1][i], -system->q[2][i], -system->q[3][i]};
        const double torque_space[3] = {system->t[0][i], system->t[1][i], system->t[2][i]};
        double torque_body[3];
        ph_quat_rotate(back, torque_space, torque_body);
        for (int k = 0; k < 3; ++k) {
            system->p[k][i] += h * system->f[k][i];
            system->m[k][i] += h * torque_body[k];
        }
    }
}

/* Free flight and free rotation */
static void drift(const struct ph_bench_driver *driver, double h)
{
    struct ph_system *system = driver->system;
    for (size_t s = 0; s < system->n_species; ++s) {
        const size_t first = system->first[s], end = system->first[s + 1];
        const double speed = h / system->species[s].mass;
#pragma omp parallel for schedule(static)
        for (size_t i = first; i < end; ++i)
            for (int k = 0; k < 3; ++k)
                system->r[k][i] += speed * system->p[k][i];
        if (system->species[s].degrees == 0)
            continue;
        struct ph_bodies bodies = {.n = end - first, .norm = driver->norm + first};
        for (int k = 0; k < 3; ++k)
            bodies.m[k] = system->m[k] + first;
        for (int k = 0; k < 4; ++k)
            bodies.q[k] = system->q[k] + first;
        ph_bodies_set_norm(bodies);
        ph_flow_advance(ph_flow_find("exact"), &driver->top[s], h, bodies);
    }
}

enum ph_status ph_bench_driver_advance(struct ph_bench_driver *driver, double h, long steps, struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (long n = 0; n < steps && status == PH_OK; ++n) {
        kick(0.5 * h, driver->system);
        drift(driver, h);
        status = ph_force_field_evaluate(driver->field, driver->system, NULL, err);
        kick(0.5 * h, driver->system);
    }
    return status;
}

enum ph_status ph_bench_driver_relax(struct ph_bench_driver *driver, double h, long steps, long every, double kT,
                                     struct ph_error *err)
{
    enum ph_status status = PH_OK;
    for (long n = 0; n < steps && status == PH_OK; n += every) {
        status = ph_bench_driver_advance(driver, h, every, err);
        ph_start_move(kT, true, false, ++driver->draws, driver->system);
    }
    return status;
}
