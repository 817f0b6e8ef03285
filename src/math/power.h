// SPDX-License-Identifier: MIT
#pragma once

// Powers with the same bits everywhere, to a few units in the last place. Good for any finite x > 0.

/// Natural logarithm of x > 0.
double brLogarithm(double x);

/// e to the x; 0 and infinity beyond the range of doubles.
double brExponential(double x);

/// x to the y for x > 0; 0 for x = 0 and y > 0.
double brPower(double x, double y);
