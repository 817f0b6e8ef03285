# The library as one WebAssembly module, without JavaScript of emscripten's: web/brittle/module.js loads it.
#
# emcmake cmake --preset wasm configures it. The module imports a clock, nothing else that does anything; files are in its
# memory (web/module/memory_files.c).
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

file(GLOB BR_WEB_SOURCES CONFIGURE_DEPENDS web/module/*.c)
add_executable(brittle_wasm ${BR_WEB_SOURCES} $<TARGET_OBJECTS:brittle_objects>)
set_source_files_properties(${BR_WEB_SOURCES} PROPERTIES COMPILE_OPTIONS "-Os;-Wno-missing-prototypes") # JavaScript has no headers
target_include_directories(brittle_wasm PRIVATE include)
target_link_libraries(brittle_wasm PRIVATE brittle_flags)
set_target_properties(brittle_wasm PROPERTIES OUTPUT_NAME brittle SUFFIX .wasm)
target_link_options(brittle_wasm PRIVATE
	-O3 --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=2GB -sINITIAL_MEMORY=32MB -sTOTAL_STACK=4MB
	-sFILESYSTEM=0 -sERROR_ON_UNDEFINED_SYMBOLS=1)
