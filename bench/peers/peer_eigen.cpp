// SPDX-License-Identifier: MIT

// Eigen's conjugate gradients with the diagonal, to 1e-8, on both halves of the matrix so that its threads work.

#include "peer.h"
#include "system.h"

#include <Eigen/Sparse>

int main(int argumentCount, char** arguments)
{
	PeerSystem input = loadPeerSystem(argumentCount, arguments);
	typedef Eigen::SparseMatrix<double, Eigen::RowMajor> Matrix;
	std::vector<Eigen::Triplet<double>> entries;
	for (int32_t row = 0; row < input.size; ++row)
	{
		for (int32_t k = input.starts[(size_t)row]; k < input.starts[(size_t)row + 1]; ++k)
		{
			int32_t column = input.columns[(size_t)k];
			entries.emplace_back(row, column, input.values[(size_t)k]);
			if (column != row)
			{
				entries.emplace_back(column, row, input.values[(size_t)k]);
			}
		}
	}
	Matrix matrix(input.size, input.size);
	matrix.setFromTriplets(entries.begin(), entries.end());
	Eigen::Map<Eigen::VectorXd> load(input.load.data(), input.size);
	Eigen::VectorXd x;
	reportPeer("jacobi", 1,
			   [&]
			   {
				   Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper> solver;
				   solver.setTolerance(1e-8);
				   solver.setMaxIterations(20000);
				   solver.compute(matrix);
				   x = solver.solve(load);
				   return (long long)solver.iterations();
			   });
	return (matrix * x - load).norm() <= 2e-8 * load.norm() ? 0 : 1;
}
