// SPDX-License-Identifier: MIT

// What the camera of a run frames: pieces and whole things are in the picture, those that fly off do not make it empty.

#include "brittle/brittle.h"
#include "harness.h"

#include "mesh/face_area.h"
#include "scene/render_camera.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ActionShot
{
	double pieces, whole; // shares of the surface in the picture at the moments of the contact sheet
	double worst;         // of pieces, at the moment that has fewest in the picture
	double first; // largest share of the picture, of its width or height, that things take up at the first moment
	brDBox3 frame;
} ActionShot;

// Adds a body's surface to what is seen, face by face: splinters have as many vertices as what one looks at, but no
// area. `span`: reach in the picture, -1 to 1 across and up.
static void actionLook(const brAssemblyCamera* camera, const brMesh* mesh, brTransform at, double seen[2],
					   double span[4])
{
	double rise = tan(0.5 * camera->fieldOfView);
	for (int32_t f = 0; f < mesh->faceCount; ++f)
	{
		int32_t first = mesh->faceStarts[f], end = mesh->faceStarts[f + 1], cornersSeen = 0;
		for (int32_t c = first; c < end; ++c)
		{
			brDVec3 corner = brTransform_Point(at, mesh->positions[mesh->corners[c]]);
			brDVec3 p = brTransform_InvPoint(camera->pose, corner);
			double x = p.x / (-p.z * rise * camera->aspect), y = p.y / (-p.z * rise);
			cornersSeen += p.z < 0.0 && fabs(x) <= 1.0 && fabs(y) <= 1.0;
			span[0] = fmin(span[0], x), span[1] = fmax(span[1], x);
			span[2] = fmin(span[2], y), span[3] = fmax(span[3], y);
		}
		double area = brDLength(brMesh_FaceArea(mesh, f));
		seen[0] += area * (cornersSeen / (double)(end - first));
		seen[1] += area;
	}
}

static brRun* actionPlay(const char* text, brScene** outScene)
{
	brReport report = {0};
	brRun* run = NULL;
	CHECK_RESULT(brReadScene(NULL, text, strlen(text), NULL, NULL, outScene, &report), &report);
	CHECK_RESULT(brCreateRun(NULL, *outScene, &run, &report), &report);
	while (!brRun_IsDone(run))
	{
		CHECK_RESULT(brRun_PlayFrame(run, &report), &report);
	}
	return run;
}

// Looks at all that is there at a time; `seen` of pieces, then of what is whole. `outLargest`: the share of the
// picture, of its width or height, that the largest thing or piece takes up. Returns how many whole things are cut off.
static int32_t actionLookAt(const brRecording* recording, double time, const brAssemblyCamera* camera,
							double seen[2][2], double span[4], double* outLargest)
{
	double most = 0.0;
	brRecordedPose* poses = calloc((size_t)recording->bodyCount, sizeof(brRecordedPose));
	int32_t f = (int32_t)(time * recording->frameRate + 0.5), cut = 0;
	int32_t end = f + 1 < recording->frameCount ? recording->frames[f + 1].firstKey : recording->keyCount;
	for (int32_t k = 0; k < end; ++k)
	{
		poses[recording->keys[k].body] = recording->keys[k].pose;
	}
	for (int32_t i = 0; i < recording->bodyCount; ++i)
	{
		const brRecordedBody* body = &recording->bodies[i];
		if (body->kind != br_recordedGround && body->bornFrame <= f && f < body->goneFrame)
		{
			double now[2] = {0.0, 0.0}, *sum = seen[body->kind == br_recordedPiece ? 0 : 1];
			double own[4] = {INFINITY, -INFINITY, INFINITY, -INFINITY};
			actionLook(camera, recording->meshes[body->mesh], brRecordedPose_ToTransform(poses[i]), now, own);
			sum[0] += now[0], sum[1] += now[1];
			for (int32_t k = 0; k < 4; ++k)
			{
				span[k] = k % 2 == 0 ? fmin(span[k], own[k]) : fmax(span[k], own[k]);
			}
			brDBox3 bounds = brMesh_ComputeBounds(recording->meshes[body->mesh]);
			double size = brDDistance(bounds.lower, bounds.upper);
			*outLargest = size > most ? 0.5 * fmax(own[1] - own[0], own[3] - own[2]) : *outLargest;
			most = fmax(most, size);
			cut += body->kind != br_recordedPiece && now[0] > 0.0 && now[0] < now[1];
		}
	}
	free(poses);
	return cut;
}

