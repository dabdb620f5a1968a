// A line for each owner who has something, under one mutex: tasks that have not begun, and places that rest in the
// middle of their work.
//
// At most `threads` work at a time. One that ends, or rests, hands its turn on; the thread that ends a task takes the
// next one itself, so nobody needs to be woken for that. One that has not looked up for LEND_S is lent: it does not
// count, as long as an owner for whom nothing is done waits. Waiting threads look after that, since nothing else
// happens then.
#include "base/share/pool.h"
#include "base/clock.h"
#include "base/log/log.h"
#include "base/thread.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS_MOST = 512, LINES_MOST = 8192 }; // lines: more than there are connections, or calls
static const double TURN_S = 0.01, LEND_S = 0.05, LOOK_S = 0.02;

typedef struct place { // of a thread at work
  pool *pool;
  uint64_t owner;
  double since_s; // when it began, or last looked up
  bool lent;      // it has not looked up for long: somebody else works beside it
  bool granted;   // it may go on
  pthread_cond_t turn;
  struct place *next_resting;
  struct place *next, *previous; // among those at work
} place;

typedef struct line { // of one owner; it is there while he has tasks
  uint64_t owner;
  pool_task *first, *last; // those that wait
  place *first_resting, *last_resting;
  int waiting, running;
  uint64_t served; // the turn in which one of it was served last
} line;

struct pool {
  void (*work)(pool_task *task);
  pool_options options;
  pthread_mutex_t lock;
  pthread_cond_t filled;
  line *lines; // [LINES_MOST]
  int line_count;
  uint64_t turn;
  pool_task *first_ready, *last_ready; // whose turn it is, for the next thread
  int ready, idle;                     // how many; threads that have none yet
  place *at_work;
  int running, lent;
  int waiting;         // tasks that have no turn yet
  _Atomic int pending; // those, and places that rest
  bool watched;        // a thread looks after what is to be lent
  bool stopping;
  int count;
  pthread_t threads[];
};

static _Thread_local place *mine;

// --------------------------------------------------------------------------------------------------------------- turns

static line *find_line(pool *p, uint64_t owner) {
  for (int i = 0; i < p->line_count; i++)
    if (p->lines[i].owner == owner) return &p->lines[i];
  return NULL;
}

static line *add_line(pool *p, uint64_t owner) {
  assert(p->line_count < LINES_MOST);
  line *l = &p->lines[p->line_count++];
  *l = (line){.owner = owner};
  return l;
}

static void drop_if_empty(pool *p, line *l) {
  if (l->waiting == 0 && l->running == 0 && !l->first_resting) *l = p->lines[--p->line_count];
}

static void *run(void *context);
static void run_call(pool_task *task);

static bool start_thread(pool *p) {
  bool may = p->count < p->options.threads + p->options.spare && !p->stopping;
  if (!may || pthread_create(&p->threads[p->count], NULL, run, p) != 0) return false;
  p->count++;
  p->idle++;
  return true;
}

static bool has_thread(pool *p) { return p->ready < p->idle || start_thread(p); }

static bool may_run(pool *p, const line *l) {
  bool share = p->options.share == 0 || l->owner == 0 || l->running < p->options.share;
  return share && (l->first_resting || (l->waiting > 0 && has_thread(p)));
}

static bool is_before(const line *a, const line *b) {
  return a->running != b->running ? a->running < b->running : a->served < b->served;
}

static line *choose(pool *p) {
  line *next = NULL;
  for (int i = 0; i < p->line_count && atomic_load(&p->pending) > 0; i++) {
    line *l = &p->lines[i];
    if ((!next || is_before(l, next)) && may_run(p, l)) next = l;
  }
  return next;
}

// Some place that has not looked up for long does not count any more.
static bool lend(pool *p) {
  double now_s = clock_monotonic_s();
  for (place *x = p->at_work; x && p->lent < p->options.spare; x = x->next)
    if (!x->lent && now_s - x->since_s > LEND_S) return x->lent = true, p->lent++, true;
  return false;
}

static void begin_work(pool *p, place *x) {
  x->since_s = clock_monotonic_s();
  x->previous = NULL;
  x->next = p->at_work;
  if (x->next) x->next->previous = x;
  p->at_work = x;
}

