/* SPDX-License-Identifier: MIT */
#ifndef PH_TESTS_NIST_WATER_H
#define PH_TESTS_NIST_WATER_H

#include "force_systems.h"

#include "formats/start_file.h"

/* NIST's sample configuration 1 of SPC/E water, in nm and kJ/mol */
static inline struct ph_system *nist_water(void)
{
    struct ph_species water = {.name = "spc-e", .n_sites = 3};
    const double half = 109.47 / 360.0 * 3.14159265358979323846;
    for (int a = 0; a < 3; ++a) {
        strcpy(water.site[a].name, a == 0 ? "O" : "H");
        water.site[a].mass = a == 0 ? 15.9994 : 1.008;
        water.site[a].charge = a == 0 ? -0.8476 : 0.4238;
        water.site[a].position[0] = a == 0 ? 0.0 : (a == 1 ? 0.1 : -0.1) * sin(half);
        water.site[a].position[2] = a == 0 ? 0.0 : 0.1 * cos(half);
    }
    water.site[0].radial = (struct ph_radial){PH_RADIAL_MIE, 0.650169581, 0.316555789, 12.0, 6.0};
    struct ph_frame frame;
    struct ph_box box;
    struct ph_system *system = NULL;
    assert_ok(ph_species_complete(&water, NULL, NULL, &err));
    assert_ok(ph_frame_read(POLHODE_TEST_DATA "/spce_sample_config_periodic1.xyz", 0.1, &frame, &err));
    assert_ok(ph_box_init_periodic((const double(*)[3])frame.edge, &box, &err));
    assert_ok(ph_system_create(1, &water, (size_t[]){100}, &box, &system, &err));
    assert_ok(ph_frame_apply(&frame, &(struct ph_frame_rules){.tolerance = 1e-3}, system, NULL, &err));
    ph_frame_free(&frame);
    return system;
}

#endif
