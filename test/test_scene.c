// SPDX-License-Identifier: MIT

// Scene files: what they say becomes a scene, what is wrong becomes one sentence with file, line and what was expected.

#include "brittle/models.h"
#include "brittle/run.h"
#include "brittle/scene.h"
#include "harness.h"
#include "io_help.h"
#include "scene/document.h"
#include "shapes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static brScene* readScene(const char* text)
{
	return BR_MADE(brScene, brReadScene, NULL, text, strlen(text), NULL, NULL);
}

// The text is refused with a sentence that holds `words`, and the scene pointer stays as it was.
static void sceneFails(const char* text, const char* words)
{
	brReport report = {0};
	brScene* untouched = (brScene*)&report;
	brScene* scene = untouched;
	brResult result = brReadScene(NULL, text, strlen(text), NULL, NULL, &scene, &report);
	CHECK_MESSAGE(result < 0 && scene == untouched, "accepted: %s", text);
	CHECK_MESSAGE(strstr(report.text, words) != NULL, "'%s' is not in: %s", words, report.text);
	CHECK(strchr(report.text, '\n') == NULL);
}

BR_TEST(scene_reads_every_part)
{
	brScene* scene =
		readScene("scene: Everything\n"
				  "gravity: 1.62\n"
				  "duration: 0.5\n"
				  "frame_rate: 30\n"
				  "steps_per_frame: 2\n"
				  "substeps: 12\n"
				  "seed: 7\n"
				  "sleep: off\n"
				  "budget: {bodies: 100, pieces_per_step: 50, seconds_per_step: 0.01}\n"
				  "materials:\n"
				  "  green: {like: glass, tensile_strength: 1e7, color: \"#00ff00\"}\n"
				  "models:\n"
				  "  cup: {make: bowl, res: 12, with: {width: 0.2}, scale: 2}\n"
				  "ground: {material: wood, height: -1}\n"
				  "bodies:\n"
				  "  - {name: cup, model: cup, material: green, position: [0, 0, 1], fracture: shatter}\n"
				  "  - name: row\n"
				  "    model: box\n"
				  "    repeat: {grid: [2, 3, 4], spacing: [1, 2, 3]}\n"
				  "    mass: 2\n"
				  "  - {name: post, model: box, kind: static, position: [5, 0, 0]}\n"
				  "joints:\n"
				  "  - {kind: hinge, a: post, b: cup, anchor: [0, 0, 1], axis: [0, 2, 0], break_force: 10}\n"
				  "events:\n"
				  "  - {at: 0.3, gravity: [0, 1, 0]}\n"
				  "  - {at: 0.1, remove: row}\n"
				  "  - {at: 0.2, set: row_3, velocity: [1, 2, 3], spin: [4, 5, 6]}\n"
				  "  - at: 0.05\n"
				  "    throw: {name: ball, model: icosphere, velocity: [9, 0, 0]}\n"
				  "camera: {azimuth: 90, elevation: 30, fov: 40, zoom: 2, frame: [[1, 0, 0], [0, 1, 2]]}\n"
				  "output: {glb: no, poster_size: [320, 200], sheet_grid: [3, 2], samples: 4}\n");
	CHECK(strcmp(scene->title, "Everything") == 0);
	CHECK(scene->gravity.z == -1.62 && scene->duration == 0.5 && scene->frameRate == 30.0);
	CHECK(scene->stepsPerFrame == 2 && scene->substeps == 12 && scene->seed == 7 && !scene->enableSleep);
	CHECK(scene->budget.bodies == 100 && scene->budget.piecesPerStep == 50 && scene->budget.secondsPerStep == 0.01);
	CHECK(scene->hasGround && scene->groundHeight == -1.0);
	CHECK_EQUAL(scene->bodyCount, 1 + 24 + 1 + 1);
	CHECK_EQUAL(scene->modelCount, 4);
	const brSceneModel* cup = &scene->models[scene->bodies[0].model];
	brDBox3 box = brMesh_ComputeBounds(cup->mesh);
	CHECK_NEAR(box.upper.x - box.lower.x, 0.4, 1e-3); // the lip is round
	CHECK(cup->breaking.method == br_breakShatter && cup->breaking.material.tensileStrength == 1e7);
	CHECK(cup->breaking.material.density == brFindMaterial("glass")->density);
	CHECK(cup->mesh->materials[0].baseColor.y > 0.99f && cup->mesh->materials[0].baseColor.x < 0.01f);
	// A grid is centered in x and y and rises in z; the box stands on z = 0, so its body is half a meter up.
	const brSceneBody* row = &scene->bodies[1];
	CHECK(row[0].mass == 2.0 && strcmp(row[5].name, "row_5") == 0);
	CHECK_NEAR(row[0].pose.p.x, -0.5, 1e-12);
	CHECK_NEAR(row[0].pose.p.y, -2.0, 1e-12);
	CHECK_NEAR(row[23].pose.p.x, 0.5, 1e-12);
	CHECK_NEAR(row[23].pose.p.y, 2.0, 1e-12);
	CHECK_NEAR(row[23].pose.p.z, 9.5, 1e-12);
	CHECK_EQUAL(scene->jointCount, 1);
	CHECK(scene->joints[0].kind == br_jointHinge && scene->joints[0].axis.y == 1.0 &&
		  scene->joints[0].breakForce == 10.0);
	// By time: throw, 24 removes, set, gravity.
	CHECK_EQUAL(scene->eventCount, 1 + 24 + 1 + 1);
	CHECK(scene->events[0].kind == br_sceneEventEnter && scene->events[0].body == scene->bodyCount - 1);
	CHECK(scene->events[1].kind == br_sceneEventRemove && scene->events[1].body == 1 && scene->events[24].body == 24);
	CHECK(scene->events[25].kind == br_sceneEventVelocity && scene->events[25].body == 4 &&
		  scene->events[25].spin.z == 6.0);
	CHECK(scene->events[26].kind == br_sceneEventGravity && scene->events[26].vector.y == 1.0);
	CHECK_NEAR(scene->camera.azimuth, 0.5 * BR_PI, 1e-12);
	CHECK(scene->camera.zoom == 2.0 && scene->camera.frame.lower.x == 0.0 && scene->camera.frame.upper.z == 2.0);
	CHECK(!scene->output.glb && scene->output.usda && scene->output.posterWidth == 320 && scene->output.sheetRows == 2);
	brDestroyScene(scene);
}

