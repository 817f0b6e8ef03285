# The library as WebAssembly modules, without JavaScript of emscripten's: web/brittle/module.js loads them.
#
# emcmake cmake --preset wasm configures it. A module imports a clock, nothing else that does anything; files are in its
# memory (web/module/memory_files.c). Each comes twice from the same objects: for one thread, and for a memory that threads
# share (web/module/team.c).
option(BR_WASM_SIMD "Vectors of 128 bits; off: plain numbers, the same bits" ON)
# What every engine with 128-bit vectors has, and what makes code smaller.
target_compile_options(brittle_flags INTERFACE -mnontrapping-fptoint -msign-ext -mbulk-memory)
target_compile_definitions(brittle_flags INTERFACE BR_SURFACE_FILES_ONLY)
if(BR_WASM_SIMD)
	target_compile_options(brittle_flags INTERFACE -msimd128)
endif()
# Our own lanes become vectors; the compiler makes none by itself: what clang 14 makes of two doubles side by side loses terms
# of sums (web/test/package.mjs turns a cube). These must follow the last -O, which switches them on again.
set(BR_WASM_PLAIN -fno-vectorize -fno-slp-vectorize)
# A page is downloaded: finite elements are made fastest, what a break and the steps after it spend four fifths of their time in
# is made fast, what they run through besides is not made smallest, all else is. What is made small still has its vector
# arithmetic inlined: a struct that is an argument goes through memory here.
set(BR_WASM_FASTEST "elastic/")
set(BR_WASM_HOT "dynamics/(bounce[.]|finish|tops|guard|reach|blocks|broad|touch|solve)|contact/(solid_|manifold|triangle_|mesh_points|select|point_order|collide_|polytope|swept_hulls)|fracture/(contact_law|split|hit_surface|cascade|impact_pull|impact_probes|outline)|world/break_hits|mesh/(mass|hull|mesh_merge|models_statue|models_piggy|contour)|narrow/triangle_pair|index/compact_order|volume/|math/")
set(BR_WASM_FAST "dynamics/(bounce_hit|islands|meet|step|turning|carry)|contact/(mesh_|siblings)|index/(wide|pairs|curve)|base/(sort|memory|tasks|array)|fracture/(voronoi|cell_|clip_|surface_clip|caps|shatter|pieces|impact_|bond_lanes)|narrow/triangle|cut/cut_(cells|points|contacts)")
foreach(source ${BR_SOURCES})
	if(source MATCHES "${BR_WASM_FASTEST}")
		set(flags -O3)
	elseif(source MATCHES "${BR_WASM_HOT}")
		set(flags -O2)
	elseif(source MATCHES "${BR_WASM_FAST}")
		set(flags -Os -mllvm -inline-threshold=100)
	else()
		set(flags -Oz -mllvm -inline-threshold=60)
	endif()
	set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${flags};${BR_WASM_PLAIN}")
endforeach()
# Numbers that threads share need instructions of their own, in all files that see one.
file(GLOB headers src/*/*.h)
set(shared "_Atomic|atomic_flag")
foreach(header ${headers})
	file(STRINGS ${header} found REGEX "_Atomic|atomic_flag")
	if(found)
		get_filename_component(name ${header} NAME)
		string(APPEND shared "|/${name}")
	endif()
endforeach()
foreach(source ${BR_SOURCES})
	file(STRINGS ${source} found REGEX "${shared}")
	if(found)
		set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS -matomics)
	endif()
endforeach()

set(BR_WEB_COMMON web/module/handles.c web/module/memory_files.c web/module/scenes.c web/module/team.c web/module/world_file.c)
set_source_files_properties(${BR_WEB_COMMON} web/module/breaking.c web/module/meshes.c web/module/runs.c web/module/worlds.c
	web/module/without_cracks.c web/module/without_files.c PROPERTIES COMPILE_OPTIONS "-Os;${BR_WASM_PLAIN};-Wno-missing-prototypes") # JavaScript has no headers
set(BR_WEB_LINK --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB -sINITIAL_MEMORY=32MB
	-sTOTAL_STACK=4MB -sFILESYSTEM=0 -sERROR_ON_UNDEFINED_SYMBOLS=1)
function(br_add_module name)
	cmake_parse_arguments(MODULE "" LEVEL "SOURCES;WITHOUT;DEFINITIONS" ${ARGN})
	list(APPEND MODULE_WITHOUT base/tasks.c io/io.c) # compiled for each module
	list(JOIN MODULE_WITHOUT "|" without)
	foreach(threads "" -threads)
		set(target ${name}${threads})
		add_executable(${target} ${BR_WEB_COMMON} ${MODULE_SOURCES} src/base/tasks.c src/io/io.c
			$<FILTER:$<TARGET_OBJECTS:brittle_objects>,EXCLUDE,${without}>)
		target_include_directories(${target} PRIVATE include src)
		target_link_libraries(${target} PRIVATE brittle_flags)
		target_compile_definitions(${target} PRIVATE BR_BUILDING ${MODULE_DEFINITIONS})
		set_target_properties(${target} PROPERTIES SUFFIX .wasm)
		target_link_options(${target} PRIVATE -${MODULE_LEVEL} ${BR_WEB_LINK})
		if(threads)
			# Memory comes from outside, and two threads do not allocate at the same time.
			target_compile_options(${target} PRIVATE -pthread)
			target_compile_definitions(${target} PRIVATE WEB_THREADS)
			target_link_options(${target} PRIVATE -sERROR_ON_UNDEFINED_SYMBOLS=0 -sWARN_ON_UNDEFINED_SYMBOLS=0) # webWait
			target_link_options(${target} PRIVATE -Wl,--shared-memory,--import-memory,--no-check-features
				-Wl,--export=__wasm_init_tls,--export=__tls_size
				-Wl,--wrap=malloc,--wrap=free,--wrap=calloc,--wrap=realloc,--wrap=posix_memalign)
		endif()
	endforeach()
endfunction()

br_add_module(brittle LEVEL O3 SOURCES web/module/breaking.c web/module/meshes.c web/module/runs.c web/module/worlds.c)
# What the page of the playground downloads: things of its own that shatter; and in its place, once somebody drops a file, all
# that opens and mends it.
br_add_module(playground LEVEL Os SOURCES web/module/without_cracks.c web/module/without_files.c
	WITHOUT fracture/crack_breakup.c world/break_modes.c mend/mend.c cut/cut.c scene/scene_gltf.c io/scalar_map.c DEFINITIONS BR_NO_FILES_IN)
br_add_module(playground-files LEVEL Os SOURCES web/module/without_cracks.c
	WITHOUT fracture/crack_breakup.c world/break_modes.c DEFINITIONS BR_COMMON_FILES_ONLY)
