/* limits -- every number that marking chose, with its reason. All others follow from the digits that a sheet asks for.
 *
 * A unit is one in the last digit asked for. The tests in test_mark.c hold these numbers from both sides: honest learners, who
 * must never be called wrong, and spoiled numbers, which must be caught.
 */
#ifndef LH_LEARN_LIMITS_H
#define LH_LEARN_LIMITS_H

/* ---- one number ---- */

#define LH_DUST 1e-9            /* of a unit: what a sum in another order leaves */
#define LH_HALF (0.5 + LH_DUST) /* a tie may go either way */
/* of a number, where its unit is smaller than a double can tell: some hundred last bits */
#define LH_LAST_BITS 1e-13
/* a digit written stands for more than this: fewer digits than asked, which is 10, 100 ... */
#define LH_FEWER_UNITS 1.5
/* fewer digits still tell something below that: one is missing, not two ... */
#define LH_TELLING_UNITS 30
/* ... or so many are there, the first of which is not 0 */
#define LH_TELLING_DIGITS 2
/* 2.9998 for a count of 3 is dust of a calculator; 2.9 is another number */
#define LH_WHOLE_UNITS 1e-3

/* so near to where another way leads a number must lie: rounding on it does no more where it is one */
#define LH_OTHER_UNITS 5
/* an old number so far off is not so by rounding: a sheet asks for digits that move by 6 */
#define LH_STALE_UNITS 3

/* Somebody who cuts off writes a number from 0.5 to 1 below, somebody who rounds up one from 0 to 0.5 above; close to the ends
 * both may be. */
#define LH_CUT_FROM     0.55
#define LH_ROUNDED_FROM 0.05

/* ---- how far a number may lie from where it rests ---- */

enum {
    /* units: a box of this width would excuse nearly anything; two digits of slack */
    LH_REACH_WIDE = 20,
    /* a number may have been rounded to the digits asked, or to one, two or three more; with more still, rounding does
     * nothing that shows */
    LH_MORE_DIGITS = 4,
    /* cells that somebody works out with a pen; more were left to a machine, which does not round */
    LH_BY_HAND = 400,
    LH_PLAIN_DECIMALS = 7, /* more are asked for as 1.5e-9 */
    LH_PRINTED = 6,        /* digits of the numbers that a sheet gives: paper.c prints as many */
    /* of a way on which a number is looked for: a millionth of a millionth of it is left */
    LH_HALVINGS = 40
};
/* a corner that differs from the sum by more than a tenth of it: the sum says too little to list */
#define LH_BENT_SHARE 10
/* what is bent by a third of what it does is a jump, not a curve: relu's gradient is bent by half */
#define LH_JUMP_SHARE 3
/* from there on a number is looked for between roundings: nearer, the last digit may be off by one */
#define LH_GAP_UNITS 2.5
/* and so near to a number that can be reached it may lie: off by one, and half for its own rounding */
#define LH_BESIDE_UNITS 2.0
/* a number so far behind the end is looked for behind a jump: less is the last digit */
#define LH_BEYOND_UNITS 1.5
/* sums that are nearer than an eighth of a unit are one: far less than what is judged */
#define LH_JOINED_PARTS 8

/* ---- how much is looked at ---- */

enum {
    /* deviations tried one by one where a formula is bent: the strongest; the others do less than a unit */
    LH_MOST_TURNED = 40,
    /* numbers that one may have been rounded to: 4 precisions, up and down, cut off, three each */
    LH_MOST_PARTS = 40,
    /* of roundings that were made or not: more lie closer together than a unit */
    LH_MOST_SUMS = 8192,
    LH_MOST_JUMPS = 4,     /* that are looked behind: more stand at their kink in no lesson */
    LH_MOST_VARIANTS = 64, /* programs with mistakes that are held at the same time: memory */
    /* of these, those that later steps may follow: six mistakes and their unions */
    LH_MOST_ACTIVE = 16,
    /* usual ways of carrying numbers on that are tried however long they take: nearly everybody works so */
    LH_SURE_WAYS = 3,
    LH_MOST_OPERANDS = 32, /* of a step, that are tried as they were before an update */
    /* numbers that must speak for a digit fewer carried on: one is any slip */
    LH_PROVING_HABIT = 2,
    /* numbers that must speak for a mistake in a step that nobody wrote down */
    LH_PROVING_CELLS = 3,
    /* of n cells of a matrix one in so many, and at least one, may be off by a last digit besides a known mistake */
    LH_MOST_SLIPS = 4
};

/* Work that one sheet may take, in numbers that are read or worked out: half a second or so on a machine of ten years ago. What
 * is left then is judged by the first look, the sum of what each rounding does alone, and no more names are looked for. */
#define LH_MOST_EFFORT 60e6
#define LH_PASS_EFFORT 15e6 /* of one pass over it, and for what the right numbers lead to */
/* What a pass spends beyond that before it stops following roundings: lines that nobody wrote down then count as a machine's, which
 * does not round. No lesson comes there, but three steps of a GPT do. */
#define LH_PATIENCE 5e6
/* While so much of a pass is left, steps that no update changes are also worked out again behind an update, as some learners do:
 * everything anew is much work, and the rest of it is needed for names of mistakes. */
#define LH_ANEW_SHARE 0.75
/* While so much of it is left, a sheet is also judged in full as that of somebody who carries on a digit fewer. */
#define LH_FEWER_SHARE        0.25
#define LH_SENSITIVITY_EFFORT 1.2 /* of what one rounding does to one number: it is only added up */
#define LH_LINE_EFFORT        20  /* of one line, however small: its plan is run */
#define LH_NODE_EFFORT        0.3 /* of one node of the program, for a plan that is made for a line */
#define LH_BUILD_EFFORT       30 /* of one node of the program, for a program with a mistake made */

#endif
