/* grammar -- English sentences, their Spanish, and which word comes from which.
 *
 *     today the old women do not buy a red hat
 *     hoy las mujeres viejas no compran un sombrero rojo
 *
 *     sentence   [when] subject verb object [place] [when]    or an idiom, with or without somebody who is spoken to
 *     subject    a noun that lives, or i or we, which Spanish leaves out
 *     noun part  determiner [adjective] noun: in Spanish the adjective comes last, and all three agree
 *     verb       with or without does not / do not, which is no
 *
 * A Spanish word comes from the English words that mean it: viejas from old, no from both do and not, compro from both i
 * and buy; each word of an idiom from all of its words. Things alone are objects: of people Spanish would want an "a".
 */
#include <stdio.h>
#include <string.h>

#include "train/made_tasks.h"

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

typedef struct noun {
    const char *english[2], *spanish[2]; /* one, several */
    int gender;                          /* 0: el, 1: la */
} noun;

static const noun living[] = {
    {{"cat", "cats"}, {"gato", "gatos"}, 0},         {{"dog", "dogs"}, {"perro", "perros"}, 0},
    {{"boy", "boys"}, {"niño", "niños"}, 0},         {{"girl", "girls"}, {"niña", "niñas"}, 1},
    {{"man", "men"}, {"hombre", "hombres"}, 0},      {{"woman", "women"}, {"mujer", "mujeres"}, 1},
    {{"queen", "queens"}, {"reina", "reinas"}, 1},   {{"king", "kings"}, {"rey", "reyes"}, 0},
    {{"friend", "friends"}, {"amigo", "amigos"}, 0}, {{"cow", "cows"}, {"vaca", "vacas"}, 1},
};

static const noun things[] = {
    {{"house", "houses"}, {"casa", "casas"}, 1},
    {{"table", "tables"}, {"mesa", "mesas"}, 1},
    {{"book", "books"}, {"libro", "libros"}, 0},
    {{"car", "cars"}, {"coche", "coches"}, 0},
    {{"apple", "apples"}, {"manzana", "manzanas"}, 1},
    {{"letter", "letters"}, {"carta", "cartas"}, 1},
    {{"tree", "trees"}, {"árbol", "árboles"}, 0},
    {{"chair", "chairs"}, {"silla", "sillas"}, 1},
    {{"hat", "hats"}, {"sombrero", "sombreros"}, 0},
    {{"key", "keys"}, {"llave", "llaves"}, 1},
    {{"garden", "gardens"}, {"jardín", "jardines"}, 0},
    {{"boat", "boats"}, {"barco", "barcos"}, 0},
};

/* Spanish: [gender][number]. A determiner that has no such number: NULL. */
typedef struct inflected {
    const char *english[2];
    const char *spanish[2][2];
} inflected;

static const inflected determiners[] = {
    {{"the", "the"}, {{"el", "los"}, {"la", "las"}}},
    {{"a", NULL}, {{"un", NULL}, {"una", NULL}}},
    {{NULL, "some"}, {{NULL, "unos"}, {NULL, "unas"}}},
    {{"this", "these"}, {{"este", "estos"}, {"esta", "estas"}}},
    {{"my", "my"}, {{"mi", "mis"}, {"mi", "mis"}}},
    {{"our", "our"}, {{"nuestro", "nuestros"}, {"nuestra", "nuestras"}}},
};
enum { A = 1, MY = 4 };

static const inflected adjectives[] = {
    {{"red", "red"}, {{"rojo", "rojos"}, {"roja", "rojas"}}},
    {{"white", "white"}, {{"blanco", "blancos"}, {"blanca", "blancas"}}},
    {{"small", "small"}, {{"pequeño", "pequeños"}, {"pequeña", "pequeñas"}}},
    {{"old", "old"}, {{"viejo", "viejos"}, {"vieja", "viejas"}}},
    {{"new", "new"}, {{"nuevo", "nuevos"}, {"nueva", "nuevas"}}},
    {{"big", "big"}, {{"grande", "grandes"}, {"grande", "grandes"}}},
    {{"green", "green"}, {{"verde", "verdes"}, {"verde", "verdes"}}},
    {{"blue", "blue"}, {{"azul", "azules"}, {"azul", "azules"}}},
};

