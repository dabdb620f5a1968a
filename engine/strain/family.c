// What several families of functions share: how many there are for an order, and which element of equal ones a point
// lies in.
#include "strain/family.h"
#include <assert.h>
#include <math.h>

int td_order_plus_one(int order) { return order + 1; }

int td_order_plus_three(int order) { return order + 3; }

int td_order_itself(int order) { return order; }

int td_element_of(int N, double s, double *local) {
  assert(N >= 1);
  double place = s * N;
  int e = place < 0 ? 0 : place >= N ? N - 1 : (int)place;
  *local = place - e;
  return e;
}