BR_TEST(scene_places_what_it_says)
{
	brScene* scene =
		readScene("bodies:\n"
				  "  - {model: box, rotation: [90, 0, 0], position: [0, 0, 2]}\n"
				  "  - {model: box, rotation: {axis: [0, 0, 3], degrees: 90}}\n"
				  "  - {model: box, repeat: {ring: 4, radius: 2, layers: 2, rise: 1}, velocity: [1, 0, 0]}\n"
				  "  - {model: box, repeat: {stack: 3, spacing: [0, 0, 2]}, position: [9, 0, 0]}\n"
				  "  - {model: box, repeat: {scatter: 50, box: [[0, 0, 0], [1, 2, 3]], seed: 5}}\n");
	// The box stands on its base: turned by 90 degrees about x its middle is at y = -0.5.
	brDVec3 middle = scene->bodies[0].pose.p;
	CHECK_NEAR(middle.y, -0.5, 1e-12);
	CHECK_NEAR(middle.z, 2.0, 1e-12);
	brDVec3 x = brQuat_Rotate(scene->bodies[1].pose.q, brMakeDVec3(1.0, 0.0, 0.0));
	CHECK_NEAR(x.y, 1.0, 1e-12);
	const brSceneBody* ring = &scene->bodies[2];
	CHECK_NEAR(ring[1].pose.p.y, 2.0, 1e-12);
	CHECK_NEAR(ring[1].velocity.y, 1.0, 1e-12); // outwards all round
	CHECK_NEAR(ring[5].pose.p.z, 1.5, 1e-12);
	CHECK_NEAR(scene->bodies[12].pose.p.z, 4.5, 1e-12);
	for (int32_t i = 13; i < 63; ++i)
	{
		// Turned any way, the middle is half a meter from the drawn place.
		brDVec3 p = scene->bodies[i].pose.p;
		CHECK(p.x > -0.51 && p.x < 1.51 && p.y > -0.51 && p.y < 2.51 && p.z > -0.51 && p.z < 3.51);
	}
	brDestroyScene(scene);
}

BR_TEST(scene_models_of_parts_are_one_body)
{
	// A table of a top and four legs that reach into it; boxes stand on their base.
	brScene* scene =
		readScene("models:\n"
				  "  table:\n"
				  "    parts:\n"
				  "      - {make: box, with: {width: 1, depth: 0.6, height: 0.05}, position: [0, 0, 0.7]}\n"
				  "      - {make: box, with: {width: 0.05, depth: 0.05, height: 0.71}, position: [0.4, 0.2, 0]}\n"
				  "      - {make: box, with: {width: 0.05, depth: 0.05, height: 0.71}, position: [-0.4, 0.2, 0]}\n"
				  "      - {make: box, with: {width: 0.05, depth: 0.05, height: 0.71}, position: [0.4, -0.2, 0]}\n"
				  "      - {make: box, scale: [0.05, 0.05, 0.71], rotation: [0, 0, 90], position: [-0.4, -0.2, 0]}\n"
				  "bodies:\n"
				  "  - {model: table, material: {like: steel, density: 1000}}\n");
	CHECK_EQUAL(scene->bodyCount, 1);
	const brSceneModel* model = &scene->models[scene->bodies[0].model];
	CHECK_NEAR(model->mass, 1000.0 * (0.03 + 4.0 * 0.0025 * 0.7), 1e-6);
	CHECK_EQUAL(brShape_GetKind(model->shape), br_shapeMesh);
	CHECK_NEAR(brMesh_ComputeBounds(model->mesh).upper.z, 0.75, 1e-12);
	brDestroyScene(scene);
	sceneFails("bodies: [{model: {parts: []}}]\n", "parts is a list");
	sceneFails("bodies: [{model: {parts: [{make: box}], make: box}}]\n", "one of make");
	sceneFails("bodies: [{model: {make: box, position: [1, 0, 0]}}]\n", "its parts");
	sceneFails("bodies: [{model: {parts: [{parts: [{make: box}]}]}}]\n", "no parts of its own");
}

