// SPDX-License-Identifier: MIT

// Depth of two tets as that of the origin in their difference, by an expanding polytope (van den Bergen 2001), in
// tet_measure.c once for each set of lanes (base/lanes.h), and on devices (gpu/kernels/depths.cl): points and faces
// side by side, each lane with the operations that one alone would have. Registers of 64 bytes are slower here: few
// faces are made at a time.
//
// The polytope need not hold the origin when it starts: the face that the origin is farthest beyond, or nearest to, is
// pushed out until it cannot be.

#define DOUBLES LANE(brDoubles)
#define EPA_REGISTERS (epaPoints / LANE_DOUBLES)

#ifdef __OPENCL_VERSION__
LANE_INLINE DOUBLES LANE(epaAt)(const double* from)
{
	return vload2(0, from);
}

LANE_INLINE void LANE(epaPut)(double* to, DOUBLES values)
{
	vstore2(values, 0, to);
}
#else
typedef double LANE(EpaLoose) __attribute__((vector_size(LANE_BYTES), aligned(8), may_alias));

LANE_INLINE DOUBLES LANE(epaAt)(const double* from)
{
	return (DOUBLES) * (const LANE(EpaLoose)*)(const void*)from;
}

LANE_INLINE void LANE(epaPut)(double* to, DOUBLES values)
{
	*(LANE(EpaLoose)*)(void*)to = (LANE(EpaLoose))values;
}
#endif

LANE_INLINE double LANE(epaLeastLane)(DOUBLES a)
{
#if LANE_BYTES == 32
	double x = a[0] < a[1] ? a[0] : a[1], y = a[2] < a[3] ? a[2] : a[3];
	return x < y ? x : y;
#else
	return a[0] < a[1] ? a[0] : a[1];
#endif
}

// The first of the least of `count` numbers; up to a whole register behind the last they are readable and not less.
LANE_INLINE int32_t LANE(epaFirstLeast)(const double* values, int32_t count)
{
	DOUBLES lanes = LANE(epaAt)(values);
	for (int32_t i = LANE_DOUBLES; i < count; i += LANE_DOUBLES)
	{
		lanes = LANE(brMinDoubles)(LANE(epaAt)(values + i), lanes);
	}
	DOUBLES least = LANE(brSplatDoubles)(LANE(epaLeastLane)(lanes));
	for (int32_t i = 0; i < count; i += LANE_DOUBLES)
	{
		uint32_t more = LANE(brMoreBits)(LANE(epaAt)(values + i), least), all = (1u << LANE_DOUBLES) - 1u;
		if (more != all)
		{
			return i + __builtin_ctz(~more);
		}
	}
	return 0;
}

// The same of a number for each point.
LANE_INLINE int32_t LANE(epaFirstPoint)(const DOUBLES values[EPA_REGISTERS], double* outLeast)
{
	DOUBLES lanes = values[0];
	BR_UNROLL
	for (int i = 1; i < EPA_REGISTERS; ++i)
	{
		lanes = LANE(brMinDoubles)(values[i], lanes);
	}
	*outLeast = LANE(epaLeastLane)(lanes);
	uint32_t more = 0;
	BR_UNROLL
	for (int i = 0; i < EPA_REGISTERS; ++i)
	{
		more |= LANE(brMoreBits)(values[i], LANE(brSplatDoubles)(*outLeast)) << (i * LANE_DOUBLES);
	}
	return __builtin_ctz(~more);
}

// The first point that is farthest against a direction.
LANE_INLINE int32_t LANE(epaSupport)(const EpaHull* hull, brDVec3 direction)
{
	DOUBLES reach[EPA_REGISTERS];
	BR_UNROLL
	for (int i = 0; i < EPA_REGISTERS; ++i)
	{
		reach[i] = direction.x * LANE(epaAt)(hull->points[0] + i * LANE_DOUBLES) +
				   direction.y * LANE(epaAt)(hull->points[1] + i * LANE_DOUBLES) +
				   direction.z * LANE(epaAt)(hull->points[2] + i * LANE_DOUBLES);
	}
	double least;
	return LANE(epaFirstPoint)(reach, &least);
}

// Points by number, of one coordinate: those of a register from `which` on.
LANE_INLINE DOUBLES LANE(epaPick)(const double points[epaPoints], const uint8_t* which)
{
#if LANE_BYTES == 32
	return (DOUBLES){points[which[0]], points[which[1]], points[which[2]], points[which[3]]};
#else
	return (DOUBLES){points[which[0]], points[which[1]]};
#endif
}

