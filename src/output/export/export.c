/* SPDX-License-Identifier: MIT */
#include "output/export/export.h"

#include "base/memory.h"

const struct ph_export_format ph_export_formats[] = {
    {.name = "extxyz",
     .about = "for OVITO and ASE, and as a start file: all there is, with all digits",
     .frames = true,
     .scaled = true,
     .write = ph_export_extxyz},
    {.name = "pdb",
     .about = "names and bonds for MDAnalysis and VMD: the last frame, or models",
     .frames = true,
     .last = true,
     .write = ph_export_pdb},
    {.name = "gro",
     .about = "names and velocities for GROMACS: the last frame, or those asked for",
     .frames = true,
     .last = true,
     .has_decimals = true,
     .write = ph_export_gro},
    {.name = "data",
     .about = "molecules, charges and velocities for LAMMPS: the last frame, or one",
     .frames = true,
     .last = true,
     .write = ph_export_lammps},
    {.name = "dump",
     .about = "positions and velocities for LAMMPS, VMD and OVITO, with all digits",
     .frames = true,
     .write = ph_export_dump},
    {.name = "gsd",
     .about = "for HOOMD-blue, freud and OVITO, in single precision",
     .frames = true,
     .write = ph_export_gsd},
    {.name = "trr",
     .about = "positions, velocities and forces for GROMACS, with all digits",
     .frames = true,
     .write = ph_export_trr},
    {.name = "xtc",
     .about = "positions for GROMACS, VMD and MDAnalysis, to 0.001 nm",
     .frames = true,
     .has_decimals = true,
     .write = ph_export_xtc},
    {.name = "dcd",
     .about = "positions for VMD, CHARMM and MDAnalysis, in single precision",
     .frames = true,
     .write = ph_export_dcd},
    {.name = "csv", .about = "the time series", .write = ph_export_csv},
};
const size_t ph_export_format_count = sizeof ph_export_formats / sizeof *ph_export_formats;

enum ph_status ph_export(const struct ph_export_format *format, const struct ph_export_request *request, FILE *out,
                         size_t *written, struct ph_error *err)
{
    const unsigned long refusals = ph_refusals();
    *written = 0;
    return ph_status_since(refusals, format->write(request, out, written, err), request->file, err);
}
