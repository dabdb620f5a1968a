// A running tendrild of one's own, and one kept-alive connection to it.
#ifndef TENDRIL_BENCH_SERVED_H
#define TENDRIL_BENCH_SERVED_H

#include "bench/bench.h"
#include "codec/number.h"
#include <curl/curl.h>
#include <sys/types.h>

enum { SERVED_THREADS = 64 };

typedef struct served {
  pid_t pid;
  char folder[64]; ///< temporary, removed at the end
  char url[96];    ///< "http://127.0.0.1:41213"
  CURL *curl;
  struct curl_slist *headers;
  codec_buffer reply; ///< body of the last reply
  long status;        ///< of the last reply
} served;

/// Starts the tendrild beside this program. False with a sentence; served_close is due either way.
bool served_open(served *s, char why[BENCH_NOTE_SIZE]);
void served_close(served *s);

/// What served_send sends from now on. type: Content-Type and Accept; body NULL: a GET. `body` is borrowed.
void served_prepare(served *s, const char *path, const char *type, const codec_buffer *body);
/// One request and its reply. False unless the status is 2xx.
bool served_send(served *s);

/// CPU time of each thread of the server so far.
typedef struct served_cpu {
  int count;
  long thread[SERVED_THREADS];
  double used_s[SERVED_THREADS];
} served_cpu;

void served_cpu_read(const served *s, served_cpu *cpu);
/// Seconds between two readings; *threads counts those that did at least a twentieth of it.
double served_cpu_between(const served_cpu *before, const served_cpu *after, int *threads);

#endif
