# The two commands a newcomer needs are `make demo` and `make test`. CMake and Ninja do the work; see CMakePresets.json.

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 60
SEED ?= 1

.PHONY: all build package demo moving-picture gallery viewer wasm playground blender test test-long bench fuzz campaign-cut campaign-run campaign-crack format tidy install clean

all: build

build:
	@tools/bootstrap build
	@cmake --preset release -Wno-dev >/dev/null
	@cmake --build --preset release

# Something worth looking at, under out/.
demo:
	@tools/bootstrap demo
	@$(MAKE) --no-print-directory build
	@tools/demo

# The moving picture of the README, docs/pictures/breaking.webp. Needs ffmpeg.
moving-picture: build
	@tools/moving_picture

# docs/gallery.md and its pictures: every scene. Needs ffmpeg.
gallery: build
	@tools/gallery && tools/overview_pictures

# The page of `brittle view`, into build/viewer.html. Node.js and npm make it.
viewer:
	@tools/bootstrap viewer
	@npm ci --prefix viewer --no-audit --no-fund --loglevel=error
	@node viewer/build.mjs build/viewer.html

# The library as WebAssembly and the npm package around it, into build-wasm/brittle.
wasm:
	@tools/bootstrap wasm
	@tools/wasm

# A folder that breaks things on any static server, into build-wasm/playground.
playground: wasm
	@npm ci --prefix viewer --no-audit --no-fund --loglevel=error
	@node viewer/build.mjs --playground build-wasm/playground build-wasm

# The add-on for Blender, into build/brittle-blender-VERSION.zip.
blender:
	@tools/make_blender

# Everything: unit, property, oracle, fault and api tests, sanitizers, fuzzers, validators, layers, format, lint.
test:
	@tools/bootstrap test
	@tools/test

# Kills, soaks, memory that fails at every place, long fuzzing, campaigns: hours. TEST_LONG=kills runs one of them.
test-long:
	@TEST_LONG=$(TEST_LONG) tools/test-long

bench:
	@tools/bootstrap bench
	@bench/peers/install
	@cmake --preset bench -Wno-dev >/dev/null
	@cmake --build --preset bench
	@build/brittle bench $(NAMES)

# Each reader for FUZZ_SECONDS; finds are kept in test/corpus by hand.
fuzz:
	@tools/bootstrap test
	@cmake --preset asan -Wno-dev >/dev/null
	@cmake --build --preset asan
	@tools/fuzz $(FUZZ_SECONDS)

# More than ten thousand random cuts, a third of them degenerate; SEED picks others.
campaign-cut: build
	@build/brittle_tests cut_campaign cut_of_a_cut --intensity 40 --timeout 3600 --seed $(SEED)

# A thousand random small scenes, two seconds each.
campaign-run: build
	@build/brittle_tests run_campaign --intensity 125 --timeout 7200 --seed $(SEED)

# Five hundred random blows with default settings, a fifth of them again with other workers.
campaign-crack: build
	@build/brittle_tests crack_campaign --intensity 170 --timeout 7200 --seed $(SEED)

format:
	@tools/bootstrap test
	@git ls-files '*.c' '*.h' | xargs clang-format -i

tidy:
	@tools/bootstrap test
	@cmake --preset asan -Wno-dev >/dev/null
	@tools/tidy

install: build
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

# .deb, .tar.gz and a bill of materials, into build-package/out; WINDOWS=1 also a .zip.
package:
	@tools/package

clean:
	@rm -rf build build-* out
