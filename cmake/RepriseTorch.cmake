# SPDX-License-Identifier: Apache-2.0
find_package(Torch 2.13 REQUIRED)
