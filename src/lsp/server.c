#include "lsp/server.h"

#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "lsp/answer.h"

enum { MOST_BYTES = 64 << 20 }; /* of one message */
/* of the protocol */
enum { PARSE_ERROR = -32700, NO_METHOD = -32601, NOT_READY = -32002, FAILED = -32803 };

typedef struct server {
    FILE *in, *out;
    lh_document **document;
    int n;
    bool is_ready, is_over, was_shut;
    bool is_bytes; /* columns are counted in bytes, not in units of UTF-16 */
} server;

/* ---- messages ---- */

static void send_message(server *s, cJSON *message) {
    cJSON_AddStringToObject(message, "jsonrpc", "2.0");
    char *text = cJSON_PrintUnformatted(message);
    if (text) fprintf(s->out, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    fflush(s->out);
    cJSON_free(text);
    cJSON_Delete(message);
}

static void reply(server *s, const cJSON *id, cJSON *result) {
    cJSON *m = cJSON_CreateObject();
    cJSON_AddItemToObject(m, "id", cJSON_Duplicate(id, true));
    cJSON_AddItemToObject(m, "result", result ? result : cJSON_CreateNull());
    send_message(s, m);
}

static void refuse(server *s, const cJSON *id, int code, const char *why) {
    cJSON *m = cJSON_CreateObject(), *error = cJSON_CreateObject();
    cJSON_AddItemToObject(m, "id", id ? cJSON_Duplicate(id, true) : cJSON_CreateNull());
    cJSON_AddNumberToObject(error, "code", code);
    cJSON_AddStringToObject(error, "message", why);
    cJSON_AddItemToObject(m, "error", error);
    send_message(s, m);
}

/* Headers up to an empty line; of them only the length counts. NULL: the stream ended. */
static char *receive(server *s, size_t *length) {
    char line[256];
    long n = -1;
    while (fgets(line, sizeof line, s->in)) {
        if (strcmp(line, "\r\n") == 0 || strcmp(line, "\n") == 0) break;
        if (strncmp(line, "Content-Length:", 15) == 0) n = strtol(line + 15, NULL, 10);
    }
    if (feof(s->in) || n < 0 || n > MOST_BYTES) return NULL;
    char *text = malloc((size_t)n + 1);
    if (!text) return NULL;
    *length = fread(text, 1, (size_t)n, s->in);
    text[*length] = 0;
    if (*length == (size_t)n) return text;
    free(text);
    return NULL;
}

/* ---- documents ---- */

static const char *text_in(const cJSON *o, const char *name) {
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(o, name);
    return cJSON_IsString(x) ? x->valuestring : NULL;
}

static const cJSON *in(const cJSON *o, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(o, name);
}

static lh_document *find(const server *s, const char *uri) {
    for (int i = 0; uri && i < s->n; i++)
        if (strcmp(s->document[i]->uri, uri) == 0) return s->document[i];
    return NULL;
}

static void publish(server *s, const char *uri, cJSON *diagnostics) {
    cJSON *m = cJSON_CreateObject();
    cJSON_AddStringToObject(m, "method", "textDocument/publishDiagnostics");
    cJSON *params = cJSON_AddObjectToObject(m, "params");
    cJSON_AddStringToObject(params, "uri", uri);
    cJSON_AddItemToObject(params, "diagnostics", diagnostics);
    send_message(s, m);
}

static void set_text(server *s, const char *uri, const char *text) {
    lh_document *d = find(s, uri);
    if (!uri || !text) return;
    if (d) {
        lh_document_set(d, text);
    } else {
        lh_document **more = realloc(s->document, (size_t)(s->n + 1) * sizeof *more);
        if (!more) return;
        s->document = more;
        d = lh_document_new(uri, text);
        if (d) s->document[s->n++] = d;
    }
    if (d) publish(s, uri, lh_answer_diagnostics(d, s->is_bytes));
}

static void close_text(server *s, const char *uri) {
    for (int i = 0; uri && i < s->n; i++) {
        if (strcmp(s->document[i]->uri, uri) != 0) continue;
        lh_document_free(s->document[i]);
        s->document[i] = s->document[--s->n];
        publish(s, uri, cJSON_CreateArray());
        return;
    }
}

/* ---- what is asked ---- */

/* Both sides must speak of bytes: then columns are as here. */
static bool speaks_of_bytes(const cJSON *params) {
    const cJSON *list = in(in(in(params, "capabilities"), "general"), "positionEncodings"), *one;
    cJSON_ArrayForEach(one, list) if (cJSON_IsString(one) &&
                                      strcmp(one->valuestring, "utf-8") == 0) return true;
    return false;
}

static cJSON *initialize(server *s, const cJSON *params) {
    s->is_ready = true;
    s->is_bytes = speaks_of_bytes(params);
    cJSON *result = cJSON_CreateObject(), *can = cJSON_AddObjectToObject(result, "capabilities");
    cJSON_AddStringToObject(can, "positionEncoding", s->is_bytes ? "utf-8" : "utf-16");
    cJSON_AddNumberToObject(can, "textDocumentSync", 1); /* the whole text, each time */
    static const char *const plain[] = {"hoverProvider", "definitionProvider",
                                        "foldingRangeProvider", "documentFormattingProvider",
                                        "documentSymbolProvider"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) cJSON_AddTrueToObject(can, plain[i]);
    cJSON_AddObjectToObject(can, "completionProvider");
    cJSON_AddTrueToObject(cJSON_AddObjectToObject(can, "renameProvider"), "prepareProvider");
    cJSON *who = cJSON_AddObjectToObject(result, "serverInfo");
    cJSON_AddStringToObject(who, "name", "longhand");
    cJSON_AddStringToObject(who, "version", lh_version());
    return result;
}

static int number_in(const cJSON *o, const char *name) {
    const cJSON *x = in(o, name);
    return cJSON_IsNumber(x) && x->valuedouble >= 0 && x->valuedouble < 1e9 ? x->valueint : 0;
}

static void rename_name(server *s, const cJSON *id, const lh_document *d, size_t at,
                        const char *name) {
    const char *trouble;
    cJSON *result = lh_answer_rename(d, at, name ? name : "", s->is_bytes, &trouble);
    if (trouble)
        refuse(s, id, FAILED, trouble);
    else
        reply(s, id, result);
}

static void answer(server *s, const cJSON *id, const char *method, const cJSON *params) {
    const lh_document *d = find(s, text_in(in(params, "textDocument"), "uri"));
    const cJSON *place = in(params, "position");
    const char *what = strncmp(method, "textDocument/", 13) == 0 ? method + 13 : "";
    const size_t at = d ? lh_document_offset(d, number_in(place, "line"),
                                             number_in(place, "character"), s->is_bytes)
                        : 0;
    if (!*what)
        refuse(s, id, NO_METHOD, "this server does not do that");
    else if (!d)
        reply(s, id, NULL);
    else if (strcmp(what, "hover") == 0)
        reply(s, id, lh_answer_hover(d, at, s->is_bytes));
    else if (strcmp(what, "completion") == 0)
        reply(s, id, lh_answer_completion(d, at));
    else if (strcmp(what, "definition") == 0)
        reply(s, id, lh_answer_definition(d, at, s->is_bytes));
    else if (strcmp(what, "prepareRename") == 0)
        reply(s, id, lh_answer_prepare_rename(d, at, s->is_bytes));
    else if (strcmp(what, "rename") == 0)
        rename_name(s, id, d, at, text_in(params, "newName"));
    else if (strcmp(what, "formatting") == 0)
        reply(s, id, lh_answer_format(d));
    else if (strcmp(what, "foldingRange") == 0)
        reply(s, id, lh_answer_folding(d));
    else if (strcmp(what, "documentSymbol") == 0)
        reply(s, id, lh_answer_symbols(d, s->is_bytes));
    else
        refuse(s, id, NO_METHOD, "this server does not do that");
}

/* What is told and wants no answer. */
static void hear(server *s, const char *method, const cJSON *params) {
    const char *uri = text_in(in(params, "textDocument"), "uri");
    if (strcmp(method, "exit") == 0)
        s->is_over = true;
    else if (strcmp(method, "textDocument/didOpen") == 0)
        set_text(s, uri, text_in(in(params, "textDocument"), "text"));
    else if (strcmp(method, "textDocument/didChange") == 0) {
        const cJSON *all = in(params, "contentChanges");
        const int n = cJSON_GetArraySize(all);
        if (n > 0) set_text(s, uri, text_in(cJSON_GetArrayItem(all, n - 1), "text"));
    } else if (strcmp(method, "textDocument/didClose") == 0)
        close_text(s, uri);
}

static void take(server *s, const cJSON *message) {
    const cJSON *id = in(message, "id"), *params = in(message, "params");
    const char *method = text_in(message, "method");
    if (!method) return; /* an answer to something: nothing was asked */
    if (!id)
        hear(s, method, params);
    else if (strcmp(method, "initialize") == 0)
        reply(s, id, initialize(s, params));
    else if (!s->is_ready)
        refuse(s, id, NOT_READY, "initialize comes first");
    else if (strcmp(method, "shutdown") == 0)
        s->was_shut = true, reply(s, id, NULL);
    else
        answer(s, id, method, params);
}

int lh_server_run(FILE *in_stream, FILE *out) {
    server s = {.in = in_stream, .out = out};
    size_t length;
    char *text;
    while (!s.is_over && (text = receive(&s, &length))) {
        cJSON *message = cJSON_ParseWithLength(text, length);
        if (message)
            take(&s, message);
        else
            refuse(&s, NULL, PARSE_ERROR, "this is not JSON");
        cJSON_Delete(message);
        free(text);
    }
    for (int i = 0; i < s.n; i++) lh_document_free(s.document[i]);
    free(s.document);
    return s.was_shut ? 0 : 1;
}
