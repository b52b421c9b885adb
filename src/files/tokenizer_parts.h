/* tokenizer_parts -- normalizer, pre_tokenizer, decoder and post_processor of a tokenizer.json, as text/pipeline.h has them.
 *
 * Each field is honoured, or known to change no id and no text (trim_offsets, type_id, stride), or refused with its name.
 */
#ifndef LH_FILES_TOKENIZER_PARTS_H
#define LH_FILES_TOKENIZER_PARTS_H

#include <cJSON.h>

#include "text/pipeline.h"

typedef struct lh_part_reader {
    lh_context *ctx;
    lh_arena *arena; /* of the tokenizer */
} lh_part_reader;

void lh_parts_normalizer(const lh_part_reader *r, const cJSON *x, lh_pipeline *p);
void lh_parts_pre_tokenizer(const lh_part_reader *r, const cJSON *x, lh_pipeline *p);
void lh_parts_decoder(const lh_part_reader *r, const cJSON *x, lh_pipeline *p);
void lh_parts_post_processor(const lh_part_reader *r, const cJSON *x, lh_prompt_frame *f);
void lh_parts_truncation(const lh_part_reader *r, const cJSON *x, lh_prompt_frame *f);
/* refused unless it adds nothing to one text */
void lh_parts_padding(const lh_part_reader *r, const cJSON *x);

/* ---- fields ---- */

/* NULL where it is null or missing */
const cJSON *lh_part_get(const cJSON *object, const char *name);
const char *lh_part_type(const cJSON *x); /* "null" and "of no type" are such */
bool lh_part_is(const cJSON *x, const char *type);
void lh_part_refuse(const lh_part_reader *r, const char *what, const char *is, const char *cure);
/* " a b c ": false and failed for another one */
bool lh_part_fields(const lh_part_reader *r, const cJSON *x, const char *what, const char *known);
bool lh_part_yes(const lh_part_reader *r, const cJSON *x, const char *name, bool otherwise);
/* copied; otherwise NULL: it must be there */
const char *lh_part_text(const lh_part_reader *r, const cJSON *x, const char *name,
                         const char *otherwise);

#endif
