// SPDX-License-Identifier: MIT
#pragma once

/// `kdet --csv ...` or `kdet --plots FOLDER`, from the second word on. Returns the exit code.
int kdetTool(int wordCount, char** words);
