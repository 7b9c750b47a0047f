# SPDX-License-Identifier: MIT
"""The version of this package, which is that of the library it goes with (project(VERSION) of CMakeLists.txt); tools/set-version changes it."""
VERSION = "0.2.0"
