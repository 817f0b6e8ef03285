// SPDX-License-Identifier: MIT

// voro++ behind a C function: cells of sites in the unit box, volumes by id. Returns the sum.

#include <voro++/voro++.hh>

extern "C" double brPeer_VoroVolumes(const double* sites, int count, double* outVolumes)
{
	// Bins as its own pre_container would choose: about five particles each.
	int bins = (int)(pow(count / 5.0, 1.0 / 3.0) + 1.0);
	voro::container box(0, 1, 0, 1, 0, 1, bins, bins, bins, false, false, false, 8);
	for (int i = 0; i < count; ++i)
	{
		box.put(i, sites[3 * i], sites[3 * i + 1], sites[3 * i + 2]);
	}
	voro::voronoicell cell;
	voro::c_loop_all loop(box);
	double sum = 0.0;
	if (loop.start())
	{
		do
		{
			if (box.compute_cell(cell, loop))
			{
				outVolumes[loop.pid()] = cell.volume();
				sum += outVolumes[loop.pid()];
			}
		} while (loop.inc());
	}
	return sum;
}
