#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/io/powers_of_ten.c: the leading 128 bits of 10^q, exact integer arithmetic.

    tools/make_powers.py > src/io/powers_of_ten.c

A power that does not fit is cut off, except that -27 <= q < 0 is rounded up, which is what the reader's proof asks for.
The printer wants every inexact power rounded up and adds one to the others, which are those below -27 and above 55.
"""

LOWEST, HIGHEST = -342, 324


def leading_bits(q):
    if q >= 0:
        power = 5**q
        shift = power.bit_length() - 128
        return power >> shift if shift > 0 else power << -shift
    power = 5**-q
    shift = power.bit_length() + 127
    return ((1 << shift) // power) + (1 if q >= -27 else 0)


print("// SPDX-License-Identifier: MIT")
print()
print("// Made by tools/make_powers.py; change that, not this.")
print()
print('#include "io/number.h"')
print()
print("// clang-format off")
print("const uint64_t brPowersOfTen[BR_POWER_COUNT][2] = {")
for q in range(LOWEST, HIGHEST + 1, 2):
    row = ""
    for power in range(q, min(q + 2, HIGHEST + 1)):
        bits = leading_bits(power)
        assert bits >> 127 == 1
        row += "{0x%016xu, 0x%016xu}, " % (bits >> 64, bits & (2**64 - 1))
    print("\t%s// 1e%d" % (row, q))
print("};")
