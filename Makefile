# A thin front for meson: `make help` says what there is.

PREFIX       ?= /usr/local
DESTDIR      ?=
FUZZ_SECONDS ?= 60
DEPS         ?= yes

NEEDS = DEPS='$(DEPS)' sh scripts/deps.sh
SETUP = meson setup -Dwerror=true
BUILT = build/build.ninja

.PHONY: all run test test-gpu test-page test-clients test-packages deb dist archive arm big-endian asan lint format coverage bench fuzz mutants docs tour man wheel install uninstall clean help
.DEFAULT_GOAL := all

all: $(BUILT) ## build ./longhand
	@$(NEEDS) build
	@ninja -C build --quiet all
	@ln -sf build/longhand longhand

run: all ## show Example 1, every number of it
	@./longhand run ex1

test: $(BUILT) ## build and run every test; the exit status is the verdict
	@$(NEEDS) build test
	@sh scripts/test.sh build

test-page: all ## the living page in a browser: needs npm, and Chromium from Debian
	@$(NEEDS) page || true
	@sh scripts/test-page.sh

test-gpu: ## every operation and kernel on the GPU of this machine, against the exact evaluator
	@test -f build-gpu/build.ninja || $(SETUP) -Dcuda=enabled -Dpage=disabled build-gpu
	@ninja -C build-gpu --quiet longhand src/eval/cuda/longhand_cuda.so tests/test_gpu tests/test_gpu_ranks
	@LONGHAND_CUDA=build-gpu/src/eval/cuda/longhand_cuda.so build-gpu/tests/test_gpu
	@LONGHAND_CUDA=build-gpu/src/eval/cuda/longhand_cuda.so build-gpu/tests/test_gpu_ranks # needs NCCL

test-clients: all ## the language server and the extension of VS Code, by the libraries that VS Code uses: needs npm
	@$(NEEDS) clients
	@sh scripts/test-clients.sh

asan: ## every test with the address and undefined-behaviour sanitizers
	@$(NEEDS) build test
	@test -f build-asan/build.ninja || $(SETUP) -Db_sanitize=address,undefined -Db_lundef=false \
	    -Dc_args=-fno-sanitize-recover=all build-asan
	@sh scripts/test.sh build-asan 4

lint: $(BUILT) ## clang-format, clang-tidy, cppcheck, the public header as C++; quiet when clean
	@$(NEEDS) build lint
	@sh scripts/lint.sh build

format: ## let clang-format lay out every C file
	@$(NEEDS) lint
	@sh scripts/c-files.sh | xargs clang-format -i

coverage: ## which lines the tests reach: build-coverage/coverage.html
	@$(NEEDS) build test coverage
	@test -f build-coverage/build.ninja || $(SETUP) -Db_coverage=true --buildtype=debug -Doptimization=g \
	    -Dc_args=-fprofile-update=atomic build-coverage
	@sh scripts/test.sh build-coverage 4
	@cd build-coverage && gcovr --root .. --filter ../src/ --html-details coverage.html --print-summary .

bench: $(BUILT) ## speed, as ratios
	@$(NEEDS) build
	@ninja -C build --quiet all
	@meson test -C build --benchmark --verbose --num-processes 1

fuzz: ## libFuzzer, FUZZ_SECONDS=60 for each target
	@$(NEEDS) build fuzz
	@test -f build-fuzz/build.ninja || CC=clang $(SETUP) -Dfuzz=true -Db_lundef=false build-fuzz
	@sh scripts/fuzz.sh build-fuzz $(FUZZ_SECONDS)

mutants: $(BUILT) ## break the code on purpose: does a test notice?
	@$(NEEDS) build test
	@sh scripts/mutants.sh

docs: all tour ## docs/operations.md, docs/formulas.md and the line numbers of docs/tour.md anew
	@./longhand help operations >docs/operations.md
	@./longhand formula --list >docs/formulas.md

tour: ## the line numbers of docs/tour.md anew
	@sh scripts/tour.sh >docs/tour.new && mv docs/tour.new docs/tour.md || { rm -f docs/tour.new; exit 1; }

man: $(BUILT) ## the manual pages: build/man
	@$(NEEDS) build man
	@meson configure build -Dman=enabled
	@ninja -C build --quiet all

wheel: ## the Python module as a wheel, with the library inside, and as a source archive: python/dist
	@$(NEEDS) build python
	@sh scripts/wheel.sh

install: all ## install under PREFIX=/usr/local (and DESTDIR)
	@meson configure build -Dprefix='$(PREFIX)'
	@ninja -C build --quiet all
	@DESTDIR='$(DESTDIR)' meson install -C build --no-rebuild --quiet
	@if test -z '$(DESTDIR)' && test "$$(id -u)" = 0 && command -v ldconfig >/dev/null; then ldconfig; fi

uninstall: ## remove what the last `make install` put there
	@test -f $(BUILT) || { echo 'nothing was installed from here'; exit 1; }
	@ninja -C build --quiet uninstall

dist: ## a source archive that builds without git: build/longhand-VERSION.tar.xz
	@sh scripts/dist.sh build

archive: all ## the program with its libraries, for other Linux systems: build/longhand-VERSION-linux-PROCESSOR.tar.xz
	@sh scripts/archive.sh build

deb: ## packages for Debian, looked at by lintian: build/deb
	@$(NEEDS) deb
	@sh scripts/deb.sh build/deb

test-packages: all ## the packages, on a bare Debian of their own: installed, tried, upgraded, removed
	@$(NEEDS) build deb
	@sh scripts/test-packages.sh

arm: ## the tests on ARM64, under qemu: build-arm
	@$(NEEDS) build arm
	@sh scripts/cross.sh aarch64 build-arm

big-endian: ## the tests of files where numbers begin with their high byte, under qemu: build-s390x
	@$(NEEDS) build big-endian
	@sh scripts/cross.sh s390x build-s390x

clean: ## remove everything that was built
	@rm -rf build build-asan build-coverage build-fuzz build-arm build-s390x build-gpu longhand

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' Makefile
	@echo 'Missing packages are installed with apt-get; make DEPS=no installs nothing and says what is missing.'

# With the tests where cmocka is there: `make` alone does not install it, `make test` does, and then meson looks again.
$(BUILT):
	@case '$(MAKECMDGOALS)' in test|mutants) $(NEEDS) build test;; *) $(NEEDS) build;; esac
	@$(SETUP) build
