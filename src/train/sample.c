#include "train/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct scored {
    double share; /* first the score, then its probability up to a factor */
    int token;
} scored;

struct lh_chooser {
    lh_context *ctx;
    int n;
    scored *list; /* [n] */
    int *times;   /* [n] how often a token is there: 0 between calls */
};

lh_chooser *lh_chooser_new(lh_context *ctx, int n) {
    if (lh_failed(ctx)) return NULL;
    lh_chooser *c = ctx->alloc(sizeof *c);
    scored *list = ctx->alloc((size_t)n * sizeof *list);
    int *times = ctx->alloc((size_t)n * sizeof *times);
    if (c && list && times) {
        memset(times, 0, (size_t)n * sizeof *times);
        *c = (lh_chooser){ctx, n, list, times};
        return c;
    }
    ctx->release(c);
    ctx->release(list);
    ctx->release(times);
    lh_fail(ctx, LH_ERROR_MEMORY, (lh_place){0, 0, 0}, "out of memory for %d scores", n);
    return NULL;
}

void lh_chooser_free(lh_chooser *c) {
    if (!c) return;
    c->ctx->release(c->list);
    c->ctx->release(c->times);
    c->ctx->release(c);
}

static int highest(const float *score, int n) {
    int best = -1;
    for (int i = 0; i < n; i++)
        if (!isnan(score[i]) && (best < 0 || score[i] > score[best])) best = i;
    return best;
}

static bool is_before(const scored *a, const scored *b) {
    return a->share != b->share ? a->share > b->share : a->token < b->token;
}

static int by_share(const void *a, const void *b) {
    return is_before(a, b) ? -1 : 1;
}

/* The k first of the list to its front, in any order: as quicksort does it, but one side only. */
static void select_first(scored *list, int n, int k) {
    int from = 0, to = n - 1;
    while (from < to) {
        scored middle = list[from + (to - from) / 2];
        int i = from, j = to;
        while (i <= j) {
            while (is_before(&list[i], &middle)) i++;
            while (is_before(&middle, &list[j])) j--;
            if (i > j) break;
            scored old = list[i];
            list[i++] = list[j];
            list[j--] = old;
        }
        if (k - 1 <= j)
            to = j;
        else if (k - 1 >= i)
            from = i;
        else
            return;
    }
}

static int gather(lh_chooser *c, const float *score) {
    int n = 0;
    for (int i = 0; i < c->n; i++)
        if (!isnan(score[i])) c->list[n++] = (scored){score[i], i};
    return n;
}

/* The k first of all, in any order. The list is cut back to k whenever it has twice as many; from then on only what is above
 * the least of these is looked at: of many scores, few are. */
static int gather_first(lh_chooser *c, const float *score, int k) {
    int n = 0;
    double least = -INFINITY;
    if (k > c->n / 4) {
        n = gather(c, score);
        if (k < n) select_first(c->list, n, k), n = k;
        return n;
    }
    for (int i = 0; i < c->n; i++) {
        if (!(score[i] > least) && !(score[i] == least && n < k)) continue;
        c->list[n++] = (scored){score[i], i};
        if (n < 2 * k) continue;
        select_first(c->list, n, k), n = k;
        least = c->list[0].share;
        for (int j = 1; j < k; j++) least = c->list[j].share < least ? c->list[j].share : least;
    }
    if (k < n) select_first(c->list, n, k), n = k;
    return n;
}

/* Shares from scores, the highest as 1: no exponential is too large. */
static double find_shares(scored *list, int n, double top, double temperature) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        list[i].share = exp((list[i].share - top) / temperature);
        sum += list[i].share;
    }
    return sum;
}

/* The least likely first, of those below the share: the list is sorted. */
static double keep_above(const scored *list, int *n, double sum, double least) {
    while (*n > 1 && list[*n - 1].share < least) sum -= list[--*n].share;
    return sum;
}

/* A score s of a token that is there k times: s / r where it is above 0, else s * r; then less by presence + k * frequency. */
static float penalised(float s, int times, const lh_choice *how) {
    const double r = how->repetition_penalty;
    if (r > 0 && r != 1) s = (float)(s > 0 ? (double)s / r : (double)s * r);
    if (how->presence_penalty != 0 || how->frequency_penalty != 0)
        s = (float)((double)s - how->presence_penalty - times * how->frequency_penalty);
    return s;
}

static bool penalises(const lh_choice *how) {
    const double r = how->repetition_penalty;
    return (r > 0 && r != 1) || how->presence_penalty != 0 || how->frequency_penalty != 0;
}

bool lh_choice_is_greedy(const lh_choice *how) {
    return (!(how->temperature > 0) || how->top_k == 1) && !penalises(how);
}

void lh_penalise(lh_chooser *c, float *score, const int *token, int n_tokens,
                 const lh_choice *how) {
    if (!penalises(how)) return;
    for (int i = 0; i < n_tokens; i++)
        if (token[i] >= 0 && token[i] < c->n) c->times[token[i]]++;
    for (int i = 0; i < n_tokens; i++) {
        if (token[i] < 0 || token[i] >= c->n || !c->times[token[i]]) continue;
        score[token[i]] = penalised(score[token[i]], c->times[token[i]], how);
        c->times[token[i]] = 0;
    }
}

int lh_choose(lh_chooser *c, const float *score, const lh_choice *how, double uniform) {
    const int best = highest(score, c->n);
    if (best < 0 || !(how->temperature > 0) || how->top_k == 1 || isinf(score[best])) return best;
    int n = how->top_k > 0 ? gather_first(c, score, how->top_k) : gather(c, score);
    double sum = find_shares(c->list, n, score[best], how->temperature), part = 0;
    if (how->top_p < 1 || how->min_p > 0) qsort(c->list, (size_t)n, sizeof *c->list, by_share);
    if (how->top_p < 1) {
        int kept = 0;
        do part += c->list[kept++].share;
        while (kept < n && part < how->top_p * sum);
        n = kept, sum = part;
    }
    if (how->min_p > 0) sum = keep_above(c->list, &n, sum, how->min_p);
    double left = uniform * sum;
    for (int i = 0; i < n - 1; i++) {
        left -= c->list[i].share;
        if (left < 0) return c->list[i].token;
    }
    return c->list[n - 1].token;
}