static void end_work(pool *p, place *x) {
  *(x->previous ? &x->previous->next : &p->at_work) = x->next;
  if (x->next) x->next->previous = x->previous;
  p->lent -= x->lent;
  assert(p->lent >= 0);
  x->lent = false;
}

static void resume(line *l) {
  place *x = l->first_resting;
  assert(x && !x->granted);
  l->first_resting = x->next_resting;
  x->granted = true;
  pthread_cond_signal(&x->turn);
}

static void make_ready(pool *p, line *l) {
  pool_task *x = l->first;
  assert(x && l->waiting > 0 && p->waiting > 0);
  l->first = x->next;
  l->waiting--;
  p->waiting--;
  x->next = NULL;
  *(p->ready++ > 0 ? &p->last_ready->next : &p->first_ready) = x;
  p->last_ready = x;
}

// Gives out what turns there are. Returns how many threads have got one.
static int hand_out(pool *p) {
  int threads = 0;
  for (line *l; (l = choose(p));) {
    if (p->running - p->lent >= p->options.threads && (l->running > 0 || !lend(p))) break;
    l->running++;
    l->served = ++p->turn;
    p->running++;
    atomic_fetch_sub(&p->pending, 1);
    if (l->first_resting)
      resume(l);
    else
      make_ready(p, l), threads++;
  }
  return threads;
}

static void wake(pool *p, int threads) {
  for (; threads > 0; threads--) pthread_cond_signal(&p->filled);
}

// The turn of somebody of this owner is over.
static line *put_down(pool *p, uint64_t owner) {
  line *l = find_line(p, owner);
  assert(l && l->running > 0);
  l->running--;
  p->running--;
  return l;
}

static void look_again(pool *p, pthread_cond_t *sign) {
  struct timespec when = clock_monotonic_after(LOOK_S);
  pthread_cond_timedwait(sign, &p->lock, &when);
  wake(p, hand_out(p));
}

// ------------------------------------------------------------------------------------------------------------- threads

// One of those without work looks after what is to be lent, while somebody waits.
static void wait_for_work(pool *p) {
  bool watches = p->waiting > 0 && !p->watched && p->options.spare > 0;
  if (!watches) {
    pthread_cond_wait(&p->filled, &p->lock);
    return;
  }
  p->watched = true;
  look_again(p, &p->filled);
  p->watched = false;
}

static pool_task *take(pool *p) {
  while (p->ready == 0 && !(p->stopping && p->waiting == 0)) wait_for_work(p);
  if (p->ready == 0) return NULL;
  pool_task *x = p->first_ready;
  p->first_ready = x->next;
  p->ready--;
  p->idle--;
  assert(p->ready >= 0 && p->idle >= 0);
  if (p->waiting > 0 && !p->watched && p->options.spare > 0) pthread_cond_signal(&p->filled);
  return x;
}

