// SPDX-License-Identifier: MIT
#pragma once

// Other engines behind one small table. Null where the package is not installed.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

	typedef struct brPeerWorld
	{
		const char* name;
		void* (*create)(int32_t count, double halfWidth,
						bool isHull);  // bodies where brBenchPile_Place says, in a walled box
		void (*step)(void* world);     // 1/60 s
		double (*lowest)(void* world); // lowest center
		void (*destroy)(void* world);
	} brPeerWorld;

	const brPeerWorld* brPeerWorld_Bullet(void);
	const brPeerWorld* brPeerWorld_Ode(void);

	/// Where body `index` of the pile starts; the rotation is x y z w.
	void brBenchPile_Place(int32_t index, double outPosition[3], double outRotation[4]);

	/// The corners of the hull.
	void brBenchPile_Hull(double outPoints[16][3]);

#ifdef __cplusplus
}
#endif
