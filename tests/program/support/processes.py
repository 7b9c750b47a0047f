# SPDX-License-Identifier: MIT
"""Starting the program with several processes, for tests and tools: how, and which process is which."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

# A folder of our own for the launcher's: one that ends while another begins in the same folder may take it away, and the
# other ends with status 1 and no message (Open MPI 4.1). So launchers that run at the same time have a folder each, see run.
LAUNCHER = tempfile.TemporaryDirectory(prefix="mpi-")
FOLDERS = ("OMPI_MCA_orte_tmpdir_base", "PRTE_MCA_prte_tmpdir_base")
# Open MPI starts nothing as root, nor more processes than cores, unless told so; and containers forbid its short cut.
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
               "OMPI_MCA_hwloc_base_binding_policy": "none", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMP_WAIT_POLICY": "passive",
               **{name: LAUNCHER.name for name in FOLDERS}}
# What tests build so that ranks that wait take no processor time. And in tests a rank opens only the plugins of Open MPI
# that one machine needs, and the launcher makes no shared files for its own messages: a start takes a fifth less.
if "POLHODE_YIELD_SLEEPS" in os.environ:
    ENVIRONMENT["LD_PRELOAD"] = os.environ["POLHODE_YIELD_SLEEPS"]
    ENVIRONMENT.update(OMPI_MCA_pml="ob1", OMPI_MCA_btl="self,vader", PMIX_MCA_gds="hash")
# After a rank has failed, Open MPI sleeps for a second before it kills the rest, even if all have ended.
AT_ONCE = {"OMPI_MCA_odls_base_sigkill_timeout": "0", "PRTE_MCA_odls_base_sigkill_timeout": "0"}
RANK = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")


def preloaded(library):
    """The value of LD_PRELOAD for ranks that have this library, too"""
    return " ".join(filter(None, (library, ENVIRONMENT.get("LD_PRELOAD"))))


def need(mpiexec):
    """Ends with 77, skipped, where there is no launcher. One that starts nothing is a failure."""
    if mpiexec == "none" or not shutil.which(mpiexec):
        print("skipped: built without MPI, or no mpiexec is installed", file=sys.stderr)
        sys.exit(77)
    ran = subprocess.run([mpiexec, "-n", "3", "true"], env=ENVIRONMENT, capture_output=True, text=True)
    if ran.returncode:
        sys.exit(f"{mpiexec} starts nothing here:\n{ran.stderr}")


def run(words, env=None, **more):
    """A launcher with its words, from its start to its end; several may run at the same time."""
    with tempfile.TemporaryDirectory(dir=LAUNCHER.name) as folder:
        return subprocess.run(words, env={**(env or ENVIRONMENT), **AT_ONCE, **dict.fromkeys(FOLDERS, folder)}, capture_output=True,
                              text=True, **more)


def ranks(file):
    """Processes of the program that have this file among their words: {rank: number of the process}"""
    found = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as words, open(f"/proc/{number}/environ", "rb") as variables:
                command = words.read().decode().split("\0")
                told = dict(pair.split("=", 1) for pair in variables.read().decode().split("\0") if "=" in pair)
        except OSError:
            continue
        if file in command and os.path.basename(command[0]) == "polhode" and any(name in told for name in RANK):
            found[int(next(told[name] for name in RANK if name in told))] = int(number)
    return found


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="utf-8") as about:
            return about.read().rpartition(")")[2].split()[0] not in "XZ"
    except OSError:
        return False


def end(running):
    """Ends a launcher and with it all its processes, if they have not ended by themselves."""
    if running.poll() is None:
        running.terminate()
        try:
            running.wait(timeout=30)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def say(text):
    print(text, flush=True)  # whoever ends us, it is told


class Interrupted(BaseException):
    """By a signal of this number"""


def _interrupt(number, _):
    raise Interrupted(number)


def be_interrupted():
    """SIGINT and SIGTERM raise Interrupted from now on."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
