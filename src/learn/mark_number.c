/* One number: is it the right one, does it follow, was it rounded, was it a slip of the pen? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/number.h"
#include "learn/mark_internal.h"

const char *const lh_verdict_names[LH_N_VERDICTS] = {
    [LH_BLANK] = "blank",
    [LH_RIGHT] = "right",
    [LH_LAST_DIGIT] = "last digit",
    [LH_EARLY] = "rounded early",
    [LH_OTHER_WAY] = "another way",
    [LH_FOLLOWS] = "follows",
    [LH_FEW_DIGITS] = "too few digits",
    [LH_CARRIED] = "carried",
    [LH_COARSE] = "says too little",
    [LH_MISTAKE] = "known mistake",
    [LH_SLIP] = "slip of the pen",
    [LH_WRONG] = "wrong",
    [LH_UNREAD] = "not read",
    [LH_CANNOT] = "cannot go on",
};

bool lh_verdict_has_credit(lh_verdict v) {
    return v == LH_RIGHT || v == LH_LAST_DIGIT || v == LH_EARLY || v == LH_OTHER_WAY ||
           v == LH_FOLLOWS || v == LH_FEW_DIGITS;
}

bool lh_verdict_is_blame(lh_verdict v) {
    return v == LH_MISTAKE || v == LH_SLIP || v == LH_WRONG || v == LH_CANNOT || v == LH_CARRIED;
}

double marking_unit(const lh_ask *q) {
    return pow(10, -q->decimals);
}

double marking_last_digit(double x, int digits) {
    return x != 0 && isfinite(x) ? pow(10, floor(log10(fabs(x))) + 1 - digits) : 0;
}

/* 115964120000 on a display of eight digits: zeros behind all digits that were asked for are no digits. */
static double display_unit(lh_written w, const lh_ask *q) {
    double unit = 1, most = marking_last_digit(w.value, q->digits);
    while (unit < most && fmod(w.value, 10 * unit) == 0) unit *= 10;
    return unit;
}

/* A display of ten digits, 0.24970000 and 2497/10000 are all judged as 0.2497. */
lh_written marking_asked(lh_written w, const lh_ask *q) {
    double least = marking_unit(q) * (q->is_whole ? LH_WHOLE_UNITS : 1);
    if (w.kind == LH_WRITTEN_NUMBER && w.unit == 1 && q->decimals == 0) w.unit = display_unit(w, q);
    if (w.kind != LH_WRITTEN_NUMBER || isinf(w.value) || w.unit >= least) return w;
    w.unit = least;
    w.decimals = q->decimals;
    return w;
}

bool marking_fits(lh_written w, lh_reach_box b, double beside) {
    if (isinf(w.value) || isinf(b.at)) return w.value == b.at;
    double slack = w.unit / 2 + beside + LH_DUST * w.unit + LH_LAST_BITS * fabs(w.value);
    return w.value >= b.low - slack && w.value <= b.high + slack;
}

/* Of very small and very large numbers digits are asked for, not decimals: 1.50e-4 has three, however small the right one is. */
static double asked_unit(lh_written w, const lh_ask *q) {
    const bool is_plain = q->decimals > 0 && q->decimals <= LH_PLAIN_DECIMALS;
    return is_plain ? marking_unit(q)
                    : fmax(marking_unit(q), marking_last_digit(w.value, q->digits));
}

bool marking_is_short(lh_written w, const lh_ask *q) {
    return w.unit > LH_FEWER_UNITS * asked_unit(w, q);
}

/* Who goes on from the right numbers instead of their own is not wrong. one: so far beside it may be. */
static lh_verdict judge(lh_written w, double exact, const lh_reach_box *own,
                        const lh_reach_box *from_true, bool is_tainted, double one) {
    if (lh_written_rounds(exact, w)) return LH_RIGHT;
    if (own && marking_fits(w, *own, 0)) return is_tainted ? LH_FOLLOWS : LH_EARLY;
    if (own && marking_fits(w, *own, one)) return is_tainted ? LH_FOLLOWS : LH_LAST_DIGIT;
    if (from_true && marking_fits(w, *from_true, 0)) return LH_EARLY;
    if (from_true && marking_fits(w, *from_true, one)) return LH_LAST_DIGIT;
    return own ? LH_WRONG : LH_CANNOT;
}

