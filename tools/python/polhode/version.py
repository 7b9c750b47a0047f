# SPDX-License-Identifier: MIT
"""The version of this package, which is that of the library it goes with (project(VERSION) of CMakeLists.txt)."""
VERSION = "0.1.0"
