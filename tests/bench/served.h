// A running tendrild of one's own, and one kept-alive connection to it.
#ifndef TENDRIL_BENCH_SERVED_H
#define TENDRIL_BENCH_SERVED_H

#include "bench/bench.h"
#include "codec/json/number.h"
#include <curl/curl.h>
#include <sys/types.h>

typedef struct served {
  pid_t pid;
  int workers;     ///< its slots
  char folder[64]; ///< temporary, removed at the end
  char url[96];    ///< "http://127.0.0.1:41213"
  char grpc[96];   ///< "127.0.0.1:41214"
  CURL *curl;
  struct curl_slist *headers;
  codec_buffer reply; ///< body of the last reply
  long status;        ///< of the last reply
} served;

/// Starts the tendrild beside this program with so many workers. False with a sentence; served_close is due either way.
bool served_open(served *s, int workers, char why[BENCH_NOTE_SIZE]);
void served_close(served *s);

/// What served_send sends from now on. type: Content-Type and Accept; body NULL: a GET. `body` is borrowed.
void served_prepare(served *s, const char *path, const char *type, const codec_buffer *body);
/// One request and its reply. False unless the status is 2xx.
bool served_send(served *s);

/// Stores the model of an example; `body` is overwritten. False with a sentence.
bool served_put_example(served *s, const char *name, codec_buffer *body, char why[BENCH_NOTE_SIZE]);

/// Ends the server's process and keeps its folder; starts it again, on another port.
void served_stop(served *s);
bool served_start(served *s, char why[BENCH_NOTE_SIZE]);

/// Resident memory of its process; 0 when that cannot be read.
double served_resident_mb(const served *s);
/// CPU seconds of all its threads so far.
double served_cpu_s(const served *s);

#endif
