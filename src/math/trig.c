// SPDX-License-Identifier: MIT

// Sine, cosine and the angle of a point, with the same bits on every platform: only additions, products, quotients and
// integers are used, each of which has one right answer.
//
// Sine and cosine: the argument is multiplied by 2/pi in integers, with as many of its 1280 stored bits as its exponent
// asks for (Payne and Hanek 1983), so the rest within a quarter turn is right to more than double precision for any
// double, and Taylor's series does the rest. Measured against 80-bit arithmetic: below 0.8 ulp for all arguments. The
// angle: atan t = atan c + atan (t - c)/(1 + tc) with c the nearest sixteenth, whose angles are stored in two doubles.
// Measured: below 0.51 ulp.

#include "brittle/math.h"

#include "base/wide_int.h"

#include <string.h>

// 2/pi, most significant bit (1/2) first.
static const uint64_t twoOverPi[20] = {
	0xa2f9836e4e441529u, 0xfc2757d1f534ddc0u, 0xdb6295993c439041u, 0xfe5163abdebbc561u, 0xb7246e3a424dd2e0u,
	0x06492eea09d1921cu, 0xfe1deb1cb129a73eu, 0xe88235f52ebb4484u, 0xe99c7026b45f7e41u, 0x3991d639835339f4u,
	0x9c845f8bbdf9283bu, 0x1ff897ffde05980fu, 0xef2f118b5a0a6d1fu, 0x6d367ecf27cb09b7u, 0x4f463f669e5fea2du,
	0x7527bac7ebe5f17bu, 0x3d0739f78a5292eau, 0x6bfb5fb11f8d5d08u, 0x56033046fc7b6babu, 0xf0cfbc209af4361du,
};

#define TRIG_HALF_PI_HIGH 0x1.921fb54442d18p+0
#define TRIG_HALF_PI_LOW 0x1.1a62633145c07p-54
#define TRIG_QUARTER_PI 0x1.921fb54442d18p-1

// What a * b rounds away, for factors whose products neither under- nor overflow (Dekker 1971).
static double trigProductError(double a, double b, double product)
{
	double aBig = 0x1.0000002p27 * a, bBig = 0x1.0000002p27 * b;
	double aHigh = aBig - (aBig - a), bHigh = bBig - (bBig - b);
	double aLow = a - aHigh, bLow = b - bHigh;
	return ((aHigh * bHigh - product) + aHigh * bLow + aLow * bHigh) + aLow * bLow;
}

// An angle in two doubles within an eighth of a turn of zero, and the quarter turns taken off.
typedef struct TrigRest
{
	double high, low;
	uint32_t quadrant;
} TrigRest;

