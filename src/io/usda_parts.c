// SPDX-License-Identifier: MIT

// What a USD file shows: parts that move and come and go, in groups, with what is known of them; the camera.

#include "io/usda_writer.h"

#include <stdio.h>
#include <string.h>

static void usdaWritePoses(brUsdaWriter* writer, const brPart* part)
{
	const brMotionKey* keys = writer->job->assembly->keys + part->firstKey;
	brUsdaWriter_Text(writer, "\t\tdouble3 xformOp:translate.timeSamples = {\n");
	for (int32_t k = 0; k < part->keyCount; ++k)
	{
		brUsdaWriter_Text(writer, "\t\t\t");
		brUsdaWriter_Time(writer, keys[k].time);
		brUsdaWriter_Text(writer, ": ");
		brUsdaWriter_Doubles(writer, &keys[k].pose.p.x, 3);
		brUsdaWriter_Text(writer, ",\n");
	}
	brUsdaWriter_Text(writer, "\t\t}\n\t\tquatd xformOp:orient.timeSamples = {\n");
	brQuat last = brMakeQuatIdentity();
	for (int32_t k = 0; k < part->keyCount; ++k)
	{
		// q and -q are the same turn; the one near the last key keeps the way between them short.
		brQuat q = brQuat_Normalize(keys[k].pose.q);
		double along = q.x * last.x + q.y * last.y + q.z * last.z + q.w * last.w;
		double sign = along < 0.0 ? -1.0 : 1.0;
		last = (brQuat){sign * q.x, sign * q.y, sign * q.z, sign * q.w};
		double values[4] = {last.w, last.x, last.y, last.z};
		brUsdaWriter_Text(writer, "\t\t\t");
		brUsdaWriter_Time(writer, keys[k].time);
		brUsdaWriter_Text(writer, ": ");
		brUsdaWriter_Doubles(writer, values, 4);
		brUsdaWriter_Text(writer, ",\n");
	}
	brUsdaWriter_Text(writer, "\t\t}\n");
}

// Visibility is held between samples, and before the first it has the first one's value.
static void usdaWriteVisibility(brUsdaWriter* writer, const brPart* part)
{
	bool isBorn = isfinite(part->bornTime) && part->bornTime > writer->firstTime;
	bool isSeen = !(part->goneTime <= part->bornTime) && part->bornTime < INFINITY;
	brUsdaWriter_Text(writer, "\t\ttoken visibility.timeSamples = {\n\t\t\t");
	brUsdaWriter_Time(writer, writer->firstTime);
	bool isGoneAtOnce = isfinite(part->goneTime) && part->goneTime <= writer->firstTime;
	brUsdaWriter_Text(writer, isBorn || !isSeen || isGoneAtOnce ? ": \"invisible\",\n" : ": \"inherited\",\n");
	if (isBorn && isSeen)
	{
		brUsdaWriter_Text(writer, "\t\t\t");
		brUsdaWriter_Time(writer, part->bornTime);
		brUsdaWriter_Text(writer, ": \"inherited\",\n");
	}
	if (isfinite(part->goneTime) && isSeen && !isGoneAtOnce)
	{
		brUsdaWriter_Text(writer, "\t\t\t");
		brUsdaWriter_Time(writer, part->goneTime);
		brUsdaWriter_Text(writer, ": \"invisible\",\n");
	}
	brUsdaWriter_Text(writer, "\t\t}\n");
}

// What a user may sort and select by, and the body for a solver: the motion is recorded, so it is kinematic until its
// user lets it go.
static void usdaWriteInfo(brUsdaWriter* writer, int32_t index)
{
	const brAssembly* assembly = writer->job->assembly;
	const brPart* part = &assembly->parts[index];
	brOutput* output = &writer->output;
	if (part->mass == 0.0 && part->parent < 0 && part->generation == 0)
	{
		return;
	}
	if (part->mass > 0.0)
	{
		brUsdaWriter_Text(writer,
						  "\t\tbool physics:kinematicEnabled = 1\n\t\tpoint3f physics:centerOfMass = (0, 0, 0)\n"
						  "\t\tfloat physics:mass = ");
		brUsdaWriter_Float(writer, (float)part->mass);
		brUsdaWriter_Text(writer, "\n");
	}
	brOutput_Format(output, "\t\tcustom int userProperties:id = %d\n\t\tcustom int userProperties:generation = %d\n",
					index, part->generation);
	if (part->parent >= 0)
	{
		brOutput_Format(output, "\t\tcustom string userProperties:parent = \"%s\"\n", writer->partNames[part->parent]);
	}
	const struct
	{
		const char* name;
		double value;
	} numbers[4] = {
		{"birth_time", isfinite(part->bornTime) ? part->bornTime : 0.0},
		{"mass", part->mass},
		{"break_energy", part->breakEnergy},
		{"volume", part->mesh >= 0 ? brMesh_ComputeMass(assembly->meshes[part->mesh], 1.0).volume : 0.0},
	};
	for (int32_t k = 0; k < 4; ++k)
	{
		if (k == 0 || numbers[k].value != 0.0)
		{
			brOutput_Format(output, "\t\tcustom double userProperties:%s = ", numbers[k].name);
			brOutput_Double(output, numbers[k].value);
			brUsdaWriter_Text(writer, "\n");
		}
	}
}