LANE_INLINE void LANE(epaDifference)(const brTetCorners* pair, EpaHull* hull)
{
	DOUBLES most = LANE(brSplatDoubles)(0.0), points[3][EPA_REGISTERS];
	BR_UNROLL
	for (int i = 0; i < EPA_REGISTERS; ++i)
	{
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			DOUBLES a, b;
			BR_UNROLL
			for (int lane = 0; lane < LANE_DOUBLES; ++lane)
			{
				a[lane] = (&pair->a[(i * LANE_DOUBLES + lane) / 4].x)[k];
				b[lane] = (&pair->b[(i * LANE_DOUBLES + lane) % 4].x)[k];
			}
			points[k][i] = a - b;
			most = LANE(brMaxDoubles)(LANE(brAbs)(points[k][i]), most);
		}
	}
	hull->scale = epaScale(-LANE(epaLeastLane)(-most));
	BR_UNROLL
	for (int i = 0; i < EPA_REGISTERS; ++i)
	{
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			LANE(epaPut)(hull->points[k] + i * LANE_DOUBLES, hull->scale * points[k][i]);
		}
	}
}

// Appends faces with these corners, turned away from the inside. False if one has no area or there is no room. Behind
// the last corner of each kind a register more is readable.
LANE_INLINE bool LANE(epaAdd)(EpaHull* hull, const uint8_t* from, const uint8_t* to, const uint8_t* tops, int32_t count)
{
	if (hull->count + count > epaMostFaces)
	{
		return false;
	}
	for (int32_t first = 0; first < count; first += LANE_DOUBLES)
	{
		uint32_t used = count - first < LANE_DOUBLES ? (1u << (count - first)) - 1u : (1u << LANE_DOUBLES) - 1u;
		DOUBLES p[3], e[3], f[3], n[3];
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			p[k] = LANE(epaPick)(hull->points[k], from + first);
			e[k] = LANE(epaPick)(hull->points[k], to + first) - p[k];
			f[k] = LANE(epaPick)(hull->points[k], tops) - p[k];
		}
		n[0] = e[1] * f[2] - e[2] * f[1], n[1] = e[2] * f[0] - e[0] * f[2], n[2] = e[0] * f[1] - e[1] * f[0];
		DOUBLES length = LANE(brRoot)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), inv = 1.0 / length;
		if ((LANE(brMoreBits)(length, LANE(brSplatDoubles)(0.0)) & used) != used)
		{
			return false;
		}
		n[0] = inv * n[0], n[1] = inv * n[1], n[2] = inv * n[2];
		DOUBLES inward =
			n[0] * (hull->inside.x - p[0]) + n[1] * (hull->inside.y - p[1]) + n[2] * (hull->inside.z - p[2]);
		uint32_t turned = LANE(brMoreBits)(inward, LANE(brSplatDoubles)(0.0));
		LANE(brLongs) turn = LANE(brMaskOf)(turned) & INT64_MIN;
		BR_UNROLL
		for (int k = 0; k < 3; ++k)
		{
			n[k] = LANE(brTurnSigns)(n[k], turn);
			LANE(epaPut)(hull->normals[k] + hull->count + first, n[k]);
		}
		LANE(epaPut)(hull->offsets + hull->count + first, n[0] * p[0] + n[1] * p[1] + n[2] * p[2]);
		for (int32_t i = first; i < first + LANE_DOUBLES && i < count; ++i)
		{
			bool isTurned = (turned >> (i - first) & 1) != 0;
			hull->corners[0][hull->count + i] = from[i];
			hull->corners[1][hull->count + i] = isTurned ? tops[i - first] : to[i];
			hull->corners[2][hull->count + i] = isTurned ? to[i] : tops[i - first];
		}
	}
	hull->count += count;
	LANE(epaPut)(hull->offsets + hull->count, LANE(brSplatDoubles)(INFINITY));
	return true;
}

// Four points that span a volume: the farthest from the first, from their line, from their plane.
LANE_INLINE bool LANE(epaStart)(EpaHull* hull)
{
	int32_t corners[4] = {0};
	double farthest[4] = {0};
	brDVec3 origin = epaPoint(hull, 0);
	BR_UNROLL
	for (int step = 1; step < 4; ++step)
	{
		brDVec3 e = brDSub(epaPoint(hull, corners[1]), origin);
		brDVec3 normal = brDCross(e, brDSub(epaPoint(hull, corners[2]), origin));
		DOUBLES reach[EPA_REGISTERS]; // negated
		BR_UNROLL
		for (int i = 0; i < EPA_REGISTERS; ++i)
		{
			DOUBLES x = LANE(epaAt)(hull->points[0] + i * LANE_DOUBLES) - origin.x;
			DOUBLES y = LANE(epaAt)(hull->points[1] + i * LANE_DOUBLES) - origin.y;
			DOUBLES z = LANE(epaAt)(hull->points[2] + i * LANE_DOUBLES) - origin.z;
			if (step == 2)
			{
				DOUBLES cx = e.y * z - e.z * y, cy = e.z * x - e.x * z, cz = e.x * y - e.y * x;
				x = cx, y = cy, z = cz;
			}
			reach[i] = -(x * x + y * y + z * z);
			if (step == 3)
			{
				reach[i] = -LANE(brAbs)(normal.x * x + normal.y * y + normal.z * z);
			}
		}
		corners[step] = LANE(epaFirstPoint)(reach, &farthest[step]);
		farthest[step] = -farthest[step];
	}
	// What is thinner than rounding has no inside.
	if (!(farthest[3] > EPA_GAIN * sqrt(farthest[2])))
	{
		return false;
	}
	hull->inside = brDMul(0.25, brDAdd(brDAdd(origin, epaPoint(hull, corners[1])),
									   brDAdd(epaPoint(hull, corners[2]), epaPoint(hull, corners[3]))));
	hull->count = 0;
	uint8_t faces[3][8] = {{0}};
	for (int f = 0; f < 4; ++f)
	{
		for (int k = 0; k < 3; ++k)
		{
			faces[k][f] = (uint8_t)corners[(f + 1 + k) % 4];
		}
	}
	// By registers, since the third corner is taken to be the same for all of them.
	bool isDone = true;
	for (int f = 0; f < 4 && isDone; f += LANE_DOUBLES)
	{
		isDone = LANE(epaAdd)(hull, faces[0] + f, faces[1] + f, faces[2] + f, LANE_DOUBLES < 4 ? LANE_DOUBLES : 4);
	}
	return isDone;
}

