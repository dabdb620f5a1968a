// What a caller is told of a model, as JSON (REST) and as a message (gRPC).
#ifndef SERVER_CODEC_VIEW_MODEL_H
#define SERVER_CODEC_VIEW_MODEL_H

#include "codec/json/number.h"
#include "codec/view/message_list.h"
#include "store/store.h"
#include "tendril/model.h"
#include "tendril/v1/models.pb-c.h"

typedef struct model_view {
  store_model
      row; ///< of the one who holds the view. Revision 0: the document was only checked; document NULL: it is not told
  const td_model *model; ///< frozen, borrowed; NULL in lists, which tell nothing of its shape
} model_view;

/// {name, owner, revision, sha256, created_at, ndof, coordinates, channels, warnings, document}, those that it has.
void codec_model_json(codec_buffer *b, const model_view *view);
/// The members ndof, coordinates, channels, warnings alone.
void codec_model_shape_json(codec_buffer *b, const td_model *model);
/// The same as a message. The texts of the row are copied into `a`; its document and the model's names are borrowed.
/// False when there is not enough memory.
bool codec_model_message(const model_view *view, arena *a, Tendril__V1__Model *message);

#endif
