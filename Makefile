# SPDX-License-Identifier: Apache-2.0
# The front door: set-up, build and the usual jobs. CMake with the presets does the work.

.DELETE_ON_ERROR:
.PHONY: accuracy lt-accuracy bench consumer demo install limits load pages pages-check test trace-pictures sanitize format format-check tidy build setup sizing clean

CTEST = ctest --output-on-failure --no-tests=error -j $(shell nproc)
SOURCES = $(shell git ls-files '*.c' '*.h' '*.cpp')

demo: setup build/build.ninja
	cmake --build build --target chimera demo
	build/bin/demo

test: setup build/build.ninja
	cmake --build build
	$(CTEST) --test-dir build

# Address and undefined-behaviour sanitizers over all tests. SystemC's stacks are its own, which the
# use-after-return check does not know.
sanitize: setup build-sanitize/build.ninja
	cmake --build build-sanitize
	ASAN_OPTIONS=detect_stack_use_after_return=0 \
	LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 \
	$(CTEST) --test-dir build-sanitize

# Every reference figure with its error, into docs/validation.md; the plot if gnuplot is there.
accuracy: setup build/build.ninja
	cmake --build build --target accuracy
	mkdir -p build/accuracy
	build/bin/accuracy build/accuracy >build/accuracy/table.md
	bench/update_section docs/validation.md accuracy <build/accuracy/table.md
	if command -v gnuplot >/dev/null; then gnuplot -e "folder='build/accuracy'" bench/accuracy.gp; fi
	grep rows: build/accuracy/table.md

# What the loosely timed fabric is off by, for each kind of traffic and over its parameters, into
# docs/fidelity.md. Three minutes at most.
lt-accuracy: setup build/build.ninja
	cmake --build build --target lt_accuracy
	mkdir -p build/accuracy
	build/bin/lt_accuracy kinds >build/accuracy/kinds.md
	build/bin/lt_accuracy curve >build/accuracy/curve.md
	bench/update_section docs/fidelity.md kinds <build/accuracy/kinds.md
	bench/update_section docs/fidelity.md curve <build/accuracy/curve.md

# Every transition against what no plan can beat, into docs/limits.md: a minute. With arguments, such
# as LIMITS="--sizes 1MiB --programs tp_pp", only those rows are printed.
LIMITS ?=
limits: setup build/build.ninja
	cmake --build build --target limits
	mkdir -p build/limits
	build/bin/limits $(LIMITS) >build/limits/table.md
	if [ -z '$(LIMITS)' ]; then bench/update_section docs/limits.md limits <build/limits/table.md; \
	else cat build/limits/table.md; fi

# Load curves into docs/load.md; the plot if gnuplot is there.
load: setup build/build.ninja
	cmake --build build --target chimera
	bench/load_curves build/bin/chimera build/load
	bench/update_section docs/load.md load <build/load/tables.md
	if command -v gnuplot >/dev/null; then gnuplot -e "folder='build/load'" bench/load_curves.gp; fi

# The example of docs/sizing.md, and its picture if gnuplot is there.
sizing: setup build/build.ninja
	cmake --build build --target chimera
	mkdir -p build/sizing
	cd build/sizing && ../bin/chimera size mesh_5x5 tp_ep --set message_bytes=64KiB \
		--plot tp_ep >tp_ep.txt
	sed 's/^./    &/' build/sizing/tp_ep.txt >build/sizing/tp_ep.md
	bench/update_section docs/sizing.md sizing <build/sizing/tp_ep.md
	if [ -f build/sizing/tp_ep.svg ]; then cp build/sizing/tp_ep.svg docs/sizing.svg; fi

# Speed of kernel and fabric, and their ratios, in one run.
bench: build/build.ninja
	tools/setup libbenchmark-dev
	cmake -S . -B build
	cmake --build build --target benchmarks
	build/bin/benchmarks --benchmark_counters_tabular=true

build: setup build/build.ninja
	cmake --build build

# What the docs say of keys, from the tables that read them.
pages: build
	build/bin/chimera list reference >docs/parameters.md
	build/bin/chimera list schema >docs/platform.schema.json

pages-check: pages
	git diff --exit-code docs/parameters.md docs/platform.schema.json

# Every parser, the descriptor decoder and the C interface under libFuzzer and the sanitizers, so
# many seconds each. What it finds that is new goes to build-fuzz/corpus.
FUZZ_SECONDS ?= 60
fuzz:
	tools/setup clang
	cmake -S . -B build-fuzz -G Ninja -DCHM_FUZZ=ON -DCHM_SANITIZE=ON -DCMAKE_C_COMPILER=clang \
		-DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Release
	cmake --build build-fuzz
	tests/fuzz/run build-fuzz $(FUZZ_SECONDS)

# The pictures of docs/tracing.md.
trace-pictures: build
	tools/setup gtkwave xvfb imagemagick
	mkdir -p build/trace
	cd build/trace && ../bin/chimera run torus_4x4 tp_pp --data --vcd out.vcd --timeline out.json
	cd build/trace && ../../tools/gtkwave_png out.vcd ../../docs/gtkwave.png
	cd build/trace && ../bin/chimera run torus_4x4 tp_pp --data --vcd out.vcd --vcd-window 0:400000
	cd build/trace && ../../tools/gtkwave_png out.vcd ../../docs/gtkwave_start.png 760
	tools/timeline_svg build/trace/out.json die_0_0 router_0_0 die_3_0 >docs/timeline.svg

# Header, shared library, command, shipped files, CMake package and pkg-config file.
PREFIX ?= /usr/local
install: build
	cmake --install build --prefix $(PREFIX)

# A project that knows only the installed tree: C11, C++20, pkg-config, Python.
consumer: build
	tools/setup python3
	rm -rf build/prefix build/consumer
	cmake --install build --prefix $(CURDIR)/build/prefix >/dev/null
	tests/consumer/run build/prefix build/consumer

build/build.ninja:
	cmake --preset release

build-sanitize/build.ninja:
	cmake --preset sanitize

format:
	clang-format -i $(SOURCES)

format-check:
	tools/setup clang-format
	clang-format --version
	clang-format -n -Werror $(SOURCES)

tidy: build
	tools/setup clang-tidy
	clang-tidy -p build --quiet $(filter %.c %.cpp,$(SOURCES))

setup:
	tools/setup

clean:
	rm -rf build build-sanitize
