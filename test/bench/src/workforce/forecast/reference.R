# What R's forecast says: reads one piece of work a line (id, period, horizon, values, with tabs between), prints one line
# for each method: id, method, seconds, points, lower and upper ends of the 95 % interval.
suppressPackageStartupMessages(library(forecast))

methods <- list(
  ets = function(y, horizon) forecast(ets(y), h = horizon, level = 95),
  thetaf = function(y, horizon) thetaf(y, h = horizon, level = 95),
  auto.arima = function(y, horizon) forecast(auto.arima(y), h = horizon, level = 95)
)
numbers <- function(values) paste(format(as.numeric(values), digits = 9, trim = TRUE), collapse = " ")

input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) > 0) {
  field <- strsplit(line, "\t")[[1]]
  y <- ts(as.numeric(strsplit(field[4], " ")[[1]]), frequency = as.integer(field[2]))
  for (method in names(methods)) {
    started <- proc.time()[["elapsed"]]
    said <- suppressWarnings(methods[[method]](y, as.integer(field[3])))
    seconds <- proc.time()[["elapsed"]] - started
    cat(field[1], method, format(seconds, digits = 3), numbers(said$mean), numbers(said$lower), numbers(said$upper), sep = "\t")
    cat("\n")
    flush(stdout())
  }
}