// A lid that floats above its pot is a body, with its share of the mass; both stand on the floor as one thing.
BR_TEST(scene_separate_solids_are_bodies)
{
	brScene* scene =
		readScene("models:\n"
				  "  pair:\n"
				  "    parts:\n"
				  "      - {make: box, with: {width: 1, depth: 1, height: 1}}\n"
				  "      - {make: box, with: {width: 1, depth: 1, height: 3}, position: [0, 0, 1.5]}\n"
				  "bodies:\n"
				  "  - {name: pot, model: pair, material: glass, separate: true, on: floor, mass: 8,\n"
				  "     position: [0, 0, 0.25], repeat: {stack: 2, spacing: [0, 0, 3]}, fracture: shatter}\n"
				  "joints:\n"
				  "  - {kind: fixed, a: pot_0_0, b: pot_1_1}\n");
	CHECK_EQUAL(scene->bodyCount, 4);
	double lowest[4], mass[4];
	for (int32_t i = 0; i < 4; ++i)
	{
		const brSceneBody* body = &scene->bodies[i];
		lowest[i] = body->pose.p.z + brMesh_ComputeBounds(scene->models[body->model].mesh).lower.z;
		mass[i] = body->mass;
		CHECK_EQUAL(brMesh_ComputeBounds(scene->models[body->model].mesh).upper.x > 0.49, true);
		CHECK_EQUAL(scene->models[body->model].breaking.method, br_breakShatter);
	}
	CHECK_NEAR(lowest[0], 0.25, 1e-12);
	CHECK_NEAR(lowest[2], 1.75, 1e-12);
	CHECK_NEAR(mass[0], 2.0, 1e-12);
	CHECK_NEAR(mass[3], 6.0, 1e-12);
	CHECK(strcmp(scene->bodies[0].name, "pot_0_0") == 0 && strcmp(scene->bodies[3].name, "pot_1_1") == 0);
	brDestroyScene(scene);
	sceneFails("bodies: [{model: {make: box, with: {width: 0}}, separate: true}]\n", "width");
	sceneFails("bodies: [{model: box, separate: true, repeat: {stack: 3000000, spacing: [0, 0, 1]}}]\n", "at most");
}

// Solids that are copies of each other share a model, and stand where the model has them.
BR_TEST(scene_separate_copies_share_a_model)
{
	brScene* scene = readScene("models:\n"
							   "  row:\n"
							   "    parts:\n"
							   "      - {make: box, with: {width: 1, depth: 1, height: 1}}\n"
							   "      - {make: box, with: {width: 1, depth: 1, height: 1}, position: [3, 0.1, 0.2]}\n"
							   "      - {make: box, with: {width: 1, depth: 1, height: 1.01}, position: [6, 0, 0]}\n"
							   "      - {make: box, with: {width: 1, depth: 1, height: 1}, position: [9, 0.3, 0.7]}\n"
							   "bodies:\n"
							   "  - {model: row, material: glass, separate: true, on: floor, rotation: [0, 0, 90]}\n");
	const double across[4] = {0.0, 3.0, 6.0, 9.0}, up[4] = {0.0, 0.2, 0.0, 0.7};
	CHECK_EQUAL(scene->bodyCount, 4);
	CHECK_EQUAL(scene->modelCount, 2);
	CHECK_EQUAL(scene->bodies[1].model, scene->bodies[0].model);
	CHECK_EQUAL(scene->bodies[3].model, scene->bodies[0].model);
	CHECK(scene->bodies[2].model != scene->bodies[0].model);
	for (int32_t i = 0; i < 4; ++i)
	{
		const brSceneBody* body = &scene->bodies[i];
		brDBox3 box = brMesh_ComputeBounds(scene->models[body->model].mesh);
		brDVec3 middle = brDAdd(body->pose.p, brQuat_Rotate(body->pose.q, brDLerp(box.lower, box.upper, 0.5)));
		CHECK_NEAR(middle.y, across[i], 1e-9);
		CHECK_NEAR(middle.z - 0.5 * (box.upper.z - box.lower.z), up[i], 1e-9);
	}
	brDestroyScene(scene);
}

BR_TEST(scene_seed_moves_what_is_random_and_nothing_else)
{
	const char* text = "seed: %d\nbodies: [{model: box, repeat: {scatter: 5, box: [[0, 0, 0], [9, 9, 9]]}}]\n";
	char first[256], second[256];
	snprintf(first, sizeof(first), text, 1);
	snprintf(second, sizeof(second), text, 2);
	brScene *a = readScene(first), *b = readScene(first), *c = readScene(second);
	CHECK(a->hash == b->hash && a->hash != c->hash);
	CHECK(a->bodies[3].pose.p.x == b->bodies[3].pose.p.x && a->bodies[3].pose.p.x != c->bodies[3].pose.p.x);
	brDestroyScene(a), brDestroyScene(b), brDestroyScene(c);
}

BR_TEST(scene_merges_and_shares_nodes)
{
	brScene* scene = readScene("models:\n"
							   "  base: &base {make: box, with: {width: 2}}\n"
							   "bodies:\n"
							   "  - &first {name: one, model: base, position: [1, 2, 3], mass: 4}\n"
							   "  - {<<: *first, name: two, mass: 5}\n");
	CHECK(scene->bodies[1].pose.p.y == 2.0 && scene->bodies[0].mass == 4.0 && scene->bodies[1].mass == 5.0);
	CHECK(strcmp(scene->bodies[1].name, "two") == 0);
	brDestroyScene(scene);
}