typedef struct verb {
    const char *english[2]; /* one does, several do */
    const char *spanish[4]; /* he, they, i, we */
} verb;

static const verb verbs[] = {
    {{"sees", "see"}, {"ve", "ven", "veo", "vemos"}},
    {{"has", "have"}, {"tiene", "tienen", "tengo", "tenemos"}},
    {{"wants", "want"}, {"quiere", "quieren", "quiero", "queremos"}},
    {{"buys", "buy"}, {"compra", "compran", "compro", "compramos"}},
    {{"finds", "find"}, {"encuentra", "encuentran", "encuentro", "encontramos"}},
    {{"paints", "paint"}, {"pinta", "pintan", "pinto", "pintamos"}},
    {{"needs", "need"}, {"necesita", "necesitan", "necesito", "necesitamos"}},
    {{"sells", "sell"}, {"vende", "venden", "vendo", "vendemos"}},
};

static const char *const places[][2] = {
    {"in", "en"}, {"with", "con"}, {"without", "sin"}, {"under", "bajo"}};
static const char *const times[][2] = {
    {"today", "hoy"}, {"now", "ahora"}, {"tomorrow", "mañana"}, {"always", "siempre"}};
static const char *const pronouns[] = {"i", "we"};
static const char *const idioms[][2] = {
    {"you are welcome", "de nada"},   {"thank you", "gracias"},
    {"good morning", "buenos días"},  {"good night", "buenas noches"},
    {"see you soon", "hasta pronto"}, {"how are you", "qué tal"},
};

/* ---- writing ---- */

typedef struct writer {
    lh_dice *dice;
    lh_case *pair;
    int n; /* English words so far */
} writer;

static void add_text(char *text, const char *word) {
    const size_t n = strlen(text);
    snprintf(text + n, LH_CASE_TEXT - n, "%s%s", n ? " " : "", word);
}

/* The bit of the word that was written. */
static uint32_t english(writer *w, const char *word) {
    add_text(w->pair->question, word);
    return (uint32_t)1 << w->n++;
}

static void spanish(writer *w, const char *word, uint32_t from) {
    add_text(w->pair->answer, word);
    w->pair->from[w->pair->n_from++] = from;
}

static bool begins_with_vowel(const char *s) {
    return strchr("aeiou", *s) != NULL;
}

typedef struct noun_choice {
    const noun *noun;
    const inflected *determiner, *adjective; /* adjective: or NULL */
    int number;
} noun_choice;

static void noun_part(writer *w, const noun_choice *c) {
    const noun *n = c->noun;
    const char *first = c->adjective ? c->adjective->english[c->number] : n->english[c->number];
    const char *article = c->determiner->english[c->number];
    if (strcmp(article, "a") == 0 && begins_with_vowel(first)) article = "an";
    const uint32_t d = english(w, article);
    const uint32_t a = c->adjective ? english(w, first) : 0;
    const uint32_t k = english(w, n->english[c->number]);
    spanish(w, c->determiner->spanish[n->gender][c->number], d);
    spanish(w, n->spanish[c->number], k);
    if (a) spanish(w, c->adjective->spanish[n->gender][c->number], a);
}

/* person: he, they, i, we, as in a verb; subject: the bit of i or we, or 0. */
static void verb_part(writer *w, const verb *v, int person, uint32_t subject, bool is_denied) {
    if (is_denied) {
        uint32_t no = english(w, person == 0 ? "does" : "do");
        no |= english(w, "not");
        spanish(w, "no", no);
    }
    const char *form = v->english[is_denied || person != 0];
    spanish(w, v->spanish[person], subject | english(w, form));
}

static void plain_word(writer *w, const char *const *both) {
    spanish(w, both[1], english(w, both[0]));
}

static int count_words(const char *s) {
    int n = 1;
    for (; *s; s++) n += *s == ' ';
    return n;
}

/* Each of its words from all of its words. */
static void idiom_part(writer *w, const char *const *both) {
    w->n = count_words(both[0]);
    add_text(w->pair->question, both[0]);
    add_text(w->pair->answer, both[1]);
    for (int k = count_words(both[1]); k > 0; k--)
        w->pair->from[w->pair->n_from++] = ((uint32_t)1 << w->n) - 1;
}

/* ---- by dice ---- */

