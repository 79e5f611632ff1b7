# Writes the reference files of this folder: Rscript make_reference_files.R files
# The values are repeated by hand in test_statistical_files.py. Made with haven 2.5.1 and foreign 0.8-84.
suppressMessages(library(haven))
folder <- commandArgs(trailingOnly = TRUE)[1]
at <- function(name) file.path(folder, name)
born <- as.Date(c("1990-01-02", NA, "2020-02-29", "1600-03-01", "2000-12-31"))
seen <- as.POSIXct(c("1990-01-02 10:11:12", NA, "2020-02-29 00:00:00", "2000-01-01 00:00:00",
                     "2000-12-31 23:59:59"), tz = "UTC")
spss <- tibble::tibble(
  health = labelled_spss(c(1, 2, 9, NA, 8), labels = c(good = 1, bad = 2, never = 7, unknown = 8, refused = 9),
                         na_values = c(8, 9), label = "Health now"),
  income = labelled_spss(c(10.5, -1, -50, 20, -99), labels = c(refused = -1, other = -99),
                         na_range = c(-99, -1), label = "Income"),
  code = labelled_spss(c("a", "b", "X", NA, "ü"), labels = c(Alpha = "a"), na_values = "X"),
  born = born, seen = seen, clock = hms::hms(hours = c(1, 2, NA, 3, 23), minutes = c(1, 2, NA, 3, 59))
)
write_sav(spss, at("people.sav"))
write_sav(spss, at("people.zsav"), compress = "zsav")
stata <- tibble::tibble(
  health = labelled(c(1, 2, tagged_na("a"), NA, tagged_na("z")),
                    labels = c(good = 1, bad = 2, refused = tagged_na("a"), unknown = tagged_na("b")),
                    label = "Health now"),
  income = c(10.5, tagged_na("c"), 3, 20, NA), code = c("a", "b", "ü", "", "c"),
  born = born, seen = seen, number = 1:5
)
write_dta(stata, at("people.dta"), version = 14)
foreign::write.dta(data.frame(number = 1:3, word = c("a", "b", "c")), at("old.dta"), version = 8L)
sas <- tibble::tibble(
  health = c(1, 2, tagged_na("A"), NA, tagged_na("_")), code = c("a", "b", "ü", "", "c"),
  born = born, seen = seen
)
attr(sas$health, "label") <- "Health now"
write_xpt(sas, at("people.xpt"), version = 8)
suppressWarnings(write_sas(sas, at("people.sas7bdat")))