BR_TEST(scene_errors_say_line_and_what_was_expected)
{
	const struct
	{
		const char *text, *words;
	} cases[] = {
		{"gravty: 3\nbodies: []\n", "scene:1: a scene has no key 'gravty'; did you mean gravity?"},
		{"bodies:\n  - model: box\n    velocty: [1, 0, 0]\n",
		 "scene:3: a body has no key 'velocty'; did you mean velocity?"},
		{"bodies:\n  - model: box\n    qqqqq: 1\n", "it has name, model, material"},
		{"bodies:\n  - {model: box, mass: -1}\n", "scene:2: mass is a number above 0, up to 1e+12, not '-1'"},
		{"bodies:\n  - {model: box, mass: heavy}\n", "not 'heavy'"},
		{"bodies:\n  - {model: box, mass: \"3\"}\n", "mass is a number"},
		{"bodies:\n  - {model: box, mass: .nan}\n", "mass is a number"},
		{"bodies:\n  - {model: box, position: [1, 2]}\n", "scene:2: position is a list of 3 numbers"},
		{"bodies:\n  - {model: box, position: [1, 2, x]}\n", "'x' is none"},
		{"bodies:\n  - {model: box, kind: dynamc}\n", "kind is static, kinematic or dynamic, not 'dynamc'"},
		{"bodies:\n  - {model: vasse}\n", "scene:2: there is no model 'vasse'; did you mean vase?"},
		{"bodies:\n  - {model: {make: vase, with: {hight: 1}}}\n", "did you mean height"},
		{"bodies:\n  - {model: ball}\n", "scene:2: there is no model 'ball'; there are blob, bowl, box"},
		{"bodies:\n  - {model: sphere}\n", "did you mean icosphere?"},
		{"bodies:\n  - {model: {make: box, with: {x: 1}}}\n", "has no parameter 'x'; it has width, depth, height"},
		{"bodies:\n  - {model: {make: vase, with: {height: 99}}}\n", "height of vase is a number from 0.02 to 5"},
		{"bodies:\n  - {model: {make: vase, file: a.obj}}\n", "one of make"},
		{"bodies:\n  - {model: {file: a.obj}}\n", "no mesh files"},
		{"bodies:\n  - {position: [0, 0, 0]}\n", "a body has a model"},
		{"bodies:\n  - {model: box, material: glas}\n", "did you mean glass?"},
		{"bodies:\n  - {model: box, material: {like: unobtanium}}\n", "there is no material 'unobtanium'"},
		{"bodies:\n  - {model: box, material: {density: 0}}\n", "density is a number above 0"},
		{"bodies:\n  - {model: box, material: {poisson: 0.5}}\n", "poisson is a number from 0 to 0.4999"},
		{"bodies:\n  - {model: box, material: steel, fracture: shatter}\n", "steel does not break"},
		{"bodies:\n  - {model: box, material: glass, fracture: {pieces: 1}}\n", "pieces is a whole number from 2"},
		{"bodies:\n  - {model: box, material: glass, fracture: smash}\n", "not 'smash'"},
		{"bodies:\n  - {model: box, color: red}\n", "#rrggbb"},
		{"bodies:\n  - {model: box, color: \"#+1+2+3\"}\n", "#rrggbb"},
		{"bodies:\n  - {model: box, scale: 0}\n", "scale is one number or three"},
		{"bodies:\n  - {model: box, rotation: {axis: [0, 0, 0], degrees: 3}}\n", "axis of a rotation has a length"},
		{"bodies:\n  - {model: box, repeat: {grid: [1000, 1000, 1000]}}\n",
		 "at most 100000 bodies, with these it would have 1000000000"},
		{"bodies:\n  - {model: box, repeat: {scatter: 1000000000, box: [[0, 0, 0], [1, 1, 1]]}}\n",
		 "at most 100000 bodies"},
		{"bodies:\n  - {model: box, repeat: {ring: 1000000, layers: 1000000}}\n", "at most 100000 bodies"},
		{"bodies:\n  - {model: box, repeat: {grid: [1, 1, 0.5]}}\n", "three whole numbers"},
		{"bodies:\n  - {model: box, repeat: {grid: [9, 9, 9], spacing: [2, 0, 2]}}\n", "all copies are in one place"},
		{"bodies:\n  - {model: box, repeat: {stack: 3}}\n", "all copies are in one place"},
		{"bodies:\n  - {model: box, fracture: shatter}\n", "what bodies without a material are of"},
		{"bodies:\n  - {model: box, repeat: {grid: [1, 1, 1], stack: 3}}\n", "repeat has one of"},
		{"bodies:\n  - {model: box, repeat: {scatter: 3}}\n", "scatter has a box"},
		{"duration: 0\n", "duration is a number above 0"},
		{"duration: 3600\nframe_rate: 10000\nbodies: [{model: box}]\n", "frames"},
		{"gravity: down\n", "gravity is a list of 3 numbers"},
		{"gravity: [0, 0, 1e9]\n", "at most 1e6"},
		{"substeps: 2.5\n", "whole number from 1 to 64"},
		{"ground: {hight: 1}\n", "did you mean height?"},
		{"events: [{at: 1}]\n", "an event has a time (at) and one of"},
		{"events: [{at: -1, gravity: 1}]\n", "at is a number from 0"},
		{"events: [{at: 1, push: {point: [0, 0, 0], speed: 1}}]\n", "a push has a point, a radius above 0"},
		{"events: [{at: 1, push: {radius: 1}, gravity: 1}]\n", "one of throw, remove, set, push and gravity"},
		{"bodies: [{model: box, name: one}]\nevents: [{at: 1, remove: onne}]\n",
		 "scene:2: no body is called 'onne'; did you mean one?"},
		{"bodies: [{model: box}]\njoints: [{b: box}]\n", "holds on to the ground"},
		{"ground: wood\nbodies: [{model: box, name: a, repeat: {stack: 2, spacing: [0, 0, 1]}}]\njoints: [{b: a}]\n",
		 "one body; name a copy, like a_0"},
		{"bodies: {model: box}\n", "bodies is a list"},
		{"bodies: []\n", "the scene has no bodies"},
		{"", "the scene has no bodies"},
		{"- 1\n", "a scene is a map"},
		{"bodies: [{model: box}\n", "this is not YAML"},
		{"a: 1\n---\nb: 2\n", "one YAML document"},
		{"bodies: [{model: box, model: vase}]\n", "has the key model twice"},
		{"include: other.yaml\n", "from memory includes no files"},
		{"bodies: *nothing\n", "scene:1: *nothing names no complete value above"},
		{"bodies: &a [*a]\n", "names no complete value"},
		{"? [1]\n: 2\n", "a key is a word"},
		{"<<: 3\n", "merged with << is a map"},
		{"camera: {frame: 1}\n", "box of two corners"},
		{"output: {poster_size: [0, 100]}\n", "two whole numbers from 16"},
		{"bodies: [{model: box, name: \"a\\0b\"}]\n", "zero byte"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		sceneFails(cases[i].text, cases[i].words);
	}
}

BR_TEST(scene_bombs_are_refused)
{
	// Each list holds the one before ten times: nine levels are a thousand million values.
	char text[2048] = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
	for (int32_t i = 1; i < 10; ++i)
	{
		char line[160];
		snprintf(line, sizeof(line), "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n", (int)i,
				 (int)i, (int)i - 1, (int)i - 1, (int)i - 1, (int)i - 1, (int)i - 1, (int)i - 1, (int)i - 1, (int)i - 1,
				 (int)i - 1, (int)i - 1);
		strcat(text, line);
	}
	sceneFails(text, "unfolds into more than");
	// And one that is deep.
	static char deep[100001];
	memset(deep, '[', sizeof(deep) - 1);
	sceneFails(deep, "nested deeper than 64");
}

BR_TEST(scene_changes_reach_any_value)
{
	const char* text = "models: {thing: {make: vase, res: 12}}\n"
					   "bodies: [{name: a, model: thing, material: glass}, {name: b, model: box}]\n";
	const char* items[] = {"models.thing.res=24", "bodies.1.velocity=[1, 2, 3]", "seed=9", "camera.zoom=3",
						   "models.extra={make: box}"};
	brSceneChanges changes = {5, items};
	brReport report = {0};
	brScene *scene = NULL, *plain = readScene(text);
	CHECK_RESULT(brReadScene(NULL, text, strlen(text), NULL, &changes, &scene, &report), &report);
	CHECK(scene->models[0].mesh->vertexCount > 2 * plain->models[0].mesh->vertexCount);
	CHECK(scene->bodies[1].velocity.z == 3.0 && scene->seed == 9 && scene->camera.zoom == 3.0);
	brDestroyScene(scene);
	brDestroyScene(plain);
	const struct
	{
		const char *change, *words;
	} bad[] = {
		{"seed", "path=value"},         {"=3", "path=value"},          {"bodies.7.mass=1", "item '7' of a list of 2"},
		{"bodies.x.mass=1", "item"},    {"seed.x=1", "no key 'seed'"}, {"a..b=1", "empty name"},
		{"sed=1", "did you mean seed"}, {"seed=", "there is no value"}};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i)
	{
		brSceneChanges one = {1, &bad[i].change};
		scene = NULL;
		brResult result = brReadScene(NULL, text, strlen(text), NULL, &one, &scene, &report);
		bool isRight = result < 0 && scene == NULL && strstr(report.text, bad[i].words) != NULL;
		CHECK_MESSAGE(isRight || i == 4, "%s: %s", bad[i].change, report.text);
		brDestroyScene(scene);
	}
}

