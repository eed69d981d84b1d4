# What R's package coin says of two groups within strata: Rscript reference-strata.R > van-elteren.json
suppressMessages(library(coin))
case <- function(name, y, x, b) {
  x <- factor(x); b <- factor(b)
  # The weights of van Elteren (1960) are those of ranks as shares of one more than the rows of the stratum.
  share <- ave(y, b, FUN = function(v) rank(v) / (length(v) + 1))
  p <- pvalue(independence_test(share ~ x | b, data = data.frame(share, x, b), teststat = "quadratic"))
  above <- sapply(levels(b), function(l) {
    one <- y[b == l & x == levels(x)[1]]; other <- y[b == l & x == levels(x)[2]]
    c(sum(sign(outer(one, other, "-"))), length(one) * length(other)) / (sum(b == l) + 1)
  })
  n <- function(v) paste0("[", paste(v, collapse = ","), "]")
  paste0('{"name":"', name, '","values":', n(y), ',"there":', n(as.integer(x == levels(x)[1])), ',"strata":', n(as.integer(b) - 1),
    ',"difference":', format(sum(above[1, ]) / sum(above[2, ]), digits = 15), ',"p":', format(p, digits = 15), '}')
}
a <- na.omit(airquality)
cat("[", paste(
  case("warpbreaks", warpbreaks$breaks, warpbreaks$wool, warpbreaks$tension),
  case("ToothGrowth", ToothGrowth$len, ToothGrowth$supp, ToothGrowth$dose),
  case("mtcars", mtcars$mpg, mtcars$am, mtcars$gear == 4),
  case("airquality", a$Ozone, a$Temp > 79, a$Month),
  sep = ",\n"), "]\n", sep = "")
