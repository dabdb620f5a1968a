// tendril import: a robot of another format, or a model and another one that is attached to it, as one model document.
#include "base/files.h"
#include "base/say.h"
#include "commands/command.h"
#include "commands/models/counted.h"
#include "commands/models/import_told.h"
#include "commands/models/meshes.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ request

// A model document begins with a brace. Descriptions go as they are, with the meshes that they name.
static const char *format_of(const char *text) {
  if (strncmp(text, "#usda", 5) == 0) return "usd";
  if (text[strspn(text, " \t\r\n")] == '{') return "model";
  return strstr(text, "<mujoco") && !strstr(text, "<robot") ? "mjcf" : "urdf";
}

static bool add_robot(json_t *request, const char *path) {
  size_t size;
  char *bytes = file_read(path, &size);
  if (!bytes) return false;
  if ((size >= 8 && memcmp(bytes, "PXR-USDC", 8) == 0) || (size >= 4 && memcmp(bytes, "PK\3\4", 4) == 0)) {
    say_error("%s is binary USD (.usdc, .usdz); write it as text: usdcat --flatten -o scene.usda", path);
    free(bytes);
    return false;
  }
  const char *format = format_of(bytes);
  bool document = strcmp(format, "model") == 0;
  json_t *value = document ? json_from_bytes(path, bytes, size) : json_stringn(bytes, size);
  if (!value && !document)
    say_error("%s is not UTF-8; an XML file of another encoding has to be converted first", path);
  bool good =
      value && json_object_set_new(request, format, value) == 0 && (document || meshes_add(request, path, bytes));
  free(bytes);
  return good;
}

// One --attach with the words that are said of it.
enum { FILE_OF, AT, PREFIX, XYZ, RPY, HANGING_WORDS };
static const char *const hanging_words[HANGING_WORDS] = {"attach", "at", "prefix", "xyz", "rpy"};

typedef struct hanging {
  const char *word[HANGING_WORDS];
} hanging;

// "0 0 0.1" of --xyz and --rpy.
static bool add_numbers(json_t *pose, const char *text, const char *option, const char *key) {
  double x[3];
  int used = 0;
  if (!text) return true;
  if (sscanf(text, "%lf %lf %lf %n", &x[0], &x[1], &x[2], &used) != 3 || text[used]) {
    say_error("--%s takes three numbers in quotes, \"0 0 0.1\", not '%s'", option, text);
    return false;
  }
  return json_object_set_new(pose, key, json_pack("[fff]", x[0], x[1], x[2])) == 0;
}

static bool add_pose(json_t *one, const hanging *h) {
  if (!h->word[XYZ] && !h->word[RPY]) return true;
  json_t *pose = json_object();
  bool good = add_numbers(pose, h->word[XYZ], "xyz", "translation") && add_numbers(pose, h->word[RPY], "rpy", "rpy");
  return json_object_set_new(one, "pose", pose) == 0 && good;
}

static bool add_attachment(json_t *list, const hanging *h) {
  const char *path = h->word[FILE_OF];
  if (!path || !h->word[AT]) return say_error("--attach FILE goes with --at LINK"), false;
  json_t *one = json_object();
  bool good = add_robot(one, path);
  if (good && !json_object_get(one, "model")) {
    say_error("%s is no model document; import it alone first, then attach the document", path);
    good = false;
  }
  good = good && json_object_set_new(one, "parent", json_string(h->word[AT])) == 0 &&
         (!h->word[PREFIX] || !*h->word[PREFIX] ||
          json_object_set_new(one, "prefix", json_string(h->word[PREFIX])) == 0) &&
         add_pose(one, h);
  return json_array_append_new(list, one) == 0 && good;
}

static int hanging_word(const char *name) {
  for (int w = 0; w < HANGING_WORDS; ++w)
    if (strcmp(hanging_words[w], name) == 0) return w;
  return -1;
}

// What is said between one --attach and the next is said of the first of them; of one alone it may stand before, too.
static bool add_attachments(json_t *request, const options *o) {
  bool several = options_nth(o, "attach", 1) != NULL, good = true, any = false;
  hanging h = {{NULL}};
  json_t *list = json_array();
  for (int i = 0; good && i < o->given_count; ++i) {
    const char *name = o->rows[o->given[i].row].name;
    int w = hanging_word(name);
    if (w < 0) continue;
    if (several && w == FILE_OF && h.word[FILE_OF]) {
      good = add_attachment(list, &h);
      h = (hanging){{NULL}};
    }
    if (several && w != FILE_OF && !h.word[FILE_OF])
      good = (say_error("with several --attach, --%s comes after the one that it is said of", name), false);
    else if (h.word[w])
      good = (say_error("--%s is given twice: '%s' and '%s'", name, h.word[w], o->given[i].value), false);
    h.word[w] = o->given[i].value;
    any = true;
  }
  if (good && any) good = add_attachment(list, &h);
  bool full = json_array_size(list) > 0;
  if (full) return json_object_set_new(request, "attach", list) == 0 && good;
  json_decref(list);
  return good;
}

static bool add_words(json_t *request, const options *o) {
  static const char *const words[] = {"base", "actuators", "inertia", "stops", "view", "name"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
    const char *value = options_get(o, words[i]);
    if (value && json_object_set_new(request, words[i], json_string(value))) return false;
  }
  return !options_get(o, "ground") || json_object_set_new(request, "ground", json_true()) == 0;
}

