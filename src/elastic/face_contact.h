// SPDX-License-Identifier: MIT
#pragma once

// Contact of crack faces; see face_contact.c. A body has it from the first solve that asks for it until its cracks are
// set again.

#include "elastic/body.h"

/// Makes the patches of all cut tets, open, if there are none yet.
brResult brElasticBody_MakeContact(brElasticBody* body, brReport* report);
void brElasticBody_FreeContact(brElasticBody* body);

/// After a solve: closes patches that overlap, opens the others. Returns the share of the area that changed.
double brElasticBody_UpdateContact(brElasticBody* body);

/// Adds what closed patches push to y = K x.
void brElasticBody_MultiplyContact(const brElasticBody* body, const brDVec3* x, brDVec3* y);