/* With zeros in place of the digits that are missing, but for the last few. */
static lh_written with_zeros(lh_written w, const lh_ask *q, int fewer) {
    w.unit = marking_unit(q) * pow(10, fewer);
    w.decimals = q->decimals - fewer;
    return w;
}

/* 0.5 from a spreadsheet that has credit as 0.5000 was written so: what was before rounding is as near as to any other number. */
lh_written marking_meant(lh_written w, lh_verdict v, const lh_ask *q) {
    bool has_zeros =
        w.drops_zeros && marking_is_short(w, q) && lh_verdict_has_credit(v) && v != LH_FEW_DIGITS;
    return has_zeros ? with_zeros(w, q, 0) : w;
}

static bool is_after(const lh_ask *q) {
    return q->moment > 0 || q->step->kind == LH_STEP_UPDATE;
}

/* Do fewer digits than asked tell something? Not 0 for 0.05 nor 1 for 0.6: whatever one does comes near those. 0.18 for 0.1789
 * does, but what an update did shows in the last digits alone. */
bool marking_is_telling(lh_written w, const lh_ask *q) {
    const bool is_digit = fabs(w.value) <= w.unit * (1 + LH_DUST);
    if (!marking_is_short(w, q)) return true;
    if (w.unit <= LH_TELLING_UNITS * asked_unit(w, q))
        return q->digits > LH_TELLING_DIGITS || !is_digit;
    return !is_after(q) && w.unit <= marking_last_digit(w.value, LH_TELLING_DIGITS) * (1 + LH_DUST);
}

/* Fewer digits than asked: those that are missing may be zeros. Zeros that a spreadsheet dropped are digits like others: the last
 * one may be off by one, too. Otherwise it must be a correct rounding, right as far as it goes: 0.498 for 0.4982, and 0.1 for 0.1003,
 * which is 0.100. */
lh_verdict marking_judge(lh_written w, double exact, const lh_reach_box *own,
                         const lh_reach_box *from_true, bool is_tainted, const lh_ask *q) {
    if (!marking_is_short(w, q))
        return judge(w, exact, own, from_true, is_tainted, marking_is_sharp(q) ? 0 : w.unit);
    lh_written full = with_zeros(w, q, 0);
    lh_verdict v = judge(full, exact, own, from_true, is_tainted,
                         w.drops_zeros && !marking_is_sharp(q) ? full.unit : 0);
    if (lh_verdict_has_credit(v)) return v;
    v = judge(w, exact, own, from_true, is_tainted, 0);
    if (!lh_verdict_has_credit(v)) return v;
    if (marking_is_telling(w, q)) return LH_FEW_DIGITS;
    if (w.value == 0 || is_after(q)) return LH_COARSE;
    v = judge(with_zeros(w, q, 1), exact, own, from_true, is_tainted, 0);
    return lh_verdict_has_credit(v) ? LH_FEW_DIGITS : LH_COARSE;
}

/* ---- slips of the pen ---- */

static bool fits_number(lh_written w, double value, double unit, lh_reach_box own) {
    w.value = value;
    w.unit = unit;
    return marking_fits(w, own, 0);
}

/* Two neighbouring digits change places. */
static bool is_swapped(lh_written w, lh_reach_box own) {
    char text[64];
    int n = lh_format(text, sizeof text, "%.*f", w.decimals > 0 ? w.decimals : 0, fabs(w.value));
    if (n <= 0 || n >= (int)sizeof text) return false;
    for (int i = 0; i + 1 < n; i++) {
        int k = text[i + 1] == '.' ? i + 2 : i + 1;
        if (text[i] == '.' || k >= n || text[i] == text[k]) continue;
        char c = text[i];
        text[i] = text[k];
        text[k] = c;
        double value = lh_number_read(text, NULL);
        if (fits_number(w, w.value < 0 ? -value : value, w.unit, own)) return true;
        text[k] = text[i];
        text[i] = c;
    }
    return false;
}

