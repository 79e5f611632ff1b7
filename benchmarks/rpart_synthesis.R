# Syntheses by rpart, grown as synthpop grows its trees, to compare with `cart`: see docs/synthesis.md.
#
#   Rscript benchmarks/rpart_synthesis.R survey.csv folder 5 sex,age,region,income age,income
#
# writes folder/1.csv ... folder/5.csv; the fourth argument has the variables in the order they are drawn,
# the fifth those that are numbers. Five donors in a leaf, splits from fifteen on, complexity 1e-8; a missing
# category is a level; whether a number is missing is drawn before the number, and as a predictor it is 0
# beside an indicator.
library(rpart)

given <- commandArgs(trailingOnly = TRUE)
folder <- given[2]
seeds <- as.integer(given[3])
columns <- strsplit(given[4], ",")[[1]]
numbers <- strsplit(given[5], ",")[[1]]
grown <- rpart.control(minsplit = 15, minbucket = 5, cp = 1e-8, xval = 0, maxsurrogate = 0, maxcompete = 0)

read <- function(path) {
  held <- read.csv(path, colClasses = "character", check.names = FALSE, na.strings = c("", "NA"))[columns]
  for (name in columns) {
    held[[name]] <- if (name %in% numbers) {
      as.numeric(held[[name]])
    } else {
      levelled <- ifelse(is.na(held[[name]]), "(missing)", held[[name]])
      factor(levelled, levels = sort(unique(levelled), method = "radix"))
    }
  }
  held
}

# The leaf of each new record, as its row in the tree's frame: what a tree predicts is put in place of it.
leaves <- function(tree, new) {
  tree$frame$yval <- seq_len(nrow(tree$frame))
  predict(tree, new, type = "vector")
}

# The records below each node, also of nodes that are no leaves: a record with a level that a node never
# saw ends there.
below <- function(tree) {
  node <- as.numeric(row.names(tree$frame))
  at <- node[tree$where]
  found <- vector("list", length(node))
  while (any(at >= 1)) {
    for (place in intersect(node, at)) {
      row <- match(place, node)
      found[[row]] <- c(found[[row]], which(at == place))
    }
    at <- at %/% 2
  }
  found
}

drawn <- function(y, seen, new) {
  if (ncol(seen) == 0) return(sample(y, nrow(new), replace = TRUE))
  if (length(unique(y)) == 1) return(rep(y[1], nrow(new)))
  kind <- if (is.factor(y)) "class" else "anova"
  tree <- rpart(y ~ ., data = cbind(y = y, seen), method = kind, control = grown)
  place <- leaves(tree, new)
  donors <- below(tree)
  chosen <- integer(nrow(new))
  for (leaf in unique(place)) {
    rows <- which(place == leaf)
    from <- donors[[leaf]]
    chosen[rows] <- from[sample.int(length(from), length(rows), replace = TRUE)]
  }
  y[chosen]
}

synthesised <- function(table) {
  n <- nrow(table)
  seen <- data.frame(row.names = seq_len(n))
  new <- data.frame(row.names = seq_len(n))
  made <- table
  for (name in columns) {
    y <- table[[name]]
    place <- paste0("x", length(seen))
    missing <- is.na(y)
    if (any(missing)) {
      gone <- factor(missing)
      shown <- drawn(gone, seen, new)
      values <- rep(0, n)
      held <- which(shown == "FALSE")
      values[held] <- drawn(y[!missing], seen[!missing, , drop = FALSE], new[held, , drop = FALSE])
      made[[name]] <- ifelse(shown == "TRUE", NA, values)
      seen[[paste0(place, "gone")]] <- gone
      new[[paste0(place, "gone")]] <- shown
      seen[[place]] <- ifelse(missing, 0, y)
      new[[place]] <- values
    } else {
      made[[name]] <- drawn(y, seen, new)
      seen[[place]] <- y
      new[[place]] <- made[[name]]
    }
  }
  made
}

table <- read(given[1])
dir.create(folder, showWarnings = FALSE, recursive = TRUE)
for (seed in seq_len(seeds)) {
  set.seed(seed)
  made <- synthesised(table)
  for (name in setdiff(columns, numbers)) {
    told <- as.character(made[[name]])
    made[[name]] <- ifelse(told == "(missing)", NA, told)
  }
  write.csv(made, file.path(folder, paste0(seed, ".csv")), row.names = FALSE, na = "", quote = TRUE)
}
