/* save -- the words that a save leaves in its files: what folder.c and folder_save.c share. Not for other folders. */
#ifndef LH_FILES_SAVE_H
#define LH_FILES_SAVE_H

#define LH_SAVE_STEP      "longhand.step"
#define LH_SAVE_SEED      "longhand.seed"
#define LH_SAVE_POSITION  "longhand.position"
#define LH_SAVE_BATCH     "longhand.batch"     /* examples in it; not there: position by step */
#define LH_SAVE_PRECISION "longhand.precision" /* of products; not there: float */
#define LH_SAVE_MICRO     "longhand.micro"     /* examples at a time; not there: all of a batch */
#define LH_SAVE_PIECES    "longhand.pieces"    /* that a batch is cut into; not there: it is not */
#define LH_SAVE_DATA      "longhand.data"      /* which text was learned from */
#define LH_SAVE_PROGRAM   "longhand.program"
#define LH_SAVE_SET       "longhand.set."      /* ... and the name of a setting */
#define LH_SAVE_FILE      "longhand.optimizer" /* the optimiser's file; in that file, its own name */

#define LH_SAVE_PROGRAM_FILE "program.lh"

/* optimizer-100.safetensors, or optimizer-100-2.safetensors where the first belongs to the save before. */
#define LH_SAVE_OPTIMIZER "optimizer-"
#define LH_SAVE_ENDING    ".safetensors"

#endif