// The file's name without its folder.
static const char* nameOf(const char* path)
{
	return strrchr(path, '/') + 1;
}

// Writes a scene in which % stands for the file `other` in the same folder.
static const char* writeScene(const char* name, const char* text, const char* other)
{
	const char* path = brTest_ScratchPath(name);
	char whole[1024] = "";
	for (; *text != 0; ++text)
	{
		size_t used = strlen(whole);
		CHECK(used + 200 < sizeof(whole));
		if (*text == '%')
		{
			strcat(whole, nameOf(brTest_ScratchPath(other)));
		}
		else
		{
			whole[used] = *text;
			whole[used + 1] = 0;
		}
	}
	ioSaveBytes(path, whole, strlen(whole));
	return path;
}

BR_TEST(scene_includes_files_once_each_way)
{
	writeScene("part.yaml",
			   "duration: 7\nsubsteps: 9\nmaterials: {mine: {like: ice, density: 800}}\n"
			   "bodies: [{name: inner, model: box, material: mine}]\n",
			   "");
	const char* path = writeScene("whole.yaml",
								  "include: %\nduration: 3\n"
								  "bodies: [{name: outer, model: box, material: mine}]\n",
								  "part.yaml");
	brReport report = {0};
	brScene* scene = BR_MADE(brScene, brLoadScene, NULL, path, NULL);
	CHECK(scene->duration == 3.0 && scene->substeps == 9 && scene->bodyCount == 2);
	CHECK(strcmp(scene->bodies[0].name, "inner") == 0);
	CHECK(scene->models[scene->bodies[1].model].breaking.material.density == 800.0);
	brDestroyScene(scene);

	writeScene("a.yaml", "include: %\nbodies: [{model: box}]\n", "b.yaml");
	writeScene("b.yaml", "include: [%]\n", "a.yaml");
	const struct
	{
		const char *name, *text, *other, *words;
	} bad[] = {
		{"c.yaml", "include: %\n", "a.yaml", "b.yaml:1: "},
		{"d.yaml", "include: %\n", "d.yaml", "includes itself"},
		{"e.yaml", "include: nowhere.yaml\n", "", "e.yaml:1: "},
		{"f.yaml", "bodies:\n  - {model: {file: nowhere.obj}}\n", "", "nowhere.obj"},
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i)
	{
		scene = NULL;
		const char* file = writeScene(bad[i].name, bad[i].text, bad[i].other);
		CHECK(brLoadScene(NULL, file, NULL, &scene, &report) < 0 && scene == NULL);
		CHECK_MESSAGE(strstr(report.text, bad[i].words) != NULL, "%s", report.text);
	}
	CHECK_EQUAL(brLoadScene(NULL, brTest_ScratchPath("absent.yaml"), NULL, &scene, &report), br_errorFile);
}

