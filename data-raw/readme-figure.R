# Draws man/figures/roc-debian_r.png, the picture of the README: the ROC curves of the demo, with the package's own plot.
# Run from the top of the sources, with the package installed: Rscript data-raw/readme-figure.R

# The demo ends with a call of main(), which runs and draws everything; its functions are wanted without that.
demo <- new.env()
for (expression in head(parse(system.file("examples", "demo.R", package = "hofm")), -1)) eval(expression, demo)

set.seed(1)
task <- demo$make_task(hofm::debian_r)
runs <- lapply(demo$orders, demo$run_order, task = task)
curves <- lapply(runs, `[[`, "curve")
names(curves) <- paste("order", demo$orders)

dir.create("man/figures", showWarnings = FALSE)
png("man/figures/roc-debian_r.png", width = 1200, height = 1200, res = 200)
par(mar = c(4, 4, 1, 1))
plot(do.call(c, curves))
invisible(dev.off())
