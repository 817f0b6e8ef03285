# macOS on ARM64 (or -DBR_MAC_CPU=x86_64) by the clang, the linker and the copy of Apple's public headers that tools/bootstrap
# puts into build-zig. Nothing here runs such programs.
set(CMAKE_SYSTEM_NAME Darwin)
if(NOT BR_MAC_CPU)
	set(BR_MAC_CPU aarch64)
endif()
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BR_MAC_CPU)
set(CMAKE_SYSTEM_PROCESSOR ${BR_MAC_CPU})
get_filename_component(tools ${CMAKE_CURRENT_LIST_DIR}/../../build-zig ABSOLUTE)
set(CMAKE_C_COMPILER ${tools}/cc-${BR_MAC_CPU})
set(CMAKE_AR ${tools}/ar CACHE FILEPATH "")
set(CMAKE_RANLIB ${tools}/ranlib CACHE FILEPATH "")
set(CMAKE_INSTALL_NAME_TOOL /bin/true CACHE FILEPATH "") # nothing is installed
set(CMAKE_FIND_ROOT_PATH ${tools}/none)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
