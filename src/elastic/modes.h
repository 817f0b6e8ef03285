// SPDX-License-Identifier: MIT
#pragma once

// Rigid motions.

#include "elastic/body.h"

/// About the cube root of a part's volume: turns are counted in shifts at this distance. [m]
double brElasticBody_GetComponentSize(const brElasticComponent* part);

/// Eigenvalues on the diagonal of `matrix` (symmetric, overwritten), eigenvectors in the columns of `outVectors`.
void brEigenSixBySix(double matrix[6][6], double outVectors[6][6]);
