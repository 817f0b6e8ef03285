// SPDX-License-Identifier: MIT
#pragma once

/// `brittle-bench fronts --plots FOLDER`: the curves of Wang et al. 2018, figures 5 to 8, as PNG.
int frontsTool(int wordCount, char** words);
