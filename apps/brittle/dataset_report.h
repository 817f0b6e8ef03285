// SPDX-License-Identifier: MIT
#pragma once

// What a finished data set says about itself: manifest.jsonl and manifest.csv with a row a sample, statistics, curves
// for tools/plot, and README.md, the card. All follow from the rows of the shards.

#include "dataset_store.h"

/// Whether all shards are there, of all parts.
bool isDatasetWhole(const Dataset* dataset);

brResult saveReport(const Dataset* dataset, brReport* report);
