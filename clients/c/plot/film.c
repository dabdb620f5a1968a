// Every frame is the whole picture with one instant of the robot. Raw pixels go through a pipe to ffmpeg, which every
// system has a package of; it writes to the descriptor that output_file.h opened, so that half a film never has a name.
#include "plot/film.h"

#include "base/files.h"
#include "base/interrupt.h"
#include "base/options.h"
#include "base/say.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { RATE = 25, FRAMES_MOST = 20000, OUT = 3, ARGUMENTS = 40 };
static const double SHORTEST = 4, LONGEST = 20;       // s, where nobody says how long
static const double FIRST_TOLD = 1, RAREST_TOLD = 10; // s between words on how far it is

// Players know H.264 of even sizes and half the colours. A palette of its own for each frame needs one frame of memory.
static const struct {
  const char *name, *options[6];
} formats[] = {
    {"mp4", {"-pix_fmt", "yuv420p", "-movflags", "+faststart"}},
    {"gif", {"-filter_complex", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1"}},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const char *film_format_named(const char *name) {
  for (int i = 0; i < FORMATS; ++i)
    if (strcasecmp(name, formats[i].name) == 0) return formats[i].name;
  return NULL;
}

// ------------------------------------------------------------------------------------------------ ffmpeg

typedef struct encoder {
  pid_t pid;
  int pixels; ///< to write them to
  output_file file;
} encoder;

static void list_arguments(const film_style *film, const char *size, const char *rate, const char *list[ARGUMENTS]) {
  static const char *const before[] = {"ffmpeg", "-hide_banner", "-loglevel",     "error", "-y",
                                       "-f",     "rawvideo",     "-pixel_format", "bgr0"};
  static const char *const after[] = {"-fflags", "+bitexact", "-flags", "+bitexact", "-f"};
  int n = 0;
  for (size_t i = 0; i < sizeof before / sizeof *before; ++i) list[n++] = before[i];
  list[n++] = "-video_size", list[n++] = size, list[n++] = "-framerate", list[n++] = rate, list[n++] = "-i",
  list[n++] = "-";
  for (int f = 0; f < FORMATS; ++f)
    for (int i = 0; formats[f].name == film->format && i < 6 && formats[f].options[i]; ++i)
      list[n++] = formats[f].options[i];
  for (size_t i = 0; i < sizeof after / sizeof *after; ++i) list[n++] = after[i];
  list[n++] = film->format, list[n++] = "/proc/self/fd/3", list[n] = NULL;
}

// False after a line. The descriptors that ffmpeg gets are its 0 and 3.
static bool encoder_start(encoder *e, const film_style *film, long width, long height) {
  char size[48], rate[24];
  const char *list[ARGUMENTS];
  int pipe_of[2];
  snprintf(size, sizeof size, "%ldx%ld", width, height);
  snprintf(rate, sizeof rate, "%ld", film->rate);
  list_arguments(film, size, rate, list);
  if (pipe2(pipe_of, O_CLOEXEC)) return say_error("no pipe to ffmpeg: %s", strerror(errno)), false;
  int out = fcntl(e->file.fd, F_DUPFD_CLOEXEC, OUT + 1); // another number than 3, so that dup2 clears close-on-exec
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_of[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out, OUT);
  int wrong = posix_spawnp(&e->pid, list[0], &actions, NULL, (char **)list, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(out);
  close(pipe_of[0]);
  e->pixels = pipe_of[1];
  if (!wrong) return true;
  close(e->pixels);
  if (wrong == ENOENT)
    say_error("films are made by ffmpeg, which is not on this machine (Debian: apt-get install ffmpeg). Without it: "
              "tendril replay RESULT.npz -o FILE.html");
  else
    say_error("ffmpeg cannot be started: %s", strerror(wrong));
  return false;
}

static bool encoder_write(const encoder *e, const unsigned char *bytes, size_t size) {
  while (size > 0) {
    ssize_t n = write(e->pixels, bytes, size);
    if (n < 0 && errno == EINTR && !interrupted(NULL)) continue;
    if (n <= 0) return false;
    bytes += n, size -= (size_t)n;
  }
  return true;
}

// Whether the film is whole.
static bool encoder_end(encoder *e) {
  int status = 0;
  close(e->pixels);
  while (waitpid(e->pid, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// ------------------------------------------------------------------------------------------------ frames

typedef struct reel {
  figure figure;
  double now; ///< where the line is in all curves
  long width, height, frames;
} reel;

static size_t sample_at(const recording *r, double x) {
  size_t low = 0, high = r->samples - 1;
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    *(r->x[middle] <= x ? &low : &high) = middle;
  }
  return x - r->x[low] < r->x[high] - x ? low : high;
}

static void draw_frame(reel *film, cairo_surface_t *surface, long k) {
  const recording *r = film->figure.r;
  double first = r->x[0], last = r->x[r->samples - 1];
  shapes_style *shapes = &film->figure.style.shapes;
  film->now = r->x[sample_at(r, first + (last - first) * (double)k / (double)(film->frames - 1))];
  shapes->times[0] = film->now;
  cairo_t *c = cairo_create(surface);
  figure_draw(&film->figure, c);
  cairo_destroy(c);
  cairo_surface_flush(surface);
}

typedef struct telling {   // how far it is: on a terminal in one line, else in lines that get rarer
  double begin, next, gap; ///< s
} telling;

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static telling begin_telling(void) {
  double now = seconds_now();
  return (telling){.begin = now, .next = now + FIRST_TOLD, .gap = FIRST_TOLD};
}

static void tell_progress(telling *told, long k, long frames) {
  bool terminal = isatty(STDERR_FILENO);
  double now = seconds_now(), left = (now - told->begin) * (double)(frames - k) / (double)k;
  if (k == frames && terminal && told->gap > FIRST_TOLD) fprintf(stderr, "\r\033[K");
  if (k == frames || now < told->next) return;
  told->gap = terminal ? 2 * FIRST_TOLD : fmin(2 * told->gap, RAREST_TOLD);
  told->next = now + (terminal ? 0.1 : told->gap);
  fprintf(stderr, "%sframe %ld of %ld, %.0f s left%s", terminal ? "\r" : "", k, frames, left,
          terminal ? "\033[K" : "\n");
}

// All frames into the pipe: false where ffmpeg takes no more, memory is gone or somebody interrupts.
static bool draw_frames(reel *film, const encoder *e) {
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)film->width, (int)film->height);
  size_t size = 4 * (size_t)film->width * (size_t)film->height; // rows of 4 bytes a pixel are never padded
  bool good = cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS;
  telling told = begin_telling();
  for (long k = 0; good && k < film->frames; ++k) {
    draw_frame(film, surface, k);
    good = encoder_write(e, cairo_image_surface_get_data(surface), size) && !interrupted(NULL);
    tell_progress(&told, k + 1, film->frames);
  }
  cairo_surface_destroy(surface);
  return good;
}

// ------------------------------------------------------------------------------------------------ the film

// Times that rise, and more than one.
static bool has_course(const recording *r) {
  bool rises = r->samples > 1 && !(r->found && strcmp(r->found->kind, "fit") == 0);
  for (size_t i = 1; rises && i < r->samples; ++i) rises = r->x[i] > r->x[i - 1];
  return rises;
}

static bool plan(reel *film, film_style *style) {
  const recording *r = film->figure.r;
  double lasts = r->x[r->samples - 1] - r->x[0];
  if (style->rate == 0) style->rate = RATE;
  if (style->seconds == 0) style->seconds = fmin(fmax(r->statics ? 0.2 * lasts : lasts, SHORTEST), LONGEST);
  film->frames = lround(style->seconds * (double)style->rate);
  if (film->frames < 2 || film->frames > FRAMES_MOST)
    return say_error("%g s of %ld frames a second are %ld frames; a film has 2 to %d", style->seconds, style->rate,
                     film->frames, FRAMES_MOST),
           false;
  const figure_style *look = &film->figure.style;
  film->width = lround((double)look->width * look->scale) & ~1L;
  film->height = lround((double)look->height * look->scale) & ~1L;
  if (!r->statics && isatty(STDERR_FILENO)) say_note("%g s of motion in %g s of film", lasts, style->seconds);
  return true;
}

static int encode(reel *film, const film_style *style, const char *path) {
  output_error err;
  encoder e = {.pid = 0};
  if (!output_file_open(&e.file, path, true, &err)) return file_report(&err);
  interrupt_catch();
  void (*before)(int) = signal(SIGPIPE, SIG_IGN); // an ffmpeg that ends early says why itself
  int result = EXIT_FAILED;
  if (encoder_start(&e, style, film->width, film->height)) {
    bool drawn = draw_frames(film, &e), whole = encoder_end(&e) && drawn;
    if (whole)
      result = output_file_commit(&e.file, &err) ? EXIT_OK : file_report(&err);
    else if (interrupted(NULL))
      result = EXIT_INTERRUPTED;
    else
      say_error("ffmpeg made no film of it");
  }
  signal(SIGPIPE, before);
  output_file_discard(&e.file);
  return result;
}

int film_write(const recording *r, const figure_style *style, const film_style *film, const char *path) {
  reel whole = {.now = 0};
  film_style lasting = *film;
  if (!has_course(r))
    return say_error("there is no course of time to film: tendril plot draws it as a picture"), EXIT_USAGE;
  int result = figure_open(&whole.figure, r, style);
  if (result != EXIT_OK) return result;
  shapes_style *shapes = &whole.figure.style.shapes;
  shapes->layout = SHAPES_TOGETHER, shapes->time_count = 1;
  for (int i = 0; i < whole.figure.list.count; ++i)
    if (!whole.figure.list.panel[i]->own_axis) whole.figure.list.panel[i]->now = &whole.now;
  result = plan(&whole, &lasting) ? encode(&whole, &lasting, path) : EXIT_USAGE;
  figure_close(&whole.figure);
  return result;
}