static ActionShot actionOf(const char* text, double from, double to)
{
	brScene* scene = NULL;
	brRun* run = actionPlay(text, &scene);
	const brRecording* recording = brRun_GetRecording(run);
	brAssemblyCamera camera = brRecording_FindCamera(recording, -INFINITY, INFINITY);
	ActionShot shot = {.worst = 1.0, .frame = brMakeRecordingRenderDef(recording, -INFINITY, INFINITY).frame};
	double times[8], seen[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
	brRecording_FindMoments(recording, from, to, times, 8);
	for (int32_t m = 0; m < 8; ++m)
	{
		double span[4] = {INFINITY, -INFINITY, INFINITY, -INFINITY}, before[2] = {seen[0][0], seen[0][1]}, largest;
		actionLookAt(recording, times[m], &camera, seen, span, &largest);
		double now = seen[0][1] - before[1];
		shot.worst = fmin(shot.worst, now > 0.0 ? (seen[0][0] - before[0]) / now : 1.0);
		shot.first = m == 0 ? 0.5 * fmax(span[1] - span[0], span[3] - span[2]) : shot.first;
	}
	shot.pieces = seen[0][0] / seen[0][1];
	shot.whole = seen[1][0] / seen[1][1];
	CHECK(camera.isSet && seen[0][1] > 0.0 && seen[1][1] > 0.0); // something broke
	brDestroyRun(run);
	brDestroyScene(scene);
	return shot;
}

#define ACTION_BOWL                                                                                                    \
	"duration: 0.8\nground: marble\nbodies:\n  - name: bowl\n    model: {make: bowl, res: 16}\n    material: "         \
	"porcelain\n    position: [0, 0, 0.2]\n    velocity: [0, 0, -5]\n    rotation: [10, 6, 0]\n"                       \
	"    fracture: {method: shatter, pieces: 30}\n"

BR_TEST(action_is_in_the_picture)
{
	static const struct
	{
		const char *name, *text;
		double from, to, pieces, worst, first;
	} cases[] = {
		// Shards spread to several times the bowl's width. The frame reaches 1.5 sizes to each side at the most, four in
		// all, seen at a slant with a margin: a tenth of the picture is left for what broke.
		{"bowl", ACTION_BOWL "output: {sheet_to: 0.7}\n", 0.0, 0.7, 0.95, 0.85, 0.1},
		// The second brick falls later and from higher; a frame that is too small does not cut it off.
		{"bricks",
		 "duration: 0.8\nground: concrete\nbodies:\n  - name: brick\n    model: {make: brick, res: 4}\n    material: "
		 "brick\n    position: [0, 0, 0.5]\n    velocity: [0, 0, -8]\n    fracture: {method: shatter, pieces: 10}\n"
		 "    repeat: {stack: 2, spacing: [0.05, 0, 0.4]}\ncamera: {frame: [[-0.1, -0.1, 0], [0.1, 0.1, 0.1]]}\n",
		 0.0, 0.8, 0.95, 0.85, 0.35},
		// Two things meet in the air; the sheet ends before all pieces are far away.
		{"two",
		 "duration: 1\nground: concrete\nbodies:\n  - {name: left, model: {make: vase, res: 16}, material: terracotta, "
		 "position: [-0.6, 0, 1], velocity: [16, 0, 1], fracture: {method: shatter, pieces: 20}}\n"
		 "  - {name: right, model: {make: vase, res: 16}, material: porcelain, position: [0.6, 0, 1], velocity: [-16, "
		 "0, "
		 "1], fracture: {method: shatter, pieces: 20}}\noutput: {sheet_to: 0.3}\n",
		 0.0, 0.3, 0.9, 0.85, 0.17},
		// Thrown at a wall: what comes back flies on for long. In the end a fifth of it is more than five sizes of the
		// vase away, farther than a frame follows.
		{"thrown",
		 "duration: 0.8\nground: concrete\nbodies:\n  - {name: wall, model: {make: box, with: {width: 0.2, depth: 2, "
		 "height: 1.5}}, material: concrete, kind: static, position: [0.6, 0, 0]}\n  - {name: vase, model: {make: "
		 "vase, res: 16}, material: terracotta, position: [-0.2, 0, 0.6], velocity: [30, 0, 1], fracture: {method: "
		 "shatter, pieces: 20}}\noutput: {sheet_to: 0.7}\n",
		 0.0, 0.7, 0.9, 0.75, 0.1},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		ActionShot shot = actionOf(cases[i].text, cases[i].from, cases[i].to);
		CHECK_MESSAGE(
			shot.pieces >= cases[i].pieces && shot.worst >= cases[i].worst && shot.whole >= 0.999 &&
				shot.first >= cases[i].first && shot.frame.lower.z >= 0.0,
			"%s: %g of the pieces (%g at worst) and %g of whole things are seen, which take up %g at first; from %g "
			"m up",
			cases[i].name, shot.pieces, shot.worst, shot.whole, shot.first, shot.frame.lower.z);
	}
}

// Two holes in a vase: what is left of it is nearly all, however far bullet and cores fly.
BR_TEST(action_stays_with_what_stays)
{
	double first = 0.0, worst = 1.0;
	for (int32_t seed = 0; seed < 4; ++seed)
	{
		char text[512];
		snprintf(
			text, sizeof(text),
			"seed: %d\nduration: 0.8\nground: marble\nbodies:\n  - {name: vase, model: {make: vase, res: 24}, "
			"material: terracotta, fracture: {method: shatter}}\n  - {name: shot, model: {make: icosphere, res: 8, "
			"with: {diameter: 0.0125}}, material: steel, position: [-0.5, 0, 0.16], velocity: [300, 0, 0]}\n",
			seed);
		ActionShot shot = actionOf(text, 0.0, 0.8);
		first += 0.25 * shot.first;
		worst = fmin(worst, shot.worst);
	}
	CHECK_MESSAGE(first > 0.3 && worst > 0.8,
				  "the vase takes up %g of the picture in the mean, %g of the pieces are seen", first, worst);
}

BR_TEST(action_widens_a_frame_unless_it_is_exact)
{
	const char* frame = "camera: {frame: [[-0.05, -0.05, 0], [0.05, 3, 0.1]], exact: %s}\n";
	char text[2048];
	ActionShot shots[2];
	for (int32_t i = 0; i < 2; ++i)
	{
		int length = snprintf(text, sizeof(text), "%s", ACTION_BOWL);
		snprintf(text + length, sizeof(text) - (size_t)length, frame, i == 0 ? "false" : "true");
		shots[i] = actionOf(text, 0.0, 0.8);
	}
	CHECK(shots[0].frame.lower.x < -0.07 && shots[0].frame.upper.x > 0.07 && shots[0].frame.upper.z > 0.1);
	CHECK(shots[0].frame.upper.y == 3.0);
	CHECK(shots[1].frame.lower.x == -0.05 && shots[1].frame.upper.x == 0.05 && shots[1].frame.upper.z == 0.1);
}

// A still is of its own moment: what is seen then fills the picture, and nothing whole is cut off at its side, however
// far things fell before and fly after.
BR_TEST(action_of_a_moment_fills_its_picture)
{
	static const struct
	{
		const char *name, *text;
		double share, largest; // of the pieces' vertices that are seen; of the picture, by the largest
	} cases[] = {
		{"bowl", ACTION_BOWL, 0.8, 0.09}, // 0.0987 at 0.8 s
		// From above the picture, one after the other.
		{"stack",
		 "duration: 0.8\nground: concrete\nbodies:\n  - name: brick\n    model: {make: brick, res: 4}\n    "
		 "material: brick\n    position: [0, 0, 0.5]\n    velocity: [0, 0, -8]\n    fracture: {method: shatter, "
		 "pieces: 10}\n    repeat: {stack: 3, spacing: [0.05, 0, 0.8]}\n",
		 0.8, 0.08},
		// A bullet and cores that are far away soon.
		// Splinters that are most of the pieces by number, a quarter by their boxes and a third by vertices.
		{"fast shot",
		 "duration: 0.8\nground: marble\nbodies:\n  - {name: bowl, model: {make: bowl}, material: porcelain, on: "
		 "floor, fracture: shatter}\n  - {name: shot, model: {make: icosphere, with: {diameter: 0.0125}}, "
		 "material: steel, mass: 0.008, gravity_scale: 0, position: [-0.62, 0, 0.0364], velocity: [350, 0, "
		 "0]}\n",
		 0.65, 0.3},
		{"shot",
		 "duration: 0.8\nground: marble\nbodies:\n  - {name: vase, model: {make: vase, res: 24}, material: "
		 "terracotta, fracture: {method: shatter}}\n  - {name: shot, model: {make: icosphere, res: 8, with: "
		 "{diameter: 0.0125}}, material: steel, position: [-0.5, 0, 0.16], velocity: [300, 0, 0]}\n",
		 0.8, 0.7},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		double means[9] = {0.0}; // of the largest: how wide shards spread differs from break to break
		for (int32_t seed = 0; seed < 4; ++seed)
		{
			char text[1024];
			snprintf(text, sizeof(text), "seed: %d\n%s", seed, cases[i].text);
			brScene* scene = NULL;
			brRun* run = actionPlay(text, &scene);
			const brRecording* recording = brRun_GetRecording(run);
			for (int32_t m = 0; m <= 8; ++m)
			{
				double time = 0.1 * m, span[4] = {INFINITY, -INFINITY, INFINITY, -INFINITY}, seen[2][2] = {{0.0}};
				double largest = 0.0;
				brAssemblyCamera camera = brRecording_FindCamera(recording, time, time);
				int32_t cut = actionLookAt(recording, time, &camera, seen, span, &largest);
				double wide = fmin(span[1], 1.0) - fmax(span[0], -1.0), high = fmin(span[3], 1.0) - fmax(span[2], -1.0);
				double share = seen[0][1] > 0.0 ? seen[0][0] / seen[0][1] : 1.0;
				means[m] += 0.25 * largest;
				CHECK_MESSAGE(fmax(wide, high) >= 1.0 && share >= cases[i].share && cut == 0,
							  "%s by seed %d at %.1f s: %g of the width and %g of the height, %g of the pieces, %d "
							  "things cut off",
							  cases[i].name, seed, time, 0.5 * wide, 0.5 * high, share, cut);
			}
			brDestroyRun(run);
			brDestroyScene(scene);
		}
		for (int32_t m = 0; m <= 8; ++m)
		{
			CHECK_MESSAGE(means[m] >= cases[i].largest, "%s at %.1f s: the largest takes up %g in the mean",
						  cases[i].name, 0.1 * m, means[m]);
		}
	}
}
