# `make demo` and `make test` are all a newcomer needs; both install what is missing.

RSCRIPT = Rscript

.PHONY: help demo test one test-frameworks check sanitize valgrind fuzz interrupts install docs site spelling bench paper clean
.NOTPARALLEL:

help:
	@echo "make demo     fit models of orders 1 to 4 on the data set that comes with the package"
	@echo "make test     run the tests of the C++ core and of the package"
	@echo "make one T=cd  one file of tests of either language, tests/cpp/test-cd.cpp or tests/testthat/test-cd.R"
	@echo "make test-frameworks   the tests with parsnip, tune and mlr3, in a library of their own; compiles for ten minutes or more"
	@echo "make check    R CMD build and R CMD check --as-cran"
	@echo "make sanitize all tests under the address and undefined behaviour sanitizers; half an hour or more"
	@echo "make valgrind every model, solver, loss and shape of data under valgrind"
	@echo "make fuzz     attack the package with random calls, mutated files and killed writers"
	@echo "make install  build and install the package"
	@echo "make docs     write NAMESPACE, man/ and the Rcpp glue anew"
	@echo "make bench    time the solvers beside a textbook coordinate descent; writes a table into .build/bench"
	@echo "make site     build the web site with help pages and vignettes in .build/site, without the network"
	@echo "make spelling look for misspelt words in the documentation"
	@echo "make interrupts   how long each function takes to answer Ctrl-C; half an hour or so"
	@echo "make paper    re-make the tables and figures of the paper from the data in HOFM_DATA; hours, but it resumes"
	@echo "make clean    remove what the other targets leave here"
	@echo "Each installs the R packages that it needs and does not find."

demo: install
	@$(RSCRIPT) -e 'source(system.file("examples", "demo.R", package = "hofm"), local = new.env())'

test:
	@$(RSCRIPT) tools/install-dependencies.R test
	@$(RSCRIPT) tools/install.R
	@$(RSCRIPT) tools/run-tests.R

# Both, where both languages have a file of that name.
one:
	@test -n "$(wildcard tests/cpp/test-$(T).cpp tests/testthat/test-$(T).R)" || { echo "there is no test '$(T)'"; exit 1; }
	@if [ -f tests/cpp/test-$(T).cpp ]; then $(MAKE) -C tests/cpp bin/test-$(T) && tests/cpp/bin/test-$(T); fi
	@if [ -f tests/testthat/test-$(T).R ]; then $(MAKE) --no-print-directory install && NOT_CRAN=true $(RSCRIPT) tools/run-testthat.R /dev/null '^$(T)$$'; fi

# The frameworks want newer versions of much that Debian has, which must not get in the way of anything else.
test-frameworks: export R_LIBS := $(CURDIR)/.build/frameworks:$(R_LIBS)
test-frameworks:
	@mkdir -p .build/frameworks
	@$(RSCRIPT) tools/install-dependencies.R frameworks
	@$(RSCRIPT) tools/install.R
	@$(RSCRIPT) tools/run-tests.R frameworks

check:
	@$(RSCRIPT) tools/install-dependencies.R check
	@$(RSCRIPT) tools/check.R

# CONTRIBUTING.md says what these three print. Make hands variables that it is given, such as SEED, on to tools/fuzz.R.
sanitize:
	@$(RSCRIPT) tools/install-dependencies.R test
	@$(RSCRIPT) tools/sanitize.R $(ONLY)

valgrind: install
	@$(RSCRIPT) tools/install-dependencies.R attack
	@$(RSCRIPT) tools/valgrind.R

fuzz: install
	@$(RSCRIPT) tools/install-dependencies.R test
	@$(RSCRIPT) tools/install-dependencies.R attack
	@$(RSCRIPT) tools/fuzz.R $(PARTS)

install:
	@$(RSCRIPT) tools/install-dependencies.R run
	@$(RSCRIPT) tools/install.R

docs: install
	@$(RSCRIPT) tools/install-dependencies.R docs
	@$(RSCRIPT) tools/document.R

site: install
	@$(RSCRIPT) tools/install-dependencies.R site
	@$(RSCRIPT) tools/site.R

spelling:
	@$(RSCRIPT) tools/install-dependencies.R spelling
	@$(RSCRIPT) tools/spelling.R

interrupts: install
	@$(RSCRIPT) tools/interrupts.R

# Data and yardstick are looked for beside this folder unless the environment says where they are; see inst/bench/common.R.
bench paper: export HOFM_DATA ?= $(CURDIR)/../shared/data
bench: export HOFM_PAIRS ?= $(CURDIR)/../shared/bench
bench: export HOFM_YARDSTICK ?= $(CURDIR)/../shared/bench/yardstick.cpp
bench: export HOFM_COMMIT = $(shell git rev-parse --short HEAD 2>/dev/null)
bench: install
	@$(RSCRIPT) tools/install-dependencies.R bench
	@$(RSCRIPT) inst/bench/run.R .build/bench

# Finished parts are kept in .build/paper, so that a run which was ended goes on where it was.
paper: install
	@$(RSCRIPT) inst/paper/table.R
	@$(RSCRIPT) inst/paper/solvers.R
	@$(RSCRIPT) inst/paper/recommender.R

clean:
	rm -rf .build hofm-demo-roc.png tests/cpp/bin src/*.o src/*.so
