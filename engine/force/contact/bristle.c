// Springs of contacts that stick: where they are (bristle.h).
#include "force/contact/bristle.h"
#include "pass/composite.h"
#include <assert.h>
#include <string.h>

_Static_assert(sizeof(td_bristle) == TD_BRISTLE_SIZE * sizeof(double), "a checkpoint holds doubles");

void td_bristles_number(td_model *m) {
  assert(m->bristle_count == 0);
  for (int c = 0; c < m->contact_count; c++) {
    td_contact *contact = &m->contact[c];
    bool sticks = contact->rubbing.stick > 0;
    contact->bristle = sticks ? m->bristle_count : -1;
    if (sticks) m->bristle_count += contact->point_count;
  }
  for (int i = 0; i < m->solid_pair_count; i++) {
    td_solid_pair *pair = &m->solid_pair[i];
    bool sticks = m->contact[pair->contact].rubbing.stick > 0;
    pair->bristle = sticks ? m->bristle_count : -1;
    if (sticks) m->bristle_count += m->solid[pair->a].count * m->solid[pair->b].count;
  }
}

// ---- where they are

bool td_bristle_at_point(const td_workspace *ws, const td_contact *contact, int i, const double place[3], double z[3],
                         double lever[3]) {
  const td_bristle *b = ws->bristle ? &ws->bristle[contact->bristle + i] : NULL;
  double end[3];
  assert(contact->bristle >= 0);
  if (!b || !(b->held > 0)) return false;
  td_node_point(ws, contact->point[i].node, b->at[0][0], end);
  for (int k = 0; k < 3; k++) {
    z[k] = end[k] + ws->origin[k] - b->at[1][0][k];
    lever[k] = end[k] - place[k];
  }
  return true;
}

int td_bristle_number(const td_model *m, const td_grip *g) {
  const td_solid_pair *pair = &m->solid_pair[g->pair];
  const td_solid *a = &m->solid[pair->a], *b = &m->solid[pair->b];
  return pair->bristle + (g->a - a->first) * b->count + g->b - b->first;
}

const td_bristle *td_bristle_of_grip(const td_model *m, const td_workspace *ws, const td_grip *g) {
  if (!ws->bristle || m->solid_pair[g->pair].bristle < 0) return NULL;
  const td_bristle *b = &ws->bristle[td_bristle_number(m, g)];
  return b->held > 0 ? b : NULL;
}

static const td_proxy *proxy_of(const td_model *m, const td_grip *g, int side) { return &m->proxy[side ? g->b : g->a]; }

static double share_of(const td_proxy *p, double far, int k) { return p->ball ? 1 : k ? far : 1 - far; }

double td_bristle_end(const td_model *m, const td_workspace *ws, const td_grip *g, const td_bristle *b, int side, int k,
                      double point[3]) {
  const td_proxy *p = proxy_of(m, g, side);
  td_node_point(ws, m->proxy_frame[p->frame[k]].node, b->at[side][k], point);
  return share_of(p, b->share[side], k);
}

void td_bristle_stretch(const td_model *m, const td_workspace *ws, const td_grip *g, const td_bristle *b, double z[3]) {
  memset(z, 0, 3 * sizeof *z);
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < td_grip_points(proxy_of(m, g, side)); k++) {
      double point[3], share = td_bristle_end(m, ws, g, b, side, k, point);
      for (int i = 0; i < 3; i++) z[i] += (side ? -share : share) * point[i];
    }
}