// What is made of several robots has the name that it is stored under, or that of its file NAME.model.json.
static bool add_name(json_t *request, const options *o) {
  const char *name = options_get(o, "put"), *output = options_get(o, "output");
  bool own = json_object_get(request, "name") || !json_object_get(request, "attach");
  if (own || (!name && (!output || !file_has_extension(output, ".model.json")))) return true;
  char *stem = name ? must_copy(name) : file_stem(output, "");
  bool good = json_object_set_new(request, "name", json_string(stem)) == 0;
  free(stem);
  return good;
}

// The text of the request; NULL after a line that says why.
static char *request_text(const options *o) {
  json_t *request = json_object();
  bool good = add_robot(request, o->positional[0]) && add_words(request, o) && add_attachments(request, o) &&
              add_name(request, o);
  char *text = good ? json_dumps(request, JSON_COMPACT) : NULL;
  json_decref(request);
  return text;
}

// ------------------------------------------------------------------------------------------------ answer

static int put(session *s, const char *name, const char *document, size_t size) {
  tendril_model model;
  tendril_error err;
  if (!name_check("a model's name", name)) return EXIT_USAGE;
  if (tendril_model_put(s->client, name, document, size, &model, &err) != TENDRIL_OK) return report(&err);
  if (s->json) return EXIT_OK;
  printf("%s revision %d: ", model.name, model.revision);
  print_counted(s, &model);
  return EXIT_OK;
}

static int write_document(session *s, const options *o, const tendril_model *model) {
  const char *path = o->positional[0], *given = options_get(o, "output"), *name = options_get(o, "put");
  tendril_text text = tendril_reply_member(s->client, "document");
  if (!text.at) return say_error("the server's reply holds no document"), EXIT_FAILED;
  bool ended = file_has_extension(path, ".urdf") || file_has_extension(path, ".xml") ||
               file_has_extension(path, ".usda") || file_has_extension(path, ".usd");
  char *stem = ended ? must_format("%.*s", (int)(strrchr(path, '.') - path), path) : must_copy(path);
  char *output = given ? must_copy(given) : name ? NULL : file_stem(stem, ".model.json");
  char *document = must_format("%.*s\n", (int)text.size, text.at);
  int result = EXIT_OK;
  if (output && !given && strcmp(output, path) == 0)
    say_error("say with -o where to write it, so that %s stays as it is", path), result = EXIT_USAGE;
  else if (output)
    result = file_write(output, document, strlen(document));
  if (output && result == EXIT_OK && strcmp(output, "-") != 0 && !s->json)
    printf("%s: ", output), print_counted(s, model);
  if (result == EXIT_OK && name) result = put(s, name, document, strlen(document));
  free(document);
  free(output);
  free(stem);
  return result;
}

static int answer(session *s, const options *o, const tendril_model *model) {
  tendril_text reply = tendril_reply(s->client);
  json_t *json = json_loadb(reply.at, reply.size, 0, NULL);
  import_say_remarks(o->positional[0], json_object_get(json, "remarks"));
  json_decref(json);
  say_warnings(model->warning_count, model->warning);
  if (s->json) print_reply(s);
  return write_document(s, o, model);
}

static int run(session *s, const options *o) {
  tendril_model model;
  tendril_error err;
  char *request = request_text(o);
  if (!request) return EXIT_USAGE;
  tendril_status status = tendril_model_import(s->client, request, strlen(request), &model, &err);
  free(request);
  if (status == TENDRIL_OK) return answer(s, o, &model);
  return s->json ? report(&err) : import_report(&err, o); // scripts read code and pointer
}

const command command_import = {
    .name = "import",
    .arguments = "ROBOT|MODEL.json",
    .summary = "make a model document from a URDF, MJCF or USD, or attach a model to another",
    .help =
        "ROBOT is a file .urdf, .xml (MJCF) or .usda (USD as text, of which the rods are read). It writes "
        "NAME.model.json.\n"
        "What of the description finds no place in a model is said on standard error, each with its line. Inputs are\n"
        "called as the joints: their torques (--actuators position: their motions). xacro has to be run first.\n"
        "With --attach a second model hangs at link LINK of the first, a description or a model document;\n"
        "its names get the prefix. What is made so is called as --name, --put or the file of -o (NAME.model.json) "
        "says.\n" OUTPUT_HELP "\n"
        "  tendril import arm.urdf\n"
        "  tendril import arm.urdf --attach finger.model.json --at tool0 --prefix finger_ -o hand.model.json\n"
        "  tendril import arm.urdf --attach finger.model.json --at tool0 --prefix finger_ \\\n"
        "      --attach finger.model.json --at tool0 --prefix thumb_ --xyz \"0 0.05 0\" --put hand",
    .least = 1,
    .most = 1,
    .options = {{"output", 'o', "FILE", "write there"},
                {"put", 0, "NAME", "store it on the server; without -o no file is written"},
                {"attach", 0, "FILE", "a model document that hangs at the robot"},
                {"at", 0, "LINK", "where: a link of the robot"},
                {"prefix", 0, "TEXT", "put before all names of what is attached"},
                {"xyz", 0, "\"X Y Z\"", "where in the link's frame, m"},
                {"rpy", 0, "\"R P Y\"", "and how it is turned, rad"},
                {"name", 0, "NAME", "name of the robot instead of its own"},
                {"base", 0, "fixed|free", "how the root hangs at the world (default: fixed)"},
                {"actuators", 0, "force|position|none", "the inputs of the joints (default: force)"},
                {"inertia", 0, "nearest", "inertias that no body has are mended, and told"},
                {"stops", 0, "soft|none", "limits as soft stops (default), or left out"},
                {"ground", 0, NULL, "a floor at z = 0, which all touch that can"},
                {"view", 0, "keep|none",
                 "what is drawn of the links: visuals and meshes (default), or their inertias"}},
    .run = run};
