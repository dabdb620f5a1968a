// A row per kind of joint and body: what the passes over the tree ask of it.
#ifndef TENDRIL_BODY_BODY_H
#define TENDRIL_BODY_BODY_H

/// How far a forward pass goes.
typedef enum td_level { TD_LEVEL_POSE, TD_LEVEL_TWIST, TD_LEVEL_ACCELERATION } td_level;

/// What to compute of nodes: wrench F and inertia M; M alone; all of them, with the maps B and N of derivatives.
typedef enum td_composite_level { TD_COMPOSITE_WRENCH, TD_COMPOSITE_MASS, TD_COMPOSITE_ALL } td_composite_level;

#endif