// Replaces the faces that see a point by faces to it.
LANE_INLINE bool LANE(epaExpand)(EpaHull* hull, EpaRim* rim, int32_t point)
{
	brDVec3 p = epaPoint(hull, point);
	uint64_t seen[epaMostFaces / 64] = {0};
	for (int32_t i = 0; i < hull->count; i += LANE_DOUBLES)
	{
		DOUBLES height = LANE(epaAt)(hull->normals[0] + i) * p.x + LANE(epaAt)(hull->normals[1] + i) * p.y +
						 LANE(epaAt)(hull->normals[2] + i) * p.z - LANE(epaAt)(hull->offsets + i);
		uint32_t rest = hull->count - i < LANE_DOUBLES ? (1u << (hull->count - i)) - 1u : (1u << LANE_DOUBLES) - 1u;
		seen[i / 64] |= (uint64_t)(LANE(brMoreBits)(height, LANE(brSplatDoubles)(0.0)) & rest) << (i % 64);
	}
	int32_t first = seen[0] != 0   ? __builtin_ctzll(seen[0])
					: seen[1] != 0 ? 64 + __builtin_ctzll(seen[1])
								   : hull->count;
	int32_t kept = first;
	for (int32_t i = first; i < hull->count; ++i)
	{
		if ((seen[i / 64] >> (i % 64) & 1) == 0)
		{
			epaMoveFace(hull, i, kept++);
			continue;
		}
		int a = hull->corners[0][i], b = hull->corners[1][i], c = hull->corners[2][i];
		rimTake(rim, a, b);
		rimTake(rim, b, c);
		rimTake(rim, c, a);
	}
	hull->count = kept;
	uint8_t tops[8];
	memset(tops, (int)point, sizeof(tops));
	memset(rim->from + rim->count, 0, 8);
	memset(rim->to + rim->count, 0, 8);
	bool isDone = LANE(epaAdd)(hull, rim->from, rim->to, tops, rim->count);
	rimClear(rim);
	return isDone && hull->count > 0;
}

LANE_INLINE bool LANE(epaMeasureOne)(const brTetCorners* pair, EpaHull* hull, EpaRim* rim, brPenetration* out)
{
	LANE(epaDifference)(pair, hull);
	double depth = 0.0;
	brDVec3 direction = {1.0, 0.0, 0.0};
	bool isSolid = LANE(epaStart)(hull);
	for (int step = 0; step < epaMostSteps && isSolid; ++step)
	{
		int32_t nearest = LANE(epaFirstLeast)(hull->offsets, hull->count);
		depth = hull->offsets[nearest];
		direction = brMakeDVec3(hull->normals[0][nearest], hull->normals[1][nearest], hull->normals[2][nearest]);
		int32_t next = LANE(epaSupport)(hull, brDMul(-1.0, direction));
		double gain = brDDot(direction, epaPoint(hull, next)) - depth;
		if (!(gain > EPA_GAIN) || !LANE(epaExpand)(hull, rim, next))
		{
			break;
		}
	}
	// Who is certainly inside need not be asked for the distance.
	if (!(depth > EPA_CLEAR) && brTetPair_Gjk(pair->a, pair->b) > 0.0)
	{
		return false;
	}
	out->depth = fmax(depth, 0.0) / hull->scale;
	out->direction = direction;
	return true;
}

LANE_TARGET static uint32_t LANE(epaMeasure)(const brTetCorners* pairs, int32_t count, brPenetration* out)
{
	EpaHull hull;
	EpaRim rim;
	rim.count = 0, rim.hasTwins = false;
	memset(rim.where, 0, sizeof(rim.where));
	uint32_t meets = 0;
	for (int32_t i = 0; i < count; ++i)
	{
		meets |= (uint32_t)LANE(epaMeasureOne)(&pairs[i], &hull, &rim, &out[i]) << i;
	}
	return meets;
}

#undef DOUBLES
#undef EPA_REGISTERS
