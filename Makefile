# SPDX-License-Identifier: Apache-2.0
# A newcomer needs two commands: `make demo` and `make test`. The rest is for those who work on it.
CMAKE_CONFIGURE = cmake -C build/setup.cmake -Wno-dev --preset
JOBS := $(shell nproc 2>/dev/null || echo 2)

.PHONY: demo test bench bench-planner format setup clean

demo: setup
	$(CMAKE_CONFIGURE) release
	cmake --build --preset release
	scripts/demo.sh build/release/bin/reprise

test: setup
	scripts/python_setup.sh
	$(CMAKE_CONFIGURE) dev -C build/python.cmake
	cmake --build --preset dev
	ctest --preset dev -j $(JOBS)

bench: setup
	$(CMAKE_CONFIGURE) release -DREPRISE_DEVELOPER=ON
	cmake --build --preset release --target benches
	build/release/bin/bench/chain
	build/release/bin/bench/budget_sweep > build/sweep.csv
	build/release/bin/bench/budget_overhead 5
	python3 bench/vs_pytorch.py build/release/bin/bench
	build/release/bin/bench/planner

# Needs no libtorch.
bench-planner:
	cmake -Wno-dev --preset plan-only
	cmake --build --preset plan-only --target planner_bench
	build/plan-only/bin/bench/planner

format:
	git ls-files '*.h' '*.cpp' ':!tests/layering/slips' | xargs clang-format-14 -i

setup:
	@scripts/setup.sh

clean:
	rm -rf build
