// The words of a layer of USD as text (USDA): numbers, strings, paths and marks, one after another, each with its line.
#ifndef TENDRIL_CODEC_IMPORT_USD_SCAN_H
#define TENDRIL_CODEC_IMPORT_USD_SCAN_H

#include <stdbool.h>
#include <stddef.h>

typedef enum usd_kind {
  USD_END,    ///< nothing more
  USD_WORD,   ///< def, float3, physics:mass, xformOp:translate.timeSamples, inf
  USD_NUMBER, ///< 1e-3, -inf: its text is not checked here
  USD_STRING, ///< without its quotes, escapes as they stand
  USD_ASSET,  ///< @file.usd@
  USD_PATH,   ///< </World/Cable>
  USD_MARK,   ///< one of ( ) [ ] { } = , :
  USD_WRONG   ///< no token: text says what
} usd_kind;

typedef struct usd_token {
  usd_kind kind;
  const char *text; ///< [size], not ended by NUL; of USD_WRONG a sentence
  size_t size;
  int line;
} usd_token;

/// A place in the text.
typedef struct usd_scan {
  const char *at, *end;
  int line; ///< from 1
} usd_scan;

/// The token at the place, which then is behind it. White space, semicolons and comments are skipped.
usd_token usd_next(usd_scan *s);
/// The same, and the place stays.
usd_token usd_peek(const usd_scan *s);
bool usd_is(const usd_token *token, usd_kind kind, const char *text);
bool usd_is_mark(const usd_token *token, char mark);

#endif
