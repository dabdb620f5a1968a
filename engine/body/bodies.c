// The table of kinds (body.h).
#include "body/body.h"

const td_body_row *const td_bodies[] = {&td_body_fixed, &td_body_screw,   &td_body_joint, &td_body_rigid,
                                        &td_body_rod,   &td_body_section, &td_body_ritz,  NULL};
