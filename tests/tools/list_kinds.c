// Prints the tables of the engine and the server whose words stand in documents as JSON: what api/write_kinds.py makes
// api/kinds.json and everything else from, and what tests/api/test_kinds.py holds them to.
#include "codec/document/job/job.h"
#include "codec/document/model/model.h"
#include "codec/document/parameters/table.h"
#include "codec/evaluate/quantity.h"
#include "codec/json/text.h"
#include "codec/wire/problem.h"
#include "service/access/auth.h"
#include "store/states.h"
#include "strain/basis.h"
#include "tendril/dynamics.h"
#include "tendril/warnings.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { MEMBERS = 32 }; // of one quantity of the model below

typedef const char *(*word_table)(int i);

#define WORDS(function, type)                                                                                          \
  static const char *word_##function(int i) { return function((type)i); }
WORDS(td_body_type_name, td_body_type)
WORDS(td_kinematics_name, td_body_kinematics)
WORDS(td_field_name, td_field)
WORDS(td_rigid_shape_name, td_rigid_shape)
WORDS(td_section_shape_name, td_section_shape)
WORDS(td_routing_type_name, td_routing_type)
WORDS(td_actuator_type_name, td_actuator_type)
WORDS(td_load_frame_name, td_load_frame)
WORDS(td_contact_type_name, td_contact_type)
WORDS(td_contact_per_name, td_contact_per)
WORDS(td_strain_component_name, int)
WORDS(td_signal_type_name, td_signal_type)
WORDS(td_method_name, td_method)
WORDS(td_formulation_name, td_formulation)
WORDS(td_controller_type_name, td_controller_type)
WORDS(td_reference_space_name, td_reference_space)
WORDS(td_interpolation_name, td_interpolation)
WORDS(td_path_event_name, td_path_event)
WORDS(td_energy_name, td_energy_kind)
WORDS(job_kind_name, job_kind)
WORDS(job_state_name, job_state)
WORDS(auth_scope_name, auth_scope)

// In the order of api/kinds.json. `first`: enumerators before it are no words of documents.
static const struct {
  const char *key;
  word_table word;
  int first, count;
} lists[] = {
    {"bodies", word_td_body_type_name, TD_BODY_NONE + 1, TD_BODY_TYPE_COUNT},
    {"kinematics", word_td_kinematics_name, 0, TD_KINEMATICS_COUNT},
    {"fields", word_td_field_name, 0, TD_FIELD_COUNT},
    {"rigid_shapes", word_td_rigid_shape_name, TD_SHAPE_NONE + 1, TD_SHAPE_COUNT},
    {"sections", word_td_section_shape_name, 0, TD_SECTION_SHAPE_COUNT},
    {"components", word_td_strain_component_name, 0, 6},
    {"routings", word_td_routing_type_name, 0, TD_ROUTING_COUNT},
    {"actuators", word_td_actuator_type_name, 0, TD_ACTUATOR_TYPE_COUNT},
    {"load_frames", word_td_load_frame_name, 0, TD_LOAD_FRAME_COUNT},
    {"contacts", word_td_contact_type_name, 0, TD_CONTACT_TYPE_COUNT},
    {"contact_per", word_td_contact_per_name, 0, TD_CONTACT_PER_COUNT},
    {"signals", word_td_signal_type_name, 0, TD_SIGNAL_TYPE_COUNT},
    {"methods", word_td_method_name, 0, TD_METHOD_COUNT},
    {"formulations", word_td_formulation_name, 0, TD_FORMULATION_COUNT},
    {"controllers", word_td_controller_type_name, 0, TD_CONTROLLER_TYPE_COUNT},
    {"reference_spaces", word_td_reference_space_name, 0, TD_SPACE_INPUT},
    {"interpolations", word_td_interpolation_name, 0, TD_INTERPOLATION_COUNT},
    {"path_events", word_td_path_event_name, 0, TD_PATH_EVENT_COUNT},
    {"energies", word_td_energy_name, 0, TD_ENERGY_KINDS},
    {"jobs", word_job_kind_name, 0, JOB_KIND_COUNT},
    {"job_states", word_job_state_name, 0, JOB_STATE_COUNT},
    {"scopes", word_auth_scope_name, AUTH_PUBLIC + 1, AUTH_SCOPE_COUNT},
};

static void add_lists(json_t *all) {
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    json_t *words = json_array();
    for (int k = lists[i].first; k < lists[i].count; k++) json_array_append_new(words, json_string(lists[i].word(k)));
    json_object_set_new(all, lists[i].key, words);
  }
}