static void init_condition(pthread_cond_t *condition) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(condition, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

static void *run(void *context) {
  pool *p = context;
  place here = {.pool = p};
  init_condition(&here.turn);
  pthread_mutex_lock(&p->lock);
  for (pool_task *x; (x = take(p));) {
    here.owner = x->owner; // the task is gone when its work is done
    begin_work(p, &here);
    pthread_mutex_unlock(&p->lock);
    mine = &here;
    p->work(x);
    mine = NULL;
    pthread_mutex_lock(&p->lock);
    end_work(p, &here);
    drop_if_empty(p, put_down(p, here.owner));
    p->idle++;
    wake(p, hand_out(p) - 1); // this one takes the first
  }
  p->idle--;
  pthread_mutex_unlock(&p->lock);
  pthread_cond_broadcast(&p->filled); // the pool stops: the last tasks of an owner may be free to run now
  pthread_cond_destroy(&here.turn);
  return NULL;
}

pool *pool_start(const pool_options *options, void (*work)(pool_task *task)) {
  int most = options->threads + options->spare;
  assert(most <= THREADS_MOST);
  pool *p = calloc(1, sizeof *p + (size_t)most * sizeof p->threads[0]);
  if (p) p->lines = calloc(LINES_MOST, sizeof p->lines[0]); // pages that are never used are none
  if (!p || !p->lines) return free(p), NULL;
  p->work = work ? work : run_call;
  p->options = *options;
  pthread_mutex_init(&p->lock, NULL);
  init_condition(&p->filled);
  pthread_mutex_lock(&p->lock);
  while (p->count < options->threads && start_thread(p)) {
  }
  bool started = p->count > 0;
  pthread_mutex_unlock(&p->lock);
  if (started) return p;
  pool_stop(p);
  return NULL;
}

bool pool_submit(pool *p, pool_task *x, int most) {
  x->next = NULL;
  pthread_mutex_lock(&p->lock);
  line *l = find_line(p, x->owner);
  bool taken = !l || most == 0 || l->waiting < most;
  if (taken) {
    if (!l) l = add_line(p, x->owner);
    *(l->waiting > 0 ? &l->last->next : &l->first) = x;
    l->last = x;
    l->waiting++;
    p->waiting++;
    atomic_fetch_add(&p->pending, 1);
    int threads = hand_out(p);
    bool unwatched = threads == 0 && !p->watched && p->options.spare > 0 && has_thread(p);
    wake(p, unwatched ? 1 : threads);
  }
  pthread_mutex_unlock(&p->lock);
  return taken;
}

void pool_stop(pool *p) {
  if (!p) return;
  pthread_mutex_lock(&p->lock);
  p->stopping = true;
  pthread_cond_broadcast(&p->filled);
  pthread_mutex_unlock(&p->lock);
  for (int i = 0; i < p->count; i++) pthread_join(p->threads[i], NULL);
  assert(p->ready == 0 && p->waiting == 0 && p->running == 0);
  pthread_mutex_destroy(&p->lock);
  pthread_cond_destroy(&p->filled);
  free(p->lines);
  free(p);
}

// ------------------------------------------------------------------------------------------------------------- resting

static void rest(pool *p, line *l, place *x) {
  x->next_resting = NULL;
  *(l->first_resting ? &l->last_resting->next_resting : &l->first_resting) = x;
  l->last_resting = x;
  atomic_fetch_add(&p->pending, 1);
  x->granted = false;
  wake(p, hand_out(p));
  while (!x->granted) look_again(p, &x->turn);
  begin_work(p, x);
}

bool pool_is_wanted(void) {
  const place *x = mine;
  return x && atomic_load_explicit(&x->pool->pending, memory_order_relaxed) > 0 &&
         clock_monotonic_s() - x->since_s > TURN_S;
}

// Whether somebody would come before this one if it, too, waited for its turn.
static bool is_turn_of_others(pool *p, const line *own) {
  const line *next = choose(p);
  return next && next != own && is_before(next, &(line){.running = own->running - 1, .served = own->served});
}

double pool_yield(void) {
  place *x = mine;
  if (!pool_is_wanted()) return 0;
  pool *p = x->pool;
  double began_s = clock_monotonic_s();
  pthread_mutex_lock(&p->lock);
  if (is_turn_of_others(p, find_line(p, x->owner))) {
    end_work(p, x);
    rest(p, put_down(p, x->owner), x);
  } else
    x->since_s = began_s;
  pthread_mutex_unlock(&p->lock);
  return clock_monotonic_s() - began_s;
}

// --------------------------------------------------------------------------------------------------------------- calls

typedef struct call {
  pool_task task; // first: the pool hands it back
  void (*work)(void *context);
  void *context;
  log_scope scope; // of who calls
  sem_t done;
} call;

static void run_call(pool_task *task) {
  call *x = (call *)task;
  thread_computes();
  log_enter(&x->scope);
  x->work(x->context);
  log_enter(NULL);
  sem_post(&x->done); // x lies on the stack of who waits: not one access after this
}

void pool_call(pool *p, uint64_t owner, void (*work)(void *context), void *context) {
  if (!p || (mine && mine->pool == p)) {
    work(context);
    return;
  }
  call x = {.task = {.owner = owner}, .work = work, .context = context, .scope = log_current()};
  sem_init(&x.done, 0, 0);
  (void)pool_submit(p, &x.task, 0);
  while (sem_wait(&x.done) != 0 && errno == EINTR) {
  }
  sem_destroy(&x.done);
}
