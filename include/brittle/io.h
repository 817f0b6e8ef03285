// SPDX-License-Identifier: MIT
#pragma once

/// @file io.h
/// Files in and out.
///
/// | format        | ending      | reads           | writes                                      |
/// |---------------|-------------|-----------------|---------------------------------------------|
/// | OBJ + MTL     | .obj        | yes             | yes                                         |
/// | PLY           | .ply        | ASCII, binary   | binary little-endian, ASCII, big-endian     |
/// | STL           | .stl        | ASCII, binary   | binary, ASCII                               |
/// | OFF           | .off        | yes             | yes                                         |
/// | glTF 2.0      | .glb, .gltf | yes             | yes, with moving parts                      |
/// | USD as text   | .usda, .usd | yes, moving     | yes, with moving parts; .usdz too           |
/// | Gmsh          | .msh        | 1, 2.x, 4.x     | 2.2, 4.1; ASCII, binary                     |
/// | VTK           | .vtk, .vtu  | legacy; XML     | legacy ASCII, binary                        |
/// | Medit         | .mesh       | ASCII           | ASCII                                       |
/// | TetGen        | .node, .ele | yes             | yes                                         |
/// | by assimp     | .fbx .dae .3mf .x3d .blend .3ds .wrl .lwo | if installed | no                  |
///
/// Files are data: counts and indices are checked before use, a bad file gives one sentence with line or byte, and
/// nothing is written in place: a file appears complete or not at all.

#include "brittle/assembly.h"

typedef enum brFileFormat
{
	br_formatUnknown = 0,
	br_formatObj,
	br_formatPly,
	br_formatStl,
	br_formatOff,
	br_formatGltf,
	br_formatGlb,
	br_formatUsda,
	br_formatMsh,
	br_formatVtk,
	br_formatVtu,
	br_formatMedit,
	br_formatTetgen,
	br_formatForeign, ///< Read by assimp, if it is installed: FBX, COLLADA, 3MF, X3D, Blender, 3DS, VRML, LightWave.
	br_formatCount,
} brFileFormat;

/// The format that the ending of a path names, in any case; br_formatUnknown if none.
BR_API brFileFormat brFileFormat_FromPath(const char* path);

/// Short lower-case name, the usual ending without dot; "unknown" for the rest.
BR_API const char* brFileFormat_GetName(brFileFormat format);

/// Whether this build reads the format.
BR_API bool brFileFormat_CanRead(brFileFormat format);

/// Whether this build writes the format.
BR_API bool brFileFormat_CanWrite(brFileFormat format);

/// Reads everything in a file. Ending decides the format, except that binary and ASCII kinds are told apart by content.
/// `context` and `report` may be null.
BR_API brResult brLoadAssembly(const brContext* context, const char* path, brAssembly** outAssembly, brReport* report);

/// Same, from memory. `name` is used in messages and to find companion files (.mtl, .bin, .ele); null: there are none.
BR_API brResult brReadAssembly(const brContext* context, const void* bytes, size_t byteCount, brFileFormat format,
							   const char* name, brAssembly** outAssembly, brReport* report);

/// Reads a file and returns one surface: all its parts flattened, as by brAssembly_Flatten. `context` and `report`
/// may be null.
BR_API brResult brLoadMesh(const brContext* context, const char* path, brMesh** outMesh, brReport* report);

/// In which axes and unit a mesh file is written.
typedef struct brMeshFrame
{
	bool isYUp;       ///< Else z points up.
	bool isStated;    ///< The format says so; else it is a guess.
	double unit;      ///< Length of one unit of the file. [m]
	char reason[120]; ///< Why, for a note to the user.
} brMeshFrame;

/// What the kind of file, the exporter named in its head, and the shape of the mesh tell about axes and unit: glTF is
/// y-up and in metres by its standard, USD says both (and is read in metres), others are guessed from the side on which
/// the thing can stand and from its size.
/// `mesh` is what the file gave, unchanged. A file that cannot be read any more is guessed from the mesh alone.
BR_API brMeshFrame brGuessMeshFrame(const char* path, const brMesh* mesh);

/// The tetrahedra of a file; refused with a sentence if there are none.
BR_API brResult brLoadTetMesh(const brContext* context, const char* path, brTetMesh** outMesh, brReport* report);

/// How to write. Start from brDefaultSaveDef().
typedef struct brSaveDef
{
	brFileFormat format; ///< br_formatUnknown: by ending.
	bool ascii;          ///< Text where the format has both. Off by default.
	bool bigEndian;      ///< PLY only.
	bool doubles;        ///< PLY and VTK: force double; by default only when float would lose bits.
	int32_t mshVersion;  ///< 22 or 41 (default).
	bool triangulate;    ///< Split polygons even where the format has them.
	bool yUp;       ///< glTF and USD: turn z-up data so that it stands. Off by default: coordinates stay as they are.
	bool isYUp;     ///< USD: the data stands on y already; the file says so. Off by default: it says z.
	bool split;     ///< .usda: meshes go into a file of their own, NAME_meshes.usda, which the first is laid over.
	uint32_t stamp; ///< Written by the default function. Leave it alone.
} brSaveDef;

BR_API brSaveDef brDefaultSaveDef(void);

/// Writes to a temporary name beside `path` and renames it when all bytes are on disk. What the format cannot hold
/// (polygons, doubles, motion, tets) is converted or left out with a positive result and a sentence. `context`, `def`
/// and `report` may be null.
BR_API brResult brSaveAssembly(const brContext* context, const brAssembly* assembly, const char* path,
							   const brSaveDef* def, brReport* report);

/// Writes one mesh, as brSaveAssembly does. `context`, `def` and `report` may be null.
BR_API brResult brSaveMesh(const brContext* context, const brMesh* mesh, const char* path, const brSaveDef* def,
						   brReport* report);

/// Writes one tet mesh, as brSaveAssembly does. `context`, `def` and `report` may be null.
BR_API brResult brSaveTetMesh(const brContext* context, const brTetMesh* mesh, const char* path, const brSaveDef* def,
							  brReport* report);

/// Any bytes as a file: `path` has them all, or is as it was. `context` and `report` may be null.
BR_API brResult brSaveBytes(const brContext* context, const void* bytes, size_t byteCount, const char* path,
							brReport* report);