const char *marking_slip(lh_written w, lh_reach_box own) {
    if (w.value == 0 || isinf(w.value)) return NULL;
    if (fits_number(w, -w.value, w.unit, own)) return "the sign is reversed";
    if (fits_number(w, w.value * 10, w.unit * 10, own) ||
        fits_number(w, w.value / 10, w.unit / 10, own))
        return "a factor of ten: look at the decimal point";
    if (fits_number(w, w.value * 100, w.unit * 100, own) ||
        fits_number(w, w.value / 100, w.unit / 100, own))
        return "a factor of a hundred: look at the decimal point";
    if (is_swapped(w, own)) return "two digits look swapped";
    return NULL;
}

/* ---- how it was carried on ---- */

/* Somebody who cuts digits off gives it away: a number stands there that nobody comes to by rounding. */
int marking_looks_cut(lh_written w, lh_reach_box own) {
    if (w.unit == 0 || w.value == 0 || own.low * own.high <= 0 || w.value * own.at <= 0) return 0;
    double x = fabs(w.value) / w.unit, least = fmin(fabs(own.low), fabs(own.high)) / w.unit,
           most = fmax(fabs(own.low), fabs(own.high)) / w.unit;
    if (x < least - LH_CUT_FROM && x > least - 1) return 1;
    return x > most + LH_ROUNDED_FROM && x < most + 0.5 ? -1 : 0;
}

/* With fewer digits than were written. A 5 at the end goes either way: what stood before it was rounded is not known, but it
 * may be known where the number comes from. */
static lh_reach_box fewer_box(lh_written w, const lh_reach_box *from, lh_habit habit,
                              const lh_ask *q) {
    if (q->decimals > LH_PLAIN_DECIMALS) w.unit = marking_last_digit(w.value, q->digits);
    if (w.unit == 0) return lh_box_at(w.value);
    double unit = w.unit * pow(10, habit.fewer), x = fabs(w.value) / unit, at = floor(x + LH_HALF),
           low = at, high = at, sign = w.value < 0 ? -1 : 1;
    if (habit.cuts) low = high = at = floor(x + LH_DUST);
    if (!habit.cuts && fabs(x - floor(x) - 0.5) < 0.5 * w.unit / unit + LH_DUST)
        low = floor(x), high = low + 1,
        at = from && sign * from->at / unit < x - LH_DUST ? low : high;
    if (sign < 0) x = low, low = high, high = x;
    return (lh_reach_box){
        .at = sign * at * unit, .low = sign * low * unit, .high = sign * high * unit};
}

/* The number written or that number before rounding, which may have had a few more digits. A wrong 1 is 1.0000: half a unit beside
 * it lies nearly anything. */
lh_reach_box marking_box(lh_written w, lh_verdict v, const lh_reach_box *own, lh_habit habit,
                         const lh_ask *q) {
    if (isinf(w.value)) return lh_box_at(w.value);
    if (habit.fewer && w.unit < 1)
        return fewer_box(w, lh_verdict_has_credit(v) ? own : NULL, habit, q);
    if (lh_verdict_is_blame(v) && !marking_is_telling(w, q)) w.unit = marking_unit(q);
    double room = w.unit * (v == LH_LAST_DIGIT || v == LH_FOLLOWS || habit.cuts ? 1 : 0.5);
    lh_reach_box b = {.at = w.value, .low = w.value - w.unit / 2, .high = w.value + w.unit / 2};
    if (habit.cuts && w.value > 0) b.high = w.value + w.unit;
    if (habit.cuts && w.value < 0) b.low = w.value - w.unit;
    if (!own || !lh_verdict_has_credit(v) || own->low > w.value + room ||
        own->high < w.value - room)
        return b;
    double low = fmax(own->low, w.value - room), high = fmin(own->high, w.value + room),
           asked =
               floor(w.value / w.unit + 0.5) * w.unit; /* of a display that was copied in full */
    return (lh_reach_box){.at = w.value,
                          .low = fmin(low, fmin(w.value, asked)),
                          .high = fmax(high, fmax(w.value, asked)),
                          .was_rounded = true,
                          .decimals = w.decimals,
                          .from = low,
                          .to = high};
}