// The shape a part shows.
static int32_t usdaShapeOf(const brUsdaWriter* writer, const brPart* part)
{
	return part->mesh >= 0 ? part->mesh : writer->job->assembly->meshCount + part->tetMesh;
}

static brResult usdaWritePart(brUsdaWriter* writer, int32_t index)
{
	const brAssembly* assembly = writer->job->assembly;
	const brPart* part = &assembly->parts[index];
	int32_t number = usdaShapeOf(writer, part);
	const char* name = writer->partNames[index];
	bool isShared = brUsdaWriter_IsShared(writer, number);
	brOutput_Format(&writer->output, "\n\tdef Xform \"%s\"", name);
	if (part->mass > 0.0 || isShared || brUsdaWriter_NeedsDisplayName(name, part->name))
	{
		brUsdaWriter_Text(writer, " (\n");
		if (isShared)
		{
			brOutput_Format(&writer->output, "\t\tinstanceable = true\n\t\tprepend inherits = </shape_%d>\n", number);
		}
		brUsdaWriter_DisplayName(writer, name, part->name, "\t");
		brUsdaWriter_Text(
			writer, part->mass > 0.0 ? "\t\tprepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"]\n" : "");
		brUsdaWriter_Text(writer, "\t)");
	}
	brUsdaWriter_Text(writer, "\n\t{\n");
	usdaWriteInfo(writer, index);
	brAffine identity = brMakeAffineIdentity();
	bool isPlaced = memcmp(&part->placement, &identity, sizeof(identity)) != 0;
	if (part->keyCount > 0)
	{
		usdaWritePoses(writer, part);
	}
	if (isPlaced)
	{
		brUsdaWriter_Text(writer, "\t\tmatrix4d xformOp:transform = ");
		brUsdaWriter_Matrix(writer, &part->placement);
		brUsdaWriter_Text(writer, "\n");
	}
	if (part->keyCount > 0 || isPlaced)
	{
		brOutput_Format(&writer->output, "\t\tuniform token[] xformOpOrder = [%s%s%s]\n",
						part->keyCount > 0 ? "\"xformOp:translate\", \"xformOp:orient\"" : "",
						part->keyCount > 0 && isPlaced ? ", " : "", isPlaced ? "\"xformOp:transform\"" : "");
	}
	if (isfinite(part->bornTime) || isfinite(part->goneTime))
	{
		usdaWriteVisibility(writer, part);
	}
	brUsdaWriter_Text(writer, "\n");
	brResult result = br_success;
	if (!isShared)
	{
		result = brUsdaWriter_WriteShape(writer, number);
	}
	brUsdaWriter_Text(writer, "\t}\n");
	return result;
}

static int64_t usdaPlaceCorners(const brUsdaWriter* writer, int32_t place)
{
	int32_t number = usdaShapeOf(writer, &writer->job->assembly->parts[writer->order[place]]);
	return brUsdaWriter_IsShared(writer, number) ? 0 : brUsdaWriter_ShapeCorners(writer, number);
}

// The part at this place, around the first and last of a group the thing that broke.
static brResult usdaWritePlace(brUsdaWriter* writer, int32_t place)
{
	const brAssembly* assembly = writer->job->assembly;
	int32_t part = writer->order[place], group = assembly->parts[part].group;
	bool isFirst = place == 0 || assembly->parts[writer->order[place - 1]].group != group;
	bool isLast = place + 1 == assembly->partCount || assembly->parts[writer->order[place + 1]].group != group;
	if (group >= 0 && isFirst)
	{
		brOutput_Format(&writer->output, "\n\tdef Xform \"%s\" (\n\t\tkind = \"group\"\n\t)\n\t{\n",
						writer->partNames[assembly->partCount + group]);
	}
	brResult result = usdaWritePart(writer, part);
	brUsdaWriter_Text(writer, group >= 0 && isLast ? "\t}\n" : "");
	return result;
}

