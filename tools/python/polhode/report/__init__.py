# SPDX-License-Identifier: MIT
"""The report on a run: one page of HTML that needs nothing else."""
