/* chat -- how a conversation is written for a model: its template, as data.
 *
 *     const lh_chat *c = lh_chat_find(text_of_chat_template);            by what stands in it; NULL: none that is known
 *     lh_chat_render(out, c, system, message, n);                        with the beginning of the next reply
 *
 * A chat template of a Hugging Face folder is a program in a language of its own (Jinja), which is not run here. The templates of the
 * families that are known come to a few pieces of text around each message; which one it is, is told by pieces of its text. Another
 * one is refused: a guess would be answered in a way that nobody could see is wrong.
 */
#ifndef LH_FILES_CHAT_H
#define LH_FILES_CHAT_H

#include "base/context.h"

enum { LH_CHAT_PARTS = 4 };

typedef struct lh_chat {
    const char *name;                 /* chatml */
    const char *models;               /* whose it is */
    const char *has[LH_CHAT_PARTS];   /* the template has all of these */
    const char *lacks[LH_CHAT_PARTS]; /* ... and none of these */
    const char *start;                /* before everything */
    const char *before_system, *after_system;
    const char *before_user, *after_user;
    const char *before_reply, *after_reply;
    const char *lead; /* between before_reply and a reply that is known; NULL: nothing */
    const char *end[LH_CHAT_PARTS]; /* tokens that end a reply */
    bool is_system_in_user;         /* the system's text begins the first message */
    bool is_trimmed;                /* of messages, space at their ends is taken off */
    bool has_date;                  /* {date} in before_system is today */
    bool needs_system; /* what stands around the system's text is written without one, too */
    bool allows_system;
} lh_chat;

typedef struct lh_message {
    const char *user, *reply; /* reply NULL: it is to come */
} lh_message;

extern const lh_chat lh_chats[]; /* ends with a NULL name */

const lh_chat *lh_chat_find(const char *text);  /* of a template; NULL: not known */
const lh_chat *lh_chat_named(const char *name); /* or NULL */
/* that the template gives where there is none; or NULL */
const char *lh_chat_system(const char *text);
/* system NULL: none */
void lh_chat_render(lh_text *out, const lh_chat *c, const char *system, const lh_message *message,
                    int n, const char *date);

#endif
