# Draws man/figures/roc-debian_r.png, the picture of the README: the ROC curves of the demo.
# Run from the top of the sources, with the package installed: Rscript data-raw/readme-figure.R

# The demo ends with a call of main(), which runs and draws everything; its functions are wanted without that.
demo <- new.env()
for (expression in head(parse(system.file("examples", "demo.R", package = "hofm")), -1)) eval(expression, demo)

set.seed(1)
task <- demo$make_task(hofm::debian_r)
runs <- lapply(demo$orders, demo$run_order, task = task)
dir.create("man/figures", showWarnings = FALSE)
demo$draw_curves(runs, "man/figures/roc-debian_r.png")
