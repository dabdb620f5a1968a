// Rows: each function of the interface asks the kind of the store; what is the same for all of them stands here, too.
#include "store/parts.h"

#include <stdlib.h>

void store_model_fini(store_model *m) {
  free(m->document);
  m->document = NULL;
}

void store_job_fini(store_job *job) {
  free(job->document);
  free(job->labels);
  free(job->error);
  free(job->warnings);
  free(job->waiting);
  job->document = job->labels = job->error = job->warnings = job->waiting = NULL;
}

store_status store_ping(store *s) { return s->rows->ping(s); }
store_status store_shrink(store *s, bool *more) { return s->rows->shrink(s, more); }
store_status store_quick_check(store *s, bool (*go_on)(void *context), void *context) {
  return s->rows->quick_check(s, go_on, context);
}
store_status store_sizes_read(store *s, store_sizes *sizes) { return s->rows->sizes_read(s, sizes); }
store_status store_cursor_key(store *s, unsigned char key[STORE_KEY_SIZE]) { return s->rows->cursor_key(s, key); }
store_status store_model_put(store *s, store_put_mode mode, const char *owner, const char *name, const char *document,
                             const char *sha256, const char *if_match, store_keep *keep, store_model *model,
                             store_put_effect *effect) {
  return s->rows->model_put(s, mode, owner, name, document, sha256, if_match, keep, model, effect);
}
store_status store_model_get(store *s, const store_whose *whose, const char *name, int64_t revision,
                             store_model *model) {
  return s->rows->model_get(s, whose, name, revision, model);
}
store_status store_model_find(store *s, const store_whose *whose, const char *name, store_model *model) {
  return s->rows->model_find(s, whose, name, model);
}
store_status store_model_delete(store *s, const char *owner, const char *name, const char *if_match,
                                const store_keep *keep) {
  return s->rows->model_delete(s, owner, name, if_match, keep);
}
store_status store_model_forget(store *s) { return s->rows->model_forget(s); }
store_status store_model_list(store *s, const store_whose *whose, const char *after_name, const char *after_owner,
                              int limit, const store_visit *visit) {
  return s->rows->model_list(s, whose, after_name, after_owner, limit, visit);
}
store_status store_model_revisions(store *s, const char *owner, const char *name, int64_t after, int limit,
                                   const store_visit *visit) {
  return s->rows->model_revisions(s, owner, name, after, limit, visit);
}
store_status store_document_get(store *s, const char *sha256, char **document) {
  return s->rows->document_get(s, sha256, document);
}
store_status store_job_insert(store *s, store_job *job, const char *model_document, const store_room *room,
                              const store_request *request) {
  return s->rows->job_insert(s, job, model_document, room, request);
}
store_status store_job_find_request(store *s, const store_request *request, store_job *job) {
  return s->rows->job_find_request(s, request, job);
}
store_status store_job_get(store *s, const char *id, store_job *job) { return s->rows->job_get(s, id, job); }
store_status store_job_find(store *s, const char *owner, const char *id, store_job *job) {
  return s->rows->job_find(s, owner, id, job);
}
store_status store_job_list(store *s, const store_job_filter *filter, const store_visit *visit) {
  return s->rows->job_list(s, filter, visit);
}
store_status store_job_counts(store *s, int64_t counts[JOB_STATE_COUNT]) { return s->rows->job_counts(s, counts); }
store_status store_job_counts_of(store *s, const char *owner, int64_t counts[JOB_STATE_COUNT]) {
  return s->rows->job_counts_of(s, owner, counts);
}
store_status store_job_standing(store *s, const char *id, store_standing *standing) {
  return s->rows->job_standing(s, id, standing);
}
store_status store_job_delete(store *s, const char *id) { return s->rows->job_delete(s, id); }
store_status store_job_claim(store *s, store_job *job, char **model_document, int64_t *next_due_ms) {
  return s->rows->job_claim(s, job, model_document, next_due_ms);
}
store_status store_job_requeue(store *s, const char *id, int attempt, bool crashed, int64_t delay_ms) {
  return s->rows->job_requeue(s, id, attempt, crashed, delay_ms);
}
store_status store_job_wait(store *s, const store_job *job, const char *why) { return s->rows->job_wait(s, job, why); }
store_status store_job_requeue_running(store *s, int *count) { return s->rows->job_requeue_running(s, count); }
store_status store_job_cancel(store *s, const char *id, store_job *job) { return s->rows->job_cancel(s, id, job); }
void store_queue_used(store *s, const char *queue, double used_s) { s->rows->queue_used(s, queue, used_s); }
void store_queue_ends(store *s, const char *queue, bool begins) { s->rows->queue_ends(s, queue, begins); }
store_status store_queue_list(store *s, const store_visit *visit) { return s->rows->queue_list(s, visit); }
store_status store_job_before(store *s, const store_job *job, int most, int64_t *before) {
  return s->rows->job_before(s, job, most, before);
}
store_status store_sweep_insert(store *s, store_job *sweep, const char *model_document, const char *base,
                                store_sweep_job *jobs, size_t count, const store_room *room,
                                const store_request *request) {
  return s->rows->sweep_insert(s, sweep, model_document, base, jobs, count, room, request);
}
store_status store_sweep_jobs(store *s, const char *id, const store_visit *visit) {
  return s->rows->sweep_jobs(s, id, visit);
}
store_status store_sweep_cancel(store *s, const char *id, size_t *waiting) {
  return s->rows->sweep_cancel(s, id, waiting);
}
store_status store_job_progress(store *s, const char *id, int attempt, const store_progress *now) {
  return s->rows->job_progress(s, id, attempt, now);
}
store_status store_job_samples(store *s, const char *id, int attempt, uint64_t rows) {
  return s->rows->job_samples(s, id, attempt, rows);
}
store_status store_job_remark(store *s, const char *id, int attempt, const char *level, const char *message) {
  return s->rows->job_remark(s, id, attempt, level, message);
}
store_status store_event_list(store *s, const char *id, int64_t after, int limit, const store_visit *visit,
                              bool *ended) {
  return s->rows->event_list(s, id, after, limit, visit, ended);
}
store_status store_result_rows(store *s, int64_t after_seq, int limit, store_job *jobs, int *count) {
  return s->rows->result_rows(s, after_seq, limit, jobs, count);
}
store_status store_result_note(store *s, const char *id, const char *lacks) {
  return s->rows->result_note(s, id, lacks);
}
store_status store_result_bytes(store *s, int64_t *bytes) { return s->rows->result_bytes(s, bytes); }
store_status store_owner_bytes(store *s, void (*each)(void *context, const char *owner, int64_t bytes), void *context) {
  return s->rows->owner_bytes(s, each, context);
}
store_status store_job_oldest(store *s, const char *owner, int64_t before_ms, bool with_result, int limit,
                              store_old_job *jobs, int *count) {
  return s->rows->job_oldest(s, owner, before_ms, with_result, limit, jobs, count);
}
bool store_lead(store *s, const char *task) { return s->rows->lead(s, task); }
store_status store_job_ended(store *s, int64_t *count, int64_t *last_ms) {
  return s->rows->job_ended(s, count, last_ms);
}
store_status store_holding_get(store *s, const char *owner, store_holding *holding) {
  return s->rows->holding_get(s, owner, holding);
}
store_status store_holding_share(store *s, const char *owner, int64_t *bytes, int64_t *all, int64_t *owners) {
  return s->rows->holding_share(s, owner, bytes, all, owners);
}
store_status store_node_list(store *s, const store_visit *visit) { return s->rows->node_list(s, visit); }
store_status store_node_drain(store *s, const char *id_or_name, bool drains, store_node *node) {
  return s->rows->node_drain(s, id_or_name, drains, node);
}
store_status store_token_insert(store *s, const store_token *token, int64_t limit, int64_t each) {
  return s->rows->token_insert(s, token, limit, each);
}
store_status store_token_delete(store *s, const char *id_or_name, char id[ID_SIZE]) {
  return s->rows->token_delete(s, id_or_name, id);
}
store_status store_token_clear(store *s) { return s->rows->token_clear(s); }
store_status store_token_list(store *s, const store_visit *visit, bool *ever) {
  return s->rows->token_list(s, visit, ever);
}
store_status store_adopt(store *s, const char *from, const char *to, int64_t *jobs, int64_t *models, int64_t *kept) {
  return s->rows->adopt(s, from, to, jobs, models, kept);
}