static const inflected *roll_determiner(lh_dice *d, int number) {
    for (;;) {
        const inflected *x = &determiners[lh_roll(d, COUNT(determiners))];
        if (x->english[number]) return x;
    }
}

static int roll_noun(writer *w, const noun *list, int n, const inflected *determiner) {
    noun_choice c = {.number = lh_roll(w->dice, 2), .noun = &list[lh_roll(w->dice, n)]};
    c.determiner = determiner ? determiner : roll_determiner(w->dice, c.number);
    if (lh_roll(w->dice, 2)) c.adjective = &adjectives[lh_roll(w->dice, COUNT(adjectives))];
    noun_part(w, &c);
    return c.number;
}

static void roll_sentence(writer *w) {
    lh_dice *d = w->dice;
    const int time = lh_roll(d, 4); /* 0: first, 1: last, else never */
    const char *const *when = times[lh_roll(d, COUNT(times))];
    const verb *v = &verbs[lh_roll(d, COUNT(verbs))];
    const bool is_denied = lh_roll(d, 4) == 0;
    if (time == 0) plain_word(w, when);
    if (lh_roll(d, 4) == 0) {
        const int who = lh_roll(d, 2);
        const uint32_t subject = english(w, pronouns[who]);
        verb_part(w, v, 2 + who, subject, is_denied);
    } else {
        const int number = roll_noun(w, living, COUNT(living), NULL);
        verb_part(w, v, number, 0, is_denied);
    }
    roll_noun(w, things, COUNT(things), NULL);
    if (lh_roll(d, 3) == 0) {
        plain_word(w, places[lh_roll(d, COUNT(places))]);
        roll_noun(w, things, COUNT(things), NULL);
    }
    if (time == 1) plain_word(w, when);
}

void lh_grammar_make(lh_dice *d, lh_case *p) {
    writer w = {.dice = d, .pair = p};
    if (lh_roll(d, 16)) {
        roll_sentence(&w);
        return;
    }
    idiom_part(&w, idioms[lh_roll(d, COUNT(idioms))]);
    p->is_idiom = lh_roll(d, 2);
    if (!p->is_idiom) roll_noun(&w, living, COUNT(living), &determiners[MY]);
}

/* ---- a sentence that somebody else wrote ---- */

typedef struct reader {
    char text[LH_CASE_TEXT];
    const char *word[LH_CASE_WORDS + 1]; /* in text; NULL behind the last */
    int n;                               /* read so far */
} reader;

static void cut_words(reader *r, const char *text) {
    int n = 0;
    char *rest = r->text;
    snprintf(r->text, sizeof r->text, "%s", text);
    for (char *word; n < LH_CASE_WORDS && (word = strtok_r(rest, " ", &rest));) r->word[n++] = word;
    r->word[n] = NULL;
}

static bool is_next(const reader *r, const char *text) {
    return r->word[r->n] && text && strcmp(r->word[r->n], text) == 0;
}

/* One of a table of plain words, or NULL and nothing is read. */
static const char *const *read_plain(reader *r, const char *const (*list)[2], int n) {
    for (int i = 0; i < n; i++)
        if (is_next(r, list[i][0])) return r->n++, list[i];
    return NULL;
}

static const inflected *read_inflected(reader *r, const inflected *list, int n, int number) {
    for (int i = 0; i < n; i++)
        if (is_next(r, list[i].english[number])) return r->n++, &list[i];
    return NULL;
}

/* Both numbers are tried: "the" says neither. "an" is "a" here, and right only where the sentence comes out as it stands. */
static bool read_noun(reader *r, const noun *list, int n, noun_choice *c) {
    const int start = r->n;
    for (c->number = 0; c->number < 2; c->number++) {
        r->n = start;
        c->determiner = is_next(r, "an") && c->number == 0
                            ? (r->n++, &determiners[A])
                            : read_inflected(r, determiners, COUNT(determiners), c->number);
        if (!c->determiner) continue;
        c->adjective = read_inflected(r, adjectives, COUNT(adjectives), c->number);
        for (int i = 0; i < n; i++)
            if (is_next(r, list[i].english[c->number])) return r->n++, c->noun = &list[i], true;
    }
    r->n = start;
    return false;
}