static json_t *list_joints(void) {
  json_t *rows = json_array();
  for (int i = 0; i < TD_JOINT_TYPE_COUNT; i++)
    json_array_append_new(rows, json_pack("{s:s, s:i}", "name", td_joint_type_name((td_joint_type)i), "dof",
                                          td_joint_dof((td_joint_type)i)));
  return rows;
}

static json_t *list_bases(void) {
  json_t *rows = json_array();
  for (int i = 0; i < TD_BASIS_COUNT; i++)
    json_array_append_new(rows, json_pack("{s:s, s:b, s:i}", "name", td_basis_name((td_basis)i), "elements",
                                          td_basis_has_elements((td_basis)i), "lowest_order",
                                          td_basis_lowest_order((td_basis)i)));
  return rows;
}

static bool has(const json_t *words, const char *word) {
  size_t i;
  json_t *one;
  json_array_foreach(words, i, one) if (!strcmp(json_string_value(one), word)) return true;
  return false;
}

// Codes of problem documents; some have two statuses.
static json_t *list_problems(void) {
  json_t *codes = json_array();
  for (int i = 0; i < PROBLEM_CODE_COUNT; i++) {
    const char *code = codec_problem_row((problem_code)i)->code;
    if (!has(codes, code)) json_array_append_new(codes, json_string(code));
  }
  return codes;
}

// {"name", "rank"}: 1 is the worst.
static json_t *list_warnings(void) {
  json_t *rows = json_array();
  for (int i = 0; i < td_warning_code_count(); i++)
    json_array_append_new(rows, json_pack("{s:s, s:i}", "name", td_warning_code(i), "rank",
                                          1 + (int)td_warning_rank_of(td_warning_code(i))));
  return rows;
}

// ------------------------------------------------------------------------------------------------ quantities

static const char link_name[] = "LINK";
static const char document[] =
    "{\"format\":\"tendril.model/"
    "1\",\"name\":\"shapes\",\"links\":[{\"name\":\"LINK\",\"joint\":{\"type\":\"revolute\"},"
    "\"body\":{\"type\":\"rigid\",\"mass\":1,\"inertia\":[1,1,1]}}]}";

// {"name", "rank"} of one array, {"name", "by": "link", "rank"} of one for each link, else {"name", "members": {name:
// rank}}.
static json_t *describe_quantity(const char *name, const td_member *members, int count) {
  json_t *row = json_pack("{s:s}", "name", name), *named = json_object();
  for (int i = 0; i < count; i++) {
    bool by_link = members[i].name && !strcmp(members[i].name, link_name);
    if (by_link) json_object_set_new(row, "by", json_string("link"));
    bool one = by_link || !members[i].name;
    json_object_set_new(one ? row : named, one ? "rank" : members[i].name, json_integer(members[i].rank));
  }
  if (json_object_size(named) > 0) json_object_set(row, "members", named);
  json_decref(named);
  return row;
}

static json_t *list_quantities(const td_model *model) {
  td_member members[MEMBERS];
  json_t *rows = json_array();
  for (int q = 0; q < codec_quantity_count(); q++) {
    int count = codec_quantity_members(model, 1, q, members, MEMBERS, NULL);
    json_array_append_new(rows, describe_quantity(codec_quantity_name(q), members, count));
  }
  return rows;
}

// {"name", "affine"} of numbers that may be parameters, {"name", "refused"} of those that may not; the first row fits.
static json_t *list_parameters(const parameter_row *(*row_at)(int)) {
  json_t *rows = json_array();
  const parameter_row *row;
  for (int i = 0; (row = row_at(i)) != NULL; i++)
    json_array_append_new(rows, row->rule == RULE_REFUSED
                                    ? json_pack("{s:s, s:s}", "name", row->pattern, "refused", row->why)
                                    : json_pack("{s:s, s:b}", "name", row->pattern, "affine", row->affine));
  return rows;
}

int main(void) {
  td_error err = {.status = TD_OK};
  td_model *model = NULL;
  json_t *text = codec_parse(document, strlen(document), &err), *all = json_object();
  if (!text || codec_model_build(text, "", &model, &err) != TD_OK)
    return fprintf(stderr, "%s: %s\n", err.pointer, err.message), 1;
  json_object_set_new(all, "joints", list_joints());
  json_object_set_new(all, "bases", list_bases());
  json_object_set_new(all, "quantities", list_quantities(model));
  add_lists(all);
  json_object_set_new(all, "problems", list_problems());
  json_object_set_new(all, "parameters", list_parameters(parameter_row_at));
  json_object_set_new(all, "job_parameters", list_parameters(parameter_job_row_at));
  json_object_set_new(all, "warnings", list_warnings());
  int failed = json_dumpf(all, stdout, JSON_INDENT(1));
  td_model_destroy(model);
  json_decref(text);
  json_decref(all);
  return failed ? 1 : 0;
}