BR_TEST(scene_loads_meshes_beside_it)
{
	brMesh* mesh = brShape_Model("vase", 16);
	CHECK_RESULT(brSaveMesh(NULL, mesh, brTest_ScratchPath("vase.obj"), NULL, NULL), NULL);
	brDestroyMesh(mesh);
	const char* path = writeScene("mesh.yaml",
								  "models: {v: {file: %, scale: 3, up: y, center: true}}\n"
								  "bodies: [{model: v, material: terracotta}]\n",
								  "vase.obj");
	brScene* scene = BR_MADE(brScene, brLoadScene, NULL, path, NULL);
	brDBox3 box = brMesh_ComputeBounds(scene->models[0].mesh);
	CHECK_NEAR(box.upper.y - box.lower.y, 0.96, 1e-2); // it stands on z, so y up lays it along -y
	CHECK_NEAR(box.upper.y + box.lower.y, 0.0, 1e-9);
	CHECK(scene->models[0].mass > 0.0);
	brDestroyScene(scene);
}

// The outside of a file keeps its color; the inside is a lighter shade of it, unless the scene gives it another or
// paints the outside.
BR_TEST(scene_inside_is_lighter_than_the_color_of_the_file)
{
	brMesh* mesh = brShape_Model("vase", 16);
	mesh->materials[0].baseColor = (brVec4){0.25f, 0.5f, 0.75f, 1.0f};
	CHECK_RESULT(brSaveMesh(NULL, mesh, brTest_ScratchPath("blue.glb"), NULL, NULL), NULL);
	brDestroyMesh(mesh);
	const char* path = writeScene("inside.yaml",
								  "models: {v: {file: %}}\n"
								  "bodies:\n"
								  "  - {model: v, material: porcelain, fracture: shatter}\n"
								  "  - {model: v, material: porcelain, color: [1, 0, 0], fracture: shatter}\n"
								  "  - {model: v, material: porcelain, fracture: {interior_color: [0, 1, 0]}}\n",
								  "blue.glb");
	brScene* scene = BR_MADE(brScene, brLoadScene, NULL, path, NULL);
	brVec4 inside[3];
	for (int32_t i = 0; i < 3; ++i)
	{
		inside[i] = scene->models[scene->bodies[i].model].breaking.interior.baseColor;
	}
	CHECK(inside[0].x == 0.4375f && inside[0].y == 0.625f && inside[0].z == 0.8125f);
	CHECK(inside[1].x > 0.5f && inside[1].y > 0.5f && inside[1].z > 0.5f); // porcelain is white inside
	CHECK(inside[2].x == 0.0f && inside[2].y == 1.0f && inside[2].z == 0.0f);
	brDestroyScene(scene);
}

// A box as a .gltf whose node and scene carry what the caller wants to add.
static const char* writeGltfScene(const char* node, const char* scene, const char* root)
{
	brModelDef def = brDefaultModelDef("box");
	CHECK(brModelDef_SetParameter(&def, "height", 3.0));
	brMesh* mesh = BR_MADE(brMesh, brMakeModel, NULL, &def);
	brAssembly* assembly = brCreateAssembly(NULL);
	brPart part = brDefaultPart();
	part.mesh = brAssembly_AddMesh(assembly, mesh);
	brAssembly_AddPart(assembly, "crate", &part);
	const char* path = brTest_ScratchPath("physics.gltf");
	brAffine lay = brMakeAffineIdentity(); // so that it stands on y, as glTF has it
	lay.m.cy = brMakeDVec3(0.0, 0.0, -1.0), lay.m.cz = brMakeDVec3(0.0, 1.0, 0.0);
	brMesh_Transform(mesh, &lay);
	CHECK_RESULT(brSaveAssembly(NULL, assembly, path, NULL, NULL), NULL);
	brDestroyAssembly(assembly);
	size_t count;
	char* bytes = ioLoadBytes(path, &count);
	static char text[65536];
	CHECK(count + 4096 < sizeof(text));
	const char* nodeAt = strstr(bytes, "\"nodes\":[\n{");
	CHECK(nodeAt != NULL);
	// "nodes" stands in the scene first, as a list of numbers.
	const char* sceneAt = strstr(bytes, "\"scenes\":[{");
	CHECK(sceneAt != NULL && sceneAt < nodeAt);
	snprintf(text, sizeof(text), "{%s%.*s%s%.*s%s%.*s", root, (int)(sceneAt + 11 - bytes - 1), bytes + 1, scene,
			 (int)(nodeAt + 11 - (sceneAt + 11)), sceneAt + 11, node, (int)(bytes + count - (nodeAt + 11)),
			 nodeAt + 11);
	ioSaveBytes(path, text, strlen(text));
	free(bytes);
	return path;
}