static bool read_verb(reader *r, writer *w, int person, uint32_t subject) {
    const bool is_denied = is_next(r, person == 0 ? "does" : "do");
    if (is_denied) r->n += 2;
    if (r->n > LH_CASE_WORDS) return false;
    for (int i = 0; i < COUNT(verbs); i++)
        if (is_next(r, verbs[i].english[is_denied || person != 0])) {
            r->n++;
            verb_part(w, &verbs[i], person, subject, is_denied);
            return true;
        }
    return false;
}

static bool read_subject(reader *r, writer *w) {
    noun_choice c;
    for (int who = 0; who < 2; who++)
        if (is_next(r, pronouns[who])) {
            r->n++;
            const uint32_t subject = english(w, pronouns[who]);
            return read_verb(r, w, 2 + who, subject);
        }
    if (!read_noun(r, living, COUNT(living), &c)) return false;
    noun_part(w, &c);
    return read_verb(r, w, c.number, 0);
}

static bool read_thing(reader *r, writer *w) {
    noun_choice c;
    if (!read_noun(r, things, COUNT(things), &c)) return false;
    noun_part(w, &c);
    return true;
}

static bool read_sentence(reader *r, writer *w) {
    const char *const *when = read_plain(r, times, COUNT(times)), *const * place;
    if (when) plain_word(w, when);
    if (!read_subject(r, w) || !read_thing(r, w)) return false;
    place = read_plain(r, places, COUNT(places));
    if (place) plain_word(w, place);
    if (place && !read_thing(r, w)) return false;
    when = when ? NULL : read_plain(r, times, COUNT(times));
    if (when) plain_word(w, when);
    return true;
}

static bool read_idiom(reader *r, writer *w, const char *text) {
    noun_choice c;
    for (int i = 0; i < COUNT(idioms); i++) {
        const size_t n = strlen(idioms[i][0]);
        if (strncmp(text, idioms[i][0], n) != 0 || (text[n] && text[n] != ' ')) continue;
        idiom_part(w, idioms[i]);
        r->n = w->n;
        w->pair->is_idiom = !text[n];
        if (!text[n]) return true;
        if (!is_next(r, "my") || !read_noun(r, living, COUNT(living), &c)) return false;
        noun_part(w, &c);
        return true;
    }
    return false;
}

bool lh_grammar_read(const char *text, lh_case *p) {
    reader r = {.n = 0};
    writer w = {.pair = p};
    memset(p, 0, sizeof *p);
    if (strlen(text) >= LH_CASE_TEXT) return false;
    cut_words(&r, text);
    if (!read_idiom(&r, &w, text)) {
        if (*p->question) return false;
        if (!read_sentence(&r, &w)) return false;
    }
    return strcmp(p->question, text) == 0;
}

/* ---- its words ---- */

typedef struct teller {
    void (*each)(void *who, const char *word);
    void *who;
} teller;

static void tell(const teller *t, const char *text) {
    char word[LH_CASE_TEXT];
    for (size_t n; text && *text; text += n + (text[n] == ' ')) {
        n = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, text);
        t->each(t->who, word);
    }
}

static void tell_nouns(const teller *t, const noun *list, int n, int language) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 2; k++) tell(t, language ? list[i].spanish[k] : list[i].english[k]);
}

static void tell_words(const teller *t, const inflected *list, int n, int language) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            tell(t, language ? list[i].spanish[k / 2][k % 2] : list[i].english[k % 2]);
}

static void tell_table(const teller *t, const char *const (*list)[2], int n, int language) {
    for (int i = 0; i < n; i++) tell(t, list[i][language]);
}

void lh_grammar_words(void (*each)(void *who, const char *word), void *who) {
    const teller t = {each, who};
    for (int language = 0; language < 2; language++) {
        tell_words(&t, determiners, COUNT(determiners), language);
        tell(&t, language ? "no" : "an do does not i we");
        tell_nouns(&t, living, COUNT(living), language);
        tell_nouns(&t, things, COUNT(things), language);
        tell_words(&t, adjectives, COUNT(adjectives), language);
        for (int i = 0; i < COUNT(verbs); i++)
            for (int k = 0; k < (language ? 4 : 2); k++)
                tell(&t, language ? verbs[i].spanish[k] : verbs[i].english[k]);
        tell_table(&t, places, COUNT(places), language);
        tell_table(&t, times, COUNT(times), language);
        tell_table(&t, idioms, COUNT(idioms), language);
    }
}
