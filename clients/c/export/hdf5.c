// HDF5: a dataset per array, of the array's own type and shape, below the root under the array's name (h5py: file["q"];
// a slash in a name makes groups). `t` is a dimension scale of the first axis of what has a row per time. Attributes
// say unit, names and units along the last axis, the link, and what it is; the root's say format and model; `summary`
// is the summary as JSON text.
#include "export/result.h"

#include "base/say.h"
#include <hdf5.h>
#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 256 << 10, COMPRESSED_FROM = 4096 };

// ------------------------------------------------------------------------------------------------ attributes

static hid_t text_type(void) {
  hid_t type = H5Tcopy(H5T_C_S1);
  bool good = type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
  if (type >= 0 && !good) H5Tclose(type);
  return good ? type : -1;
}

// One text (count 0), or a list of them.
static bool put_texts(hid_t at, const char *name, const char *const *texts, size_t count) {
  hid_t type = text_type(), space = count > 0 ? H5Screate_simple(1, (hsize_t[]){count}, NULL) : H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = attribute >= 0 && H5Awrite(attribute, type, texts) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
  return good;
}

static bool put_text(hid_t at, const char *name, const char *text) {
  return !text || !*text || put_texts(at, name, &text, 0);
}

// HDF5 keeps at most 64 KB in an attribute; a text costs 16 bytes of it.
static bool put_list(hid_t at, const char *name, const char *const *texts, size_t count) {
  enum { MOST = 4000 };
  return !texts || count == 0 || count > MOST || put_texts(at, name, texts, count);
}

static bool put_numbers(hid_t at, const char *name, const json_t *list) {
  size_t count = json_array_size(list), i;
  const json_t *entry;
  if (count == 0) return true;
  double *values = must_alloc(count * sizeof *values);
  json_array_foreach(list, i, entry) values[i] = json_number_value(entry);
  hid_t space = H5Screate_simple(1, (hsize_t[]){count}, NULL);
  hid_t attribute = H5Acreate2(at, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  bool good = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, values) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  H5Sclose(space);
  free(values);
  return good;
}

// ------------------------------------------------------------------------------------------------ datasets

static hid_t type_of(const tendril_array *a) {
  static const char *const names[] = {"<f8", "<f4", "<i4", "<i8", "|u1", "|i1", "|b1"};
  const hid_t types[] = {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I32LE, H5T_STD_I64LE,
                         H5T_STD_U8LE,   H5T_STD_I8LE,   H5T_STD_U8LE};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (strcmp(a->type, names[i]) == 0) return types[i];
  return -1;
}

// Large arrays in chunks of whole rows, shuffled and deflated.
static bool compress(hid_t plan, const tendril_array *a, const hsize_t *shape) {
  hsize_t chunk[TENDRIL_RANK], row = a->count > 0 ? a->size / a->shape[0] : 0;
  if (a->size < COMPRESSED_FROM || row == 0 || row >= UINT32_MAX) return true;
  for (int k = 0; k < a->rank; ++k) chunk[k] = shape[k];
  chunk[0] = row >= CHUNK_BYTES ? 1 : CHUNK_BYTES / row;
  if (chunk[0] > shape[0]) chunk[0] = shape[0];
  return H5Pset_chunk(plan, a->rank, chunk) >= 0 && H5Pset_shuffle(plan) >= 0 && H5Pset_deflate(plan, 4) >= 0;
}

static hid_t put_array(hid_t file, const tendril_array *a) {
  hsize_t shape[TENDRIL_RANK] = {0};
  for (int k = 0; k < a->rank; ++k) shape[k] = a->shape[k];
  hid_t type = type_of(a), plan = H5Pcreate(H5P_DATASET_CREATE), links = H5Pcreate(H5P_LINK_CREATE);
  hid_t space = a->rank > 0 ? H5Screate_simple(a->rank, shape, NULL) : H5Screate(H5S_SCALAR), set = -1;
  if (type >= 0 && H5Pset_create_intermediate_group(links, 1) >= 0 && (a->rank == 0 || compress(plan, a, shape)))
    set = H5Dcreate2(file, a->name, type, space, links, plan, H5P_DEFAULT);
  if (set >= 0 && a->count > 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, a->data) < 0) {
    H5Dclose(set);
    set = -1;
  }
  H5Sclose(space);
  H5Pclose(links);
  H5Pclose(plan);
  return set;
}

// The name of the link without "@S", and where its points are.
static bool put_link(hid_t set, const export_result *r, const export_field *f) {
  if (!*f->link) return true;
  char link[sizeof f->link];
  snprintf(link, sizeof link, "%s", f->link);
  char *at = strchr(link, '@');
  if (at) *at = '\0';
  const json_t *points = at ? NULL : json_object_get(json_object_get(r->summary, "points"), link);
  bool poses = strcmp(f->family, "poses") == 0 && f->array->rank == 4;
  return put_text(set, "link", link) && put_text(set, "abscissa", at ? at + 1 : NULL) &&
         (!poses || put_numbers(set, "abscissae", points));
}

static bool put_field(hid_t file, hid_t times, const export_result *r, const export_field *f) {
  hid_t set = put_array(file, f->array);
  if (set < 0) return false;
  bool good = put_text(set, "unit", f->unit) && put_text(set, "description", f->about) && put_link(set, r, f) &&
              put_list(set, "names", f->names, f->columns) && put_list(set, "units", f->units, f->columns);
  if (good && f->rows && times >= 0) good = H5DSattach_scale(set, times, 0) >= 0;
  H5Dclose(set);
  return good;
}

static bool put_times(hid_t file, const export_field *f, hid_t *times) {
  *times = put_array(file, f->array);
  return *times >= 0 && H5DSset_scale(*times, "t") >= 0 && put_text(*times, "unit", f->unit) &&
         put_text(*times, "description", f->about);
}

static bool put_summary(hid_t file, const export_result *r) {
  char *text = export_summary(r);
  hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), set = -1;
  if (H5Tset_size(type, strlen(text) + 1) >= 0)
    set = H5Dcreate2(file, "summary", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
  if (set >= 0) H5Dclose(set);
  H5Sclose(space);
  H5Tclose(type);
  free(text);
  return good && put_text(file, "format", "tendril.result") && put_text(file, "writer", "tendril " TENDRIL_VERSION) &&
         put_text(file, "kind", json_string_value(json_object_get(r->summary, "kind"))) &&
         put_text(file, "model", json_string_value(json_object_get(r->model, "name")));
}

static bool put_all(hid_t file, const export_result *r) {
  hid_t times = -1;
  bool good = put_summary(file, r);
  for (int i = 0; good && r->t && i < r->count; ++i)
    if (strcmp(r->fields[i].array->name, "t") == 0) good = put_times(file, &r->fields[i], &times);
  for (int i = 0; good && i < r->count; ++i)
    if (times < 0 || strcmp(r->fields[i].array->name, "t") != 0) good = put_field(file, times, r, &r->fields[i]);
  if (times >= 0) H5Dclose(times);
  return good;
}

// The innermost of what the library has to say.
static herr_t keep_reason(unsigned depth, const H5E_error2_t *entry, void *reason) {
  if (depth == 0) snprintf(reason, 200, "%s", entry->desc ? entry->desc : "");
  return 0;
}

bool export_hdf5(const export_result *r, const char *path) {
  char reason[200] = "";
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  bool good = file >= 0 && put_all(file, r);
  if (!good) H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, reason);
  if (file >= 0) good = H5Fclose(file) >= 0 && good;
  if (!good) say_error("the HDF5 file cannot be written%s%s", *reason ? ": " : "", reason);
  return good;
}
