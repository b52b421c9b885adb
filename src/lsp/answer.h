/* answer -- what an editor asks about a document, as JSON of the Language Server Protocol.
 *
 *     cJSON *result = lh_answer_hover(d, offset, is_bytes);        NULL: there is nothing to say
 *
 * Who asked owns what is returned.
 */
#ifndef LH_LSP_ANSWER_H
#define LH_LSP_ANSWER_H

#include <cjson/cJSON.h>

#include "lsp/document.h"

cJSON *lh_answer_diagnostics(const lh_document *d, bool is_bytes);
cJSON *lh_answer_hover(const lh_document *d, size_t offset, bool is_bytes);
cJSON *lh_answer_completion(const lh_document *d, size_t offset);
cJSON *lh_answer_definition(const lh_document *d, size_t offset, bool is_bytes);
cJSON *lh_answer_prepare_rename(const lh_document *d, size_t offset, bool is_bytes);
cJSON *lh_answer_rename(const lh_document *d, size_t offset, const char *name, bool is_bytes,
                        const char **trouble); /* NULL and *trouble: it cannot be */
cJSON *lh_answer_format(const lh_document *d);
cJSON *lh_answer_folding(const lh_document *d);
cJSON *lh_answer_symbols(const lh_document *d, bool is_bytes);

#endif
