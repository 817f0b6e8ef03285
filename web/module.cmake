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
# A page is downloaded: what no step and no break runs through is made small.
foreach(source ${BR_SOURCES})
	if(source MATCHES "src/(io|scene|live|mend|gpu)/")
		set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -Oz)
	else()
		set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -O3)
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