// For pi/4 < x < infinity.
static TrigRest trigReduce(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof(bits));
	uint64_t mantissa = (bits & 0xfffffffffffffu) | 0x10000000000000u;
	int32_t exponent = (int32_t)(bits >> 52) - 1075; // x = mantissa * 2^exponent, -53 <= exponent <= 971

	// 192 bits of 2/pi, without the leading ones that give whole turns only
	int32_t skip = exponent >= 2 ? exponent - 2 : 0;
	uint64_t window[3];
	for (int i = 0; i < 3; ++i)
	{
		const uint64_t* word = twoOverPi + skip / 64 + i;
		int32_t shift = skip % 64;
		window[i] = shift == 0 ? word[0] : word[0] << shift | word[1] >> (64 - shift);
	}

	// mantissa * window, then as quarter turns modulo 4: two bits of whole ones and 190 of a fraction
	brTwoWords p2 = brWide_MultiplyAdd(mantissa, window[2], 0);
	brTwoWords p1 = brWide_MultiplyAdd(mantissa, window[1], p2.high);
	brTwoWords p0 = brWide_MultiplyAdd(mantissa, window[0], p1.high);
	uint64_t turns[4] = {p0.high, p0.low, p1.low, p2.low};
	int32_t right = exponent >= 2 ? 0 : 2 - exponent; // at most 55
	for (int i = 3; i >= 1 && right > 0; --i)
	{
		turns[i] = turns[i] >> right | turns[i - 1] << (64 - right);
	}

	// To the nearest quarter turn: the fraction becomes signed, in [-1/2, 1/2)
	uint32_t quadrant = (uint32_t)(turns[1] >> 62);
	bool isNegative = (turns[1] >> 61 & 1) != 0;
	quadrant += isNegative;
	uint64_t f[3] = {turns[1] << 2 | turns[2] >> 62, turns[2] << 2 | turns[3] >> 62, turns[3] << 2};
	if (isNegative)
	{
		f[2] = ~f[2] + 1;
		f[1] = ~f[1] + (f[2] == 0);
		f[0] = ~f[0] + (f[2] == 0 && f[1] == 0);
	}

	// Leading zeros are few: no double comes closer than about 2^-61 to a multiple of pi/2, in quarter turns.
	int32_t zeros = f[0] != 0 ? __builtin_clzll(f[0]) : 64 + (f[1] != 0 ? __builtin_clzll(f[1]) : 63);
	if (zeros >= 64)
	{
		f[0] = f[1], f[1] = f[2], f[2] = 0;
	}
	int32_t left = zeros % 64;
	if (left > 0)
	{
		f[0] = f[0] << left | f[1] >> (64 - left);
		f[1] = f[1] << left | f[2] >> (64 - left);
	}
	double unit = 1.0;
	for (int32_t i = 0; i < zeros; ++i)
	{
		unit *= 0.5;
	}
	unit = isNegative ? -unit : unit;
	double high = (double)(f[0] >> 11) * (0x1p-53 * unit);
	double low = (double)((f[0] & 0x7ff) << 42 | f[1] >> 22) * (0x1p-106 * unit);

	double y = high * TRIG_HALF_PI_HIGH;
	double error = trigProductError(high, TRIG_HALF_PI_HIGH, y) + (high * TRIG_HALF_PI_LOW + low * TRIG_HALF_PI_HIGH);
	double sum = y + error;
	return (TrigRest){sum, (y - sum) + error, quadrant};
}

// Taylor to x^17 and x^18: the next terms are below 2^-60 of the value at pi/4. The low part enters to first order.
static double trigSinNear(double x, double low)
{
	double z = x * x;
	double tail = 0x1.952c77030ad4ap-49;
	tail = -0x1.ae7f3e733b81fp-41 + z * tail;
	tail = 0x1.6124613a86d09p-33 + z * tail;
	tail = -0x1.ae64567f544e4p-26 + z * tail;
	tail = 0x1.71de3a556c734p-19 + z * tail;
	tail = -0x1.a01a01a01a01ap-13 + z * tail;
	tail = 0x1.1111111111111p-7 + z * tail;
	tail = -0x1.5555555555555p-3 + z * tail;
	return x + (low * (1.0 - 0.5 * z) + x * z * tail);
}

static double trigCosNear(double x, double low)
{
	double z = x * x;
	double tail = -0x1.6827863b97d97p-53;
	tail = 0x1.ae7f3e733b81fp-45 + z * tail;
	tail = -0x1.93974a8c07c9dp-37 + z * tail;
	tail = 0x1.1eed8eff8d898p-29 + z * tail;
	tail = -0x1.27e4fb7789f5cp-22 + z * tail;
	tail = 0x1.a01a01a01a01ap-16 + z * tail;
	tail = -0x1.6c16c16c16c17p-10 + z * tail;
	tail = 0x1.5555555555555p-5 + z * tail;
	double half = 0.5 * z;
	double head = 1.0 - half;
	return head + (((1.0 - head) - half) + (z * z * tail - x * low));
}

static double trigTurned(TrigRest rest, uint32_t quadrant)
{
	double value = (quadrant & 1) != 0 ? trigCosNear(rest.high, rest.low) : trigSinNear(rest.high, rest.low);
	return (quadrant & 2) != 0 ? -value : value;
}

