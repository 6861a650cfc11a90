// Generates the products of matrices and vectors, of one element type. They wait for memory: what counts is how often
// the vector is read, and in how many streams the matrix is. Sums run in a fixed order whatever the number of rows.
import { multiplyAdd, range } from './tiles.mjs';

/** Bytes from which on a row is long: the vector beside it takes a good part of the first cache. */
const longRow = 8192;

/** Σⱼ x[j]·y[j]: four vector sums, then their lanes in order, then the rest one by one. */
function dot(family, { type, vector, bytes, lanes }) {
  return `
export function dot_${type}(n: i32, x: usize, y: usize): ${type} {
${range(4).map((v) => `  let s${v}: v128 = ${vector}.splat(0);`).join('\n')}
  let left = n;
  for (; left >= ${4 * lanes}; left -= ${4 * lanes}) {
${range(4)
  .map((v) => `    s${v} = ${multiplyAdd(family, vector, `s${v}`, `v128.load(x, ${16 * v})`, `v128.load(y, ${16 * v})`)};`)
  .join('\n')}
    x += 64;
    y += 64;
  }
  const sums = ${vector}.add(${vector}.add(s0, s1), ${vector}.add(s2, s3));
  let sum: ${type} = ${range(lanes).map((lane) => `${vector}.extract_lane(sums, ${lane})`).join(' + ')};
  for (; left > 0; left--) {
    sum += load<${type}>(x) * load<${type}>(y);
    x += ${bytes};
    y += ${bytes};
  }
  return sum;
}

/** out[i] ← row i of A · row i of B */
export function rowDots_${type}(m: i32, n: i32, a: usize, lda: usize, b: usize, ldb: usize, out: usize): void {
  for (let i = 0; i < m; i++) {
    store<${type}>(out, dot_${type}(n, a, b));
    out += ${bytes};
    a += lda;
    b += ldb;
  }
}
`;
}

/**
 * The products of rows with one vector. Long rows are taken eight at a time, each with one vector sum: x is read an
 * eighth as often, and memory is fastest in several streams. Short rows follow each other in one stream. Which way a
 * row is summed depends on its length alone, not on the rows beside it.
 */
function rowsTimesVector(family, { type, vector, bytes, lanes }) {
  const group = 8;
  const sumRows = (rows) => `
${rows.map((row) => `  let row${row} = a${row === 0 ? '' : ` + ${row} * lda`};`).join('\n')}
${rows.map((row) => `  let s${row}: v128 = ${vector}.splat(0);`).join('\n')}
  const end = x + <usize>n * ${bytes};
  const whole = x + <usize>(n / ${lanes}) * 16;
  while (x < whole) {
    const v = v128.load(x);
${rows.map((row) => `    s${row} = ${multiplyAdd(family, vector, `s${row}`, `v128.load(row${row})`, 'v')};`).join('\n')}
${rows.map((row) => `    row${row} += 16;`).join('\n')}
    x += 16;
  }
${rows
  .map((row) => `  let t${row}: ${type} = ${range(lanes).map((lane) => `${vector}.extract_lane(s${row}, ${lane})`).join(' + ')};`)
  .join('\n')}
  while (x < end) {
    const v = load<${type}>(x);
${rows.map((row) => `    t${row} += load<${type}>(row${row}) * v;`).join('\n')}
${rows.map((row) => `    row${row} += ${bytes};`).join('\n')}
    x += ${bytes};
  }
${rows.map((row) => `  store<f64>(out, <f64>t${row}, ${8 * row});`).join('\n')}`;
  return `
export function longDots_${type}(n: i32, a: usize, lda: usize, x: usize, out: usize): void {${sumRows(range(group))}
}

export function longDot_${type}(n: i32, a: usize, lda: usize, x: usize, out: usize): void {${sumRows([0])}
}

/** out[i] ← row i of A · x, stored in double precision */
export function rowsTimesVector_${type}(m: i32, n: i32, a: usize, lda: usize, x: usize, out: usize): void {
  if (<usize>n * ${bytes} < ${longRow}) {
    for (; m > 0; m--) {
      store<f64>(out, <f64>dot_${type}(n, a, x));
      a += lda;
      out += 8;
    }
    return;
  }
  for (; m >= ${group}; m -= ${group}) {
    longDots_${type}(n, a, lda, x, out);
    a += ${group} * lda;
    out += ${8 * group};
  }
  for (; m > 0; m--) {
    longDot_${type}(n, a, lda, x, out);
    a += lda;
    out += 8;
  }
}

/** y ← α A x + β y; \`scratch\` has room for ${group} sums and belongs to the calling thread. */
export function timesVector_${type}(m: i32, n: i32, alpha: f64, a: usize, lda: usize, x: usize, beta: f64, y: usize, scratch: usize): void {
  for (; m > 0; m -= ${group}) {
    const rows = min(m, ${group});
    rowsTimesVector_${type}(rows, n, a, lda, x, scratch);
    for (let i = 0; i < rows; i++) {
      const value = <${type}>alpha * <${type}>load<f64>(scratch + (<usize>i << 3));
      store<${type}>(y, beta == 0 ? value : value + <${type}>beta * load<${type}>(y));
      y += ${bytes};
    }
    a += ${group} * lda;
  }
}
`;
}