static void usdaWriteGravity(brUsdaWriter* writer)
{
	brDVec3 gravity = writer->job->assembly->gravity;
	double magnitude = brDLength(gravity);
	bool isYUp = writer->job->def->yUp || writer->job->def->isYUp; // turned already, or so from the start
	brDVec3 down = brMakeDVec3(0.0, isYUp ? -1.0 : 0.0, isYUp ? 0.0 : -1.0);
	gravity = magnitude > 0.0 ? brDMul(1.0 / magnitude, gravity) : down;
	const double numbers[4] = {gravity.x, gravity.y, gravity.z, magnitude};
	const char* const between[4] = {"\n\tdef PhysicsScene \"physics\"\n\t{\n\t\tvector3f physics:gravityDirection = (",
									", ", ", ", ")\n\t\tfloat physics:gravityMagnitude = "};
	for (int32_t i = 0; i < 4; ++i)
	{
		brUsdaWriter_Text(writer, between[i]);
		brOutput_Double(&writer->output, numbers[i] + 0.0); // no minus before a zero
	}
	brUsdaWriter_Text(writer, "\n\t}\n");
}

// Where a part is in the file.
static void usdaWritePath(brUsdaWriter* writer, int32_t part)
{
	const brAssembly* assembly = writer->job->assembly;
	int32_t group = assembly->parts[part].group;
	brUsdaWriter_Text(writer, "</root/");
	if (group >= 0)
	{
		brOutput_Format(&writer->output, "%s/", writer->partNames[assembly->partCount + group]);
	}
	brOutput_Format(&writer->output, "%s>", writer->partNames[part]);
}

static void usdaWriteJoint(brUsdaWriter* writer, int32_t index)
{
	static const char* const kinds[3] = {"Spherical", "Revolute", "Fixed"};
	const brAssemblyJoint* joint = &writer->job->assembly->joints[index];
	brOutput* output = &writer->output;
	brOutput_Format(output, "\n\tdef Physics%sJoint \"joint_%d\"\n\t{\n", kinds[joint->kind], index);
	if (joint->kind != 2)
	{
		brUsdaWriter_Text(writer, "\t\tuniform token physics:axis = \"X\"\n");
	}
	for (int32_t k = 0; k < 2; ++k)
	{
		brTransform frame = joint->frames[k];
		const float place[3] = {(float)frame.p.x, (float)frame.p.y, (float)frame.p.z};
		const double q[4] = {frame.q.w, frame.q.x, frame.q.y, frame.q.z};
		float turn[4];
		for (int32_t i = 0; i < 4; ++i)
		{
			turn[i] = (float)(q[i] + 0.0); // no minus before a zero
		}
		if (joint->parts[k] >= 0)
		{
			brOutput_Format(output, "\t\trel physics:body%d = ", k);
			usdaWritePath(writer, joint->parts[k]);
			brUsdaWriter_Text(writer, "\n");
		}
		brOutput_Format(output, "\t\tpoint3f physics:localPos%d = ", k);
		brUsdaWriter_Tuple(writer, place, 3);
		brOutput_Format(output, "\n\t\tquatf physics:localRot%d = ", k);
		brUsdaWriter_Tuple(writer, turn, 4);
		brUsdaWriter_Text(writer, "\n");
	}
	if (isfinite(joint->breakForce))
	{
		brUsdaWriter_Text(writer, "\t\tfloat physics:breakForce = ");
		brUsdaWriter_Float(writer, (float)joint->breakForce);
		brUsdaWriter_Text(writer, "\n");
	}
	brUsdaWriter_Text(writer, "\t}\n");
}

