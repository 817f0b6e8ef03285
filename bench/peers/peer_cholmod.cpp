// SPDX-License-Identifier: MIT

// CHOLMOD: order, factor, solve.

#include "peer.h"
#include "system.h"

#include <suitesparse/cholmod.h>

int main(int argumentCount, char** arguments)
{
	PeerSystem input = loadPeerSystem(argumentCount, arguments);
	cholmod_common common;
	cholmod_start(&common);
	// The lower triangle by rows is the upper one by columns.
	cholmod_sparse matrix = {};
	matrix.nrow = matrix.ncol = (size_t)input.size;
	matrix.nzmax = input.values.size();
	matrix.p = input.starts.data();
	matrix.i = input.columns.data();
	matrix.x = input.values.data();
	matrix.stype = 1;
	matrix.itype = CHOLMOD_INT;
	matrix.xtype = CHOLMOD_REAL;
	matrix.dtype = CHOLMOD_DOUBLE;
	matrix.sorted = 0;
	matrix.packed = 1;
	cholmod_dense load = {};
	load.nrow = load.nzmax = load.d = (size_t)input.size;
	load.ncol = 1;
	load.x = input.load.data();
	load.xtype = CHOLMOD_REAL;
	load.dtype = CHOLMOD_DOUBLE;
	cholmod_factor* factor = nullptr;
	cholmod_dense* x = nullptr;
	reportPeer("solve", 1,
			   [&]
			   {
				   factor = cholmod_analyze(&matrix, &common);
				   cholmod_factorize(&matrix, factor, &common);
				   x = cholmod_solve(CHOLMOD_A, factor, &load, &common);
				   return (long long)input.size;
			   });
	reportPeer("again", 1,
			   [&]
			   {
				   cholmod_free_dense(&x, &common);
				   x = cholmod_solve(CHOLMOD_A, factor, &load, &common);
				   return (long long)input.size;
			   });
	cholmod_free_dense(&x, &common);
	cholmod_free_factor(&factor, &common);
	cholmod_finish(&common);
	return 0;
}
