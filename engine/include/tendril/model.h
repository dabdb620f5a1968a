// A frozen robot. Built once from a spec, then immutable and shared by any number of threads; everything an algorithm
// writes lives in a td_workspace, one per thread.
#ifndef TENDRIL_MODEL_H
#define TENDRIL_MODEL_H

#include "tendril/spec.h"
#include "tendril/warnings.h"

typedef struct td_model td_model;
typedef struct td_workspace td_workspace;

/// Checks a spec and freezes it.
/// @param spec   borrowed until return
/// @param model  out; owned by the caller, td_model_destroy
/// @return TD_OK, TD_INVALID_ARGUMENT or TD_UNSUPPORTED with the JSON pointer in `err`, TD_NO_MEMORY
TD_API TD_NODISCARD td_status td_model_create(const td_model_spec *spec, td_model **model, td_error *err);

/// Asked before each piece of memory that a model will keep, and once for the workspace that its checks use; false: it
/// may not have it. What was taken for a model that then fails is for the caller to give back.
typedef struct td_memory {
  bool (*take)(void *context, size_t bytes);
  void *context;
} td_memory;
/// td_model_create within limits of the caller's. TD_NO_MEMORY also when `memory` (may be NULL) refuses.
TD_API TD_NODISCARD td_status td_model_create_within(const td_model_spec *spec, const td_memory *memory,
                                                     td_model **model, td_error *err);
/// @param model  may be NULL; no workspace of it may be left
TD_API void td_model_destroy(td_model *model);
/// Bytes that a workspace of this model takes.
TD_API size_t td_workspace_bytes(const td_model *model);
/// What is odd in the document of this model though it can be computed; the model's memory. Pointers as
/// td_model_create's.
TD_API const td_warnings *td_model_warnings(const td_model *model);

/// Scratch for one thread. Its size depends on the model only. Must not outlive the model.
/// @param ws  out; owned by the caller, td_workspace_destroy
/// @return TD_OK or TD_NO_MEMORY
TD_API TD_NODISCARD td_status td_workspace_create(const td_model *model, td_workspace **ws);
TD_API void td_workspace_destroy(td_workspace *ws);
/// td_evaluate with this workspace ends early with TD_CANCELLED, and what it wrote means nothing, when *stop is set
/// meanwhile. NULL: never.
TD_API void td_workspace_watch(td_workspace *ws, const _Atomic bool *stop);

/// n, the length of q, qd and qdd.
TD_API int td_model_ndof(const td_model *model);
/// m, the length of u: channels of actuators in document order, then of loads, of springs and of the flow.
TD_API int td_model_channel_count(const td_model *model);
/// The first so many channels of u are actuators'.
TD_API int td_model_actuator_channel_count(const td_model *model);
/// "arm.bending_y[2]", "elbow.joint[0]"; i in [0, ndof).
TD_API const char *td_model_coordinate_name(const td_model *model, int i);
/// "cable1", "base[0]" (actuators with several coordinates), then the names of load and spring channels.
TD_API const char *td_model_channel_name(const td_model *model, int i);
/// True for a tendon's channel.
TD_API bool td_model_channel_is_tendon(const td_model *model, int i);
/// True for a tendon's channel whose input is its tension: negative inputs are refused by jobs.
TD_API bool td_model_channel_is_tension(const td_model *model, int i);
/// True for a spring's channel: its input is added to the spring's rest, m.
TD_API bool td_model_channel_is_rest(const td_model *model, int i);
/// True for a component of the fluid's velocity.
TD_API bool td_model_channel_is_flow(const td_model *model, int i);
/// Tendons of all rods, in document order; their lengths and tensions come in this order.
TD_API int td_model_tendon_count(const td_model *model);
/// "cable1"; tendon in [0, td_model_tendon_count).
TD_API const char *td_model_tendon_name(const td_model *model, int tendon);

/// Rows of all loops together: length of loop_error and of the first part of lambda.
TD_API int td_model_loop_row_count(const td_model *model);
/// Loops of the document, in its order.
TD_API int td_model_loop_count(const td_model *model);
/// The loop's name, "loop 0" … when the document gave none; its rows are [*first, *first + *rows).
TD_API const char *td_model_loop_name(const td_model *model, int loop, int *first, int *rows);
/// Coordinates driven by joint actuators of mode position, in channel order: the second part of lambda.
TD_API int td_model_prescribed_count(const td_model *model);
/// The coordinate (and, when not NULL, the channel of u) of prescribed coordinate i.
TD_API int td_model_prescribed_coordinate(const td_model *model, int i, int *channel);

/// Chambers of all reduced bodies, in link order.
TD_API int td_model_chamber_count(const td_model *model);

/// Links of the document, in its order.
TD_API int td_model_link_count(const td_model *model);
/// "arm"; link in [0, td_model_link_count).
TD_API const char *td_model_link_name(const td_model *model, int link);
/// Index of a link, -1 when there is none of that name.
TD_API int td_model_link_find(const td_model *model, const char *name);
/// What kind of body a link carries.
TD_API td_body_type td_model_link_body(const td_model *model, int link);
/// Computational points of a link: rods base, Gauss points, tip; rigid and bodiless links one (the frame after the
/// joint).
TD_API int td_model_link_point_count(const td_model *model, int link);
/// Material abscissa X/L of point k of a rod, 0 for other links.
TD_API double td_model_link_abscissa(const td_model *model, int link, int k);
/// Rings of TD_SURFACE_AROUND material points around the outside of a reduced body, base to tip: one at each of its
/// computational points; 9 evenly along a Ritz body's box. Other links and meshes have none: 0.
enum { TD_SURFACE_AROUND = 24 };
TD_API int td_model_surface_count(const td_model *model, int link);
/// Points of the surface: those of the rings, or of a Ritz body's mesh all its points in the order of the document. 0:
/// no surface.
TD_API int td_model_surface_points(const td_model *model, int link);
/// Size of a rod's section along y and z at X/L = s, metres, for pictures (a section of stiffness without radius: 2 %
/// of the length).
TD_API void td_model_section_extent(const td_model *model, int link, double s, double extent[2]);

#endif