double brSin(double x)
{
	double size = fabs(x);
	if (!(size < INFINITY))
	{
		return NAN;
	}
	if (size < 0x1p-27)
	{
		return x; // and -0 stays -0
	}
	if (size <= TRIG_QUARTER_PI)
	{
		return trigSinNear(x, 0.0);
	}
	TrigRest rest = trigReduce(size);
	double value = trigTurned(rest, rest.quadrant);
	return x < 0.0 ? -value : value;
}

double brCos(double x)
{
	double size = fabs(x);
	if (!(size < INFINITY))
	{
		return NAN;
	}
	if (size <= TRIG_QUARTER_PI)
	{
		return trigCosNear(x, 0.0);
	}
	TrigRest rest = trigReduce(size);
	return trigTurned(rest, rest.quadrant + 1);
}

// atan(k / 16) in two doubles.
static const double atanSixteenths[17][2] = {
	{0.0, 0.0},
	{0x1.ff55bb72cfdeap-5, -0x1.c934d86d23f1dp-60},
	{0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
	{0x1.7b97b4bce5b02p-3, 0x1.347b0b4f881cap-58},
	{0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
	{0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
	{0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
	{0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
	{0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
	{0x1.0657e94db30d0p-1, -0x1.d5b495f6349e6p-56},
	{0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
	{0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
	{0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
	{0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
	{0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
	{0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
	{0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

double brAtan2(double y, double x)
{
	if (isnan(x) || isnan(y))
	{
		return NAN;
	}
	if (y == 0.0)
	{
		return x < 0.0 ? BR_PI : 0.0;
	}
	double small = fabs(y), large = fabs(x);
	bool isSteep = small > large;
	if (isSteep)
	{
		double other = small;
		small = large, large = other;
	}
	if (isinf(small))
	{
		small = 1.0, large = 1.0;
	}

	// t = small / large in [0, 1], r + rLow what is left of it beside the nearest sixteenth c: (t - c) / (1 + tc)
	double t = small / large;
	int32_t k = (int32_t)(16.0 * t + 0.5);
	double r = t;
	double rLow = 0.0;
	if (t > 0x1p-30)
	{
		// Both are of like size here, so a common scale keeps the products within range and changes nothing.
		double scale = large > 0x1p900 ? 0x1p-200 : large < 0x1p-800 ? 0x1p200 : 1.0;
		small *= scale, large *= scale;
		double c = k / 16.0;
		double cLarge = c * large, cSmall = c * small;
		double above = small - cLarge; // exact, the two being close
		double aboveLow = -trigProductError(c, large, cLarge);
		double below = large + cSmall;
		double belowLow = ((large - below) + cSmall) + trigProductError(c, small, cSmall);
		r = above / below;
		double back = r * below;
		rLow = (((above - back) - trigProductError(r, below, back)) + (aboveLow - r * belowLow)) / below;
	}
	double z = r * r;
	double tail = -1.0 / 11.0;
	tail = 1.0 / 9.0 + z * tail;
	tail = -1.0 / 7.0 + z * tail;
	tail = 1.0 / 5.0 + z * tail;
	tail = -1.0 / 3.0 + z * tail;

	// The angle is 0 +, pi/2 -, pi/2 + or pi - that; the sum of the two large parts is kept with its rounding error.
	double base = isSteep ? TRIG_HALF_PI_HIGH : x < 0.0 ? 2.0 * TRIG_HALF_PI_HIGH : 0.0;
	double baseLow = isSteep ? TRIG_HALF_PI_LOW : x < 0.0 ? 2.0 * TRIG_HALF_PI_LOW : 0.0;
	double sense = isSteep == (x < 0.0) ? 1.0 : -1.0;
	double step = sense * atanSixteenths[k][0];
	double sum = base + step;
	double sumError = base >= fabs(step) ? (base - sum) + step : (step - sum) + base;
	double low = sumError + baseLow + sense * (atanSixteenths[k][1] + (rLow + r * z * tail));
	double head = sum + sense * r; // |sum| >= |r|, or it is zero
	double angle = head + (((sum - head) + sense * r) + low);
	return y < 0.0 ? -angle : angle;
}
