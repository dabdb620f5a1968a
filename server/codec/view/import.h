// What a caller is told of an import, as JSON (REST) and as a message (gRPC).
#ifndef SERVER_CODEC_VIEW_IMPORT_H
#define SERVER_CODEC_VIEW_IMPORT_H

#include "codec/import/remark.h"
#include "codec/json/number.h"
#include "tendril/model.h"
#include "tendril/v1/models.pb-c.h"

typedef struct import_view {
  const char *document;  ///< text
  const td_model *model; ///< built of it
  const remark_list *remarks;
} import_view;

void codec_imported_json(codec_buffer *b, const import_view *view);
/// In `a`; texts are borrowed. False when there is not enough memory.
bool codec_imported_message(const import_view *view, arena *a, Tendril__V1__ImportedModel *message);

#endif