/**
 * y ← y + A'x, one product after the other for every element of y. Long rows are taken six at a time, so that y is read
 * and written a sixth as often; short ones singly, because memory is read fastest in one stream.
 */
function addRows(family, { type, vector, bytes, lanes }) {
  const pass = (rows, vectors) => {
    const step = (offset) =>
      rows.reduce(
        (sum, row) => multiplyAdd(family, vector, sum, `v128.load(row${row} + at, ${offset})`, `x${row}`),
        `v128.load(y + at, ${offset})`,
      );
    const stepOne = rows.reduce(
      (sum, row) => `(${sum} + load<${type}>(row${row} + at) * load<${type}>(x, ${row * bytes}))`,
      `load<${type}>(y + at)`,
    );
    return `
${rows.map((row) => `    const row${row} = a${row === 0 ? '' : ` + ${row} * lda`};`).join('\n')}
${rows.map((row) => `    const x${row} = ${vector}.splat(load<${type}>(x, ${row * bytes}));`).join('\n')}
    let at: usize = 0;
    while (at < whole) {
${range(vectors).map((v) => `      v128.store(y + at, ${step(16 * v)}, ${16 * v});`).join('\n')}
      at += ${16 * vectors};
    }
    while (at < end) {
      store<${type}>(y + at, ${stepOne});
      at += ${bytes};
    }
    a += ${rows.length} * lda;
    x += ${rows.length * bytes};`;
  };
  return `
export function addRows_${type}(m: i32, n: i32, a: usize, lda: usize, x: usize, y: usize): void {
  const end = <usize>n * ${bytes};
  const whole = <usize>(n / ${2 * lanes}) * 32;
  for (; m >= 6 && end >= ${longRow}; m -= 6) {${pass(range(6), 1)}
  }
  for (; m > 0; m--) {${pass([0], 2)}
  }
}
`;
}

/** Rows in consecutive segments, segment c being the rows from starts[c] to starts[c + 1]. */
function segments({ type, bytes }) {
  return `
/** out[i] ← row i of A · the row of B that belongs to its segment, for rows [begin, end) of A */
export function segmentDots_${type}(begin: i32, end: i32, n: i32, a: usize, lda: usize, b: usize, ldb: usize, starts: usize, out: usize): void {
  let segment = 0;
  for (let i = begin; i < end; ) {
    while (load<i32>(starts + (<usize>segment << 2), 4) <= i) segment++;
    const last = min(end, load<i32>(starts + (<usize>segment << 2), 4));
    rowsTimesVector_${type}(last - i, n, a + <usize>i * lda, lda, b + <usize>segment * ldb, out + (<usize>i << 3));
    i = last;
  }
}

/** out ← β out + Σ over the segment of weights[i]·(row i of A) */
export function segmentSum_${type}(segment: i32, n: i32, a: usize, lda: usize, weights: usize, starts: usize, beta: f64, out: usize): void {
  const begin = load<i32>(starts + (<usize>segment << 2));
  const end = load<i32>(starts + (<usize>segment << 2), 4);
  addScaled_${type}(1, n, 0, out, 0, beta, out, 0);
  addRows_${type}(end - begin, n, a + <usize>begin * lda, lda, weights + <usize>begin * ${bytes}, out);
}
`;
}

export function vectorsSource(family, element) {
  return dot(family, element) + rowsTimesVector(family, element) + addRows(family, element) + segments(element);
}
