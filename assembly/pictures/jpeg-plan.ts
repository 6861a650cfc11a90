// Where the kernels find what src/decoding/small-jpeg.ts lays out for one JPEG file, in bytes.

/** Units across and down, then three components. */
export const UNITS_ACROSS: usize = 0;
export const UNITS_DOWN: usize = 4;
export const FIRST: usize = 8;
export const COMPONENTS: usize = 3;

/** Of each component: blocks of a unit, its plane, and where its tables are. */
export const FIELDS: usize = 32;
export const ACROSS: usize = 0;
export const DOWN: usize = 4;
export const PLANE: usize = 8;
export const STRIDE: usize = 12;
export const STEPS: usize = 16;
export const FIRST_CODES: usize = 20;
export const OTHER_CODES: usize = 24;
/** Coefficient of the last block's mean: 0 at first. */
export const LAST: usize = 28;

/**
 * Codes: for each beginning of 9 bits what is known by it; of each length the largest code, and what to add to a code to find
 * its symbol; how many codes there are of each length from 1 to 16; their symbols. The last two come from the file.
 */
export const SHORT: i32 = 9;
export const LARGEST: usize = 2048;
export const ADDED: usize = LARGEST + 17 * 4;
export const COUNTS: usize = ADDED + 17 * 4;
export const SYMBOLS: usize = COUNTS + 16;