// Apertures are in tenths of a unit by convention; 24 mm high, as a 35 mm frame.
static void usdaWriteCamera(brUsdaWriter* writer)
{
	const brAssemblyCamera* camera = &writer->job->assembly->camera;
	if (!camera->isSet)
	{
		return;
	}
	const double height = 24.0;
	double half = 0.5 * camera->fieldOfView, focal = 0.5 * height * brCos(half) / brSin(half);
	double turn[4] = {camera->pose.q.w, camera->pose.q.x, camera->pose.q.y, camera->pose.q.z};
	float range[2] = {(float)(0.01 * camera->distance), (float)(100.0 * camera->distance)};
	brUsdaWriter_Text(writer, "\n\tdef Camera \"camera\"\n\t{\n\t\tfloat2 clippingRange = ");
	brUsdaWriter_Tuple(writer, range, 2);
	brUsdaWriter_Text(writer, "\n\t\tfloat focalLength = ");
	brUsdaWriter_Float(writer, (float)focal);
	brUsdaWriter_Text(writer, "\n\t\tfloat horizontalAperture = ");
	brUsdaWriter_Float(writer, (float)(height * camera->aspect));
	brUsdaWriter_Text(writer, "\n\t\tfloat verticalAperture = ");
	brUsdaWriter_Float(writer, (float)height);
	brUsdaWriter_Text(writer, "\n\t\tdouble3 xformOp:translate = ");
	brUsdaWriter_Doubles(writer, &camera->pose.p.x, 3);
	brUsdaWriter_Text(writer, "\n\t\tquatd xformOp:orient = ");
	brUsdaWriter_Doubles(writer, turn, 4);
	brUsdaWriter_Text(writer,
					  "\n\t\tuniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]\n\t}\n");
}

brResult brUsdaWriter_WriteScene(brUsdaWriter* writer, const char* shapesName)
{
	const brWriteJob* job = writer->job;
	const brAssembly* assembly = job->assembly;
	brUsdaWriter_Text(writer, "#usda 1.0\n(\n\tdefaultPrim = \"root\"\n\tdoc = \"brittle\"\n");
	if (writer->hasTime)
	{
		brUsdaWriter_Text(writer, "\tendTimeCode = ");
		brUsdaWriter_Time(writer, writer->lastTime);
		brUsdaWriter_Text(writer, "\n\tframesPerSecond = ");
		brOutput_Double(&writer->output, writer->frameRate);
		brUsdaWriter_Text(writer, "\n");
	}
	brUsdaWriter_Text(writer, "\tmetersPerUnit = 1\n");
	if (writer->hasTime)
	{
		brUsdaWriter_Text(writer, "\tstartTimeCode = ");
		brUsdaWriter_Time(writer, writer->firstTime);
		brUsdaWriter_Text(writer, "\n");
	}
	if (shapesName != NULL)
	{
		brOutput_Format(&writer->output, "\tsubLayers = [\n\t\t@@@./%s@@@\n\t]\n", shapesName);
	}
	if (writer->hasTime)
	{
		brUsdaWriter_Text(writer, "\ttimeCodesPerSecond = ");
		brOutput_Double(&writer->output, writer->frameRate);
		brUsdaWriter_Text(writer, "\n");
	}
	brUsdaWriter_Text(writer, job->def->yUp || job->def->isYUp ? "\tupAxis = \"Y\"\n)\n" : "\tupAxis = \"Z\"\n)\n");

	brUsdaWriter_Text(writer, "\ndef Xform \"root\" (\n\tkind = \"assembly\"\n)\n{\n");
	brUsdaWriter_WriteMaterials(writer);
	brResult result =
		brUsdaWriter_WriteItems(writer, &(brUsdaItems){assembly->partCount, usdaPlaceCorners, usdaWritePlace});
	usdaWriteCamera(writer);
	if (writer->hasPhysics)
	{
		usdaWriteGravity(writer);
	}
	for (int32_t i = 0; i < assembly->jointCount && writer->hasPhysics; ++i)
	{
		usdaWriteJoint(writer, i);
	}
	brUsdaWriter_Text(writer, "}\n");
	return result;
}

static int64_t usdaClassCorners(const brUsdaWriter* writer, int32_t number)
{
	return brUsdaWriter_IsShared(writer, number) ? brUsdaWriter_ShapeCorners(writer, number) : 0;
}

static brResult usdaWriteClass(brUsdaWriter* writer, int32_t number)
{
	if (!brUsdaWriter_IsShared(writer, number))
	{
		return br_success;
	}
	brOutput_Format(&writer->output, "\nclass Xform \"shape_%d\"\n{\n", number);
	brResult result = brUsdaWriter_WriteShape(writer, number);
	brUsdaWriter_Text(writer, "}\n");
	return result;
}

brResult brUsdaWriter_WriteShapes(brUsdaWriter* writer)
{
	int32_t count = writer->job->assembly->meshCount + writer->job->assembly->tetMeshCount;
	return brUsdaWriter_WriteItems(writer, &(brUsdaItems){count, usdaClassCorners, usdaWriteClass});
}