static brDBox3 placedBox(const brScene* scene, const brSceneBody* body)
{
	const brMesh* mesh = scene->models[body->model].mesh;
	brDBox3 box = brMakeDBox3Empty();
	for (int32_t v = 0; v < mesh->vertexCount; ++v)
	{
		box = brDBox3_Include(box, brTransform_Point(body->pose, mesh->positions[v]));
	}
	return box;
}

BR_TEST(scene_reads_gltf_with_physics)
{
	const char* path = writeGltfScene(
		"\"translation\":[1,2,3],\"scale\":[1,2,1],\"extensions\":{\"KHR_physics_rigid_bodies\":{\"motion\":{\"mass\":"
		"5,"
		"\"linearVelocity\":[0,1,0]},\"collider\":{\"geometry\":{\"shape\":0},\"physicsMaterial\":0}}},"
		"\"extras\":{\"brittle\":{\"material\":\"marble\",\"fracture\":{\"pieces\":7}}},",
		"\"extras\":{\"brittle\":{\"duration\":0.5,\"ground\":\"wood\"}},",
		"\"extensions\":{\"KHR_implicit_shapes\":{\"shapes\":[{\"type\":\"box\",\"box\":{\"size\":[1,3,1]}}]},"
		"\"KHR_physics_rigid_bodies\":{\"physicsMaterials\":[{\"dynamicFriction\":0.3,\"restitution\":0.25}]}},");
	brReport report = {0};
	brScene* scene = BR_MADE(brScene, brLoadScene, NULL, path, NULL);
	CHECK(scene->duration == 0.5 && scene->hasGround && scene->bodyCount == 1);
	const brSceneBody* body = &scene->bodies[0];
	const brSceneModel* model = &scene->models[body->model];
	CHECK(body->kind == br_bodyDynamic && body->mass == 5.0 && strcmp(body->name, "crate") == 0);
	CHECK_NEAR(body->velocity.z, 1.0, 1e-12); // up is up
	CHECK(model->breaking.method == br_breakShatter && model->breaking.pieces == 7);
	CHECK(model->breaking.material.friction == 0.3 && model->breaking.material.restitution == 0.25);
	CHECK(model->breaking.material.density == brFindMaterial("marble")->density);
	CHECK(brShape_GetKind(model->shape) == br_shapeBox);
	// The box is 1 x 1 x 3 standing, twice as high by the scale, its foot at (1, 2, 3) of the file: (1, -3, 2) here.
	brDBox3 box = placedBox(scene, body);
	CHECK(brDDistance(box.lower, brMakeDVec3(0.5, -3.5, 2.0)) < 1e-6);
	CHECK(brDDistance(box.upper, brMakeDVec3(1.5, -2.5, 8.0)) < 1e-6);
	brDestroyScene(scene);

	const char* items[] = {"duration=2", "gravity=1"};
	brSceneChanges changes = {2, items};
	CHECK_RESULT(brLoadScene(NULL, writeGltfScene("", "", ""), &changes, &scene, &report), &report);
	CHECK(scene->duration == 2.0 && scene->gravity.z == -1.0 && scene->bodies[0].kind == br_bodyStatic);
	// A node that says nothing of its place stands at the origin in its own size.
	box = placedBox(scene, &scene->bodies[0]);
	CHECK(brDDistance(box.lower, brMakeDVec3(-0.5, -0.5, 0.0)) < 1e-6);
	CHECK(brDDistance(box.upper, brMakeDVec3(0.5, 0.5, 3.0)) < 1e-6);
	brDestroyScene(scene);

	const struct
	{
		const char *node, *scene, *words;
	} bad[] = {
		{"\"extras\":{\"brittle\":{\"fractur\":1}},", "", "did you mean fracture?"},
		{"\"extras\":{\"brittle\":3},", "", "extras.brittle is an object"},
		{"\"extras\":{\"brittle\":{\"model\":\"vase\"}},", "", "name no model"},
		{"", "\"extras\":{\"brittle\":{\"durations\":1}},", "did you mean duration?"},
		{"\"extensions\":{\"KHR_physics_rigid_bodies\":{\"motion\":{\"mass\":-1}}},", "", "out of range"},
		{"\"extensions\":{\"KHR_physics_rigid_bodies\":{\"collider\":{\"geometry\":{\"shape\":4}}}},", "",
		 "does not exist"},
		{"\"children\":[0],", "", "cycle"},
		{"\"children\":[9],", "", "child"},
	};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i)
	{
		scene = NULL;
		CHECK(brLoadScene(NULL, writeGltfScene(bad[i].node, bad[i].scene, ""), NULL, &scene, &report) < 0);
		CHECK_MESSAGE(strstr(report.text, bad[i].words) != NULL && scene == NULL, "%s", report.text);
	}
}

