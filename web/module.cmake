# The library as one WebAssembly module, without JavaScript of emscripten's: web/brittle/module.js loads it.
#
# emcmake cmake --preset wasm configures it. The module imports a clock, nothing else that does anything; files are in its
# memory (web/module/memory_files.c).
option(BR_WASM_SIMD "Vectors of 128 bits; off: plain numbers, the same bits" ON)
if(BR_WASM_SIMD)
	# Our own lanes become vectors. What the compiler would vectorize by itself gives other bits with clang 14.
	target_compile_options(brittle_flags INTERFACE -msimd128 -fno-vectorize -fno-slp-vectorize)
endif()
# A page is downloaded: what a step does not run through is made small.
foreach(folder io scene live mesh mend)
	file(GLOB sources src/${folder}/*.c)
	set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -Oz)
endforeach()
foreach(folder cut volume world fracture elastic narrow)
	file(GLOB sources src/${folder}/*.c)
	set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS -Os)
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
