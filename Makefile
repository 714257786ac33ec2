# `make demo` and `make test` are all a newcomer needs; both install what is missing.

RSCRIPT = Rscript

.PHONY: help demo test check install docs paper clean
.NOTPARALLEL:

help:
	@echo "make demo     fit models of orders 1 to 4 on the data set that comes with the package"
	@echo "make test     run the tests of the C++ core and of the package"
	@echo "make check    R CMD build and R CMD check --as-cran"
	@echo "make install  build and install the package"
	@echo "make docs     write NAMESPACE, man/ and the Rcpp glue anew"
	@echo "make paper    re-make the tables and figures of the paper from the data in HOFM_DATA; hours, but it resumes"
	@echo "make clean    remove what the other targets leave here"
	@echo "Each installs the R packages that it needs and does not find."

demo: install
	@$(RSCRIPT) -e 'source(system.file("examples", "demo.R", package = "hofm"), local = new.env())'

test:
	@$(RSCRIPT) tools/install-dependencies.R test
	@$(RSCRIPT) tools/install.R
	@$(RSCRIPT) tools/run-tests.R

check:
	@$(RSCRIPT) tools/install-dependencies.R check
	@$(RSCRIPT) tools/check.R

install:
	@$(RSCRIPT) tools/install-dependencies.R run
	@$(RSCRIPT) tools/install.R

docs: install
	@$(RSCRIPT) tools/install-dependencies.R docs
	@$(RSCRIPT) tools/document.R

# Finished parts are kept in .build/paper, so that a run which was ended goes on where it was.
HOFM_DATA ?= ../shared/data
paper: install
	@HOFM_DATA='$(HOFM_DATA)' $(RSCRIPT) inst/paper/table.R
	@HOFM_DATA='$(HOFM_DATA)' $(RSCRIPT) inst/paper/solvers.R
	@HOFM_DATA='$(HOFM_DATA)' $(RSCRIPT) inst/paper/recommender.R

clean:
	rm -rf .build hofm-demo-roc.png tests/cpp/bin src/*.o src/*.so