static brResult walkGltfScene(const brContext* context, void* user)
{
	brScene* scene = NULL;
	brResult result = brLoadScene(context, user, NULL, &scene, NULL);
	brDestroyScene(scene);
	return result;
}

BR_TEST(scene_gltf_survives_every_failed_allocation)
{
	char path[512];
	snprintf(path, sizeof(path), "%s",
			 writeGltfScene("\"extras\":{\"brittle\":{\"material\":\"ice\",\"position\":[1,2,3]}},", "", ""));
	CHECK(brTest_WalkAllocations(walkGltfScene, path) > 10);
}

BR_TEST(scene_nearest_names)
{
	const char* names[] = {"velocity", "position", "spin"};
	const struct
	{
		const char *word, *advice;
	} cases[] = {{"velocty", "; did you mean velocity?"},
				 {"psoition", "; did you mean position?"},
				 {"spni", "; did you mean spin?"},
				 {"locity", "; did you mean velocity?"},
				 {"mass", "; it has velocity, position, spin"},
				 {"", "; it has velocity, position, spin"}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i)
	{
		CHECK(strcmp(brDoc_Advise(cases[i].word, names, 3, "it has").text, cases[i].advice) == 0);
	}
}

static brResult walkScene(const brContext* context, void* user)
{
	brScene* scene = NULL;
	const char* text = user;
	brResult result = brReadScene(context, text, strlen(text), NULL, NULL, &scene, NULL);
	CHECK((scene != NULL) == (result >= 0));
	brDestroyScene(scene);
	return result;
}

BR_TEST(scene_survives_every_failed_allocation)
{
	const char* text = "materials: {m: {like: glass}}\nmodels: {b: &x {make: box}}\nground: wood\n"
					   "bodies:\n"
					   "  - {name: a, model: b, material: m, fracture: shatter}\n"
					   "  - {model: *x, repeat: {grid: [3, 3, 3], spacing: [1, 1, 1]}}\n"
					   "joints: [{b: a}]\n"
					   "events: [{at: 1, remove: a}, {at: 0.5, throw: {model: icosphere}}]\n";
	CHECK(brTest_WalkAllocations(walkScene, (void*)text) > 10);
}

// At half the radius half the speed, away from the point, and a common velocity on top; nothing beyond, nothing static.
BR_TEST(scene_push_falls_off_with_distance)
{
	const char* text = "gravity: 0\nduration: 0.2\nframe_rate: 10\nbodies:\n"
					   "  - {name: near, model: {make: icosphere, center: true}, position: [2, 0, 0]}\n"
					   "  - {name: far, model: {make: icosphere, center: true}, position: [0, 4.5, 0]}\n"
					   "  - {name: held, model: {make: icosphere, center: true}, position: [0, -2, 0], kind: static}\n"
					   "events: [{at: 0.05, push: {point: [0, 0, 0], radius: 4, speed: 6, velocity: [0, 0, 1]}}]\n";
	brScene* scene = NULL;
	brRun* run = NULL;
	brReport report = {0};
	CHECK(brReadScene(NULL, text, strlen(text), NULL, NULL, &scene, &report) >= 0);
	CHECK_MESSAGE(scene != NULL && brCreateRun(NULL, scene, &run, &report) >= 0, "%s", report.text);
	while (run != NULL && !brRun_IsDone(run))
	{
		CHECK(brRun_PlayFrame(run, &report) >= 0);
	}
	brBodyState states[3];
	CHECK(run != NULL && brWorld_GetStates(brRun_GetWorld(run), states, 3) == 3);
	CHECK_NEAR(states[0].velocity.x, 3.0, 1e-9);
	CHECK_NEAR(states[0].velocity.z, 0.5, 1e-9);
	CHECK(brDLength(states[1].velocity) == 0.0 && brDLength(states[2].velocity) == 0.0);
	brDestroyRun(run);
	brDestroyScene(scene);
}

// Every beginning of a good file, and the file with each byte changed, is a scene or a sentence.
BR_TEST(scene_takes_damaged_files_in_its_stride)
{
	const char* text = "gravity: [0, 0, -9]\nduration: 1\nmodels: {b: &x {make: box}}\nbodies:\n"
					   "  - {name: a, model: b, material: glass, fracture: {pieces: 9}}\n"
					   "  - {model: *x, repeat: {ring: 3, radius: 1}, position: [1, 2, 3]}\n";
	brRandom random = brTest_Random(test);
	size_t length = strlen(text);
	int32_t read = 0, refused = 0;
	for (int32_t round = 0; round < brTest_Rounds(test, 600); ++round)
	{
		char bytes[512];
		memcpy(bytes, text, length);
		size_t count = length;
		if (round % 2 == 0)
		{
			count = brRandom_Below(&random, (uint32_t)length);
		}
		else
		{
			bytes[brRandom_Below(&random, (uint32_t)length)] = (char)brRandom_Next(&random);
		}
		brReport report = {0};
		brScene* scene = NULL;
		brResult result = brReadScene(NULL, bytes, count, NULL, NULL, &scene, &report);
		CHECK((result >= 0) == (scene != NULL));
		CHECK(result >= 0 || report.text[0] != 0);
		read += result >= 0;
		refused += result < 0;
		brDestroyScene(scene);
	}
	CHECK(refused > 0 && (read > 0 || test->intensity < 0.5));
}
