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
	# Our own lanes become vectors. What clang 14 vectorizes by itself gives other bits.
	target_compile_options(brittle_flags INTERFACE -msimd128 -fno-vectorize -fno-slp-vectorize)
endif()
# A page is downloaded: only what a step or a break runs through for most of its time is made fast before it is made small.
# What is made small still has its vector arithmetic inlined: a struct that is an argument goes through memory here.
# Not by -O3: with it clang 14 turns a mesh into a flat one (web/test/package.mjs watches).
foreach(source ${BR_SOURCES})
	if(NOT source MATCHES "src/(contact|dynamics|index|base)/|fracture/(voronoi|cell_|clip_|surface_clip|caps|shatter|pieces|contact_law|impact_)|mesh/(models_statue|models_piggy|mass|contour)|volume/surface_|elastic/(level|block_matrix|front_factor|coarsen|elements|stiffness)|narrow/triangle|cut/cut_(cells|points|contacts)|math/")
		set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-Oz;-mllvm;-inline-threshold=60")
	endif()
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
set_source_files_properties(${BR_WEB_COMMON} web/module/breaking.c web/module/meshes.c web/module/worlds.c
	web/module/without_cracks.c PROPERTIES COMPILE_OPTIONS "-Os;-Wno-missing-prototypes") # JavaScript has no headers
set(BR_WEB_LINK -O3 --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB -sINITIAL_MEMORY=32MB
	-sTOTAL_STACK=4MB -sFILESYSTEM=0 -sERROR_ON_UNDEFINED_SYMBOLS=1)
function(br_add_module name)
	cmake_parse_arguments(MODULE "" "" "SOURCES;WITHOUT;DEFINITIONS" ${ARGN})
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
		target_link_options(${target} PRIVATE ${BR_WEB_LINK})
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

br_add_module(brittle SOURCES web/module/breaking.c web/module/meshes.c web/module/worlds.c)
# What the page of the playground downloads: scenes that shatter, and files that people drop.
br_add_module(playground SOURCES web/module/without_cracks.c WITHOUT fracture/crack_breakup.c DEFINITIONS BR_COMMON_FILES_ONLY)
