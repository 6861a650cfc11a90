// Where the kernels find what src/decoding/jpeg-plan.ts lays out for one JPEG file, in bytes.

/** Units across and down, units between restarts or 0, then three components. */
export const UNITS_ACROSS: usize = 0;
export const UNITS_DOWN: usize = 4;
export const RESTART: usize = 8;
export const FIRST: usize = 12;
export const COMPONENTS: usize = 3;

/** Of each component: blocks of a unit, its plane, and where its tables are. */
export const FIELDS: usize = 40;
export const ACROSS: usize = 0;
export const DOWN: usize = 4;
export const PLANE: usize = 8;
export const STRIDE: usize = 12;
export const STEPS: usize = 16;
export const FIRST_CODES: usize = 20;
export const OTHER_CODES: usize = 24;
/** Coefficient of the last block's mean: 0 at first. */
export const LAST: usize = 28;
/** Samples that a block becomes, in a row: 8, 4, 2 or 1. */
export const SIZE: usize = 32;
/** Columns of the plane that belong to a block: twice as many where the samples are repeated. */
export const WIDTH: usize = 36;

/**
 * Codes: for each beginning of 9 bits what is known by it; of each length the largest code, and what to add to a code to find
 * its symbol; how many codes there are of each length from 1 to 16; their symbols. The last two come from the file. Where
 * coefficients are passed over, how far a beginning of 13 bits leads follows, and room for making that.
 */
export const SHORT: i32 = 9;
export const LARGEST: usize = 2048;
export const ADDED: usize = LARGEST + 17 * 4;
export const COUNTS: usize = ADDED + 17 * 4;
export const SYMBOLS: usize = COUNTS + 16;
export const SKIPS: usize = SYMBOLS + 256;
export const SKIP_BITS: i32 = 13;
export const SINGLE_SKIPS: usize = SKIPS + (2 << SKIP_BITS);
