# SPDX-License-Identifier: MIT
"""An input without dynamics, for tests of what surrounds a simulation: 32 molecules of a polar fluid, dense and fast."""

FLUID = """units: reduced
system:
  box: {density: 0.8}
  molecules: [{model: stockmayer, count: 32}]
  start: {kind: fcc, temperature: 1.35}
interactions: {cutoff: 1.5, electrostatics: {method: reaction-field}}
"""
