// What one owner may keep (--jobs-per-owner …), for changes that add to it, and the words of a refusal.
#ifndef SERVER_SERVICE_BOUNDS_H
#define SERVER_SERVICE_BOUNDS_H

#include "service/service.h"

/// Bounds of a change, to be given to the store. False: there are none; without tokens everything is everybody's.
bool bounds_of(const service *s, store_keep *keep);
/// The refusal of a change (STORE_KEPT): quota_exceeded, with the bound, the count and what to delete.
bool bounds_fault(const store_keep *keep, const char *owner, fault *f);
/// False, with a fault, when so many bytes of an owner ("": nobody) would take from what is kept of the disk: a reserve
/// for small documents of those who do not hold more than others.
bool bounds_disk(const service *s, const char *owner, size_t bytes, fault *f);

#endif
