// Generates the kernels that pass over a matrix once, element by element or to one number, of one element type.
import { multiplyAdd, range } from './tiles.mjs';

/** Element-by-element passes. Products and sums are rounded one by one in both families, as JavaScript rounds them. */
function elementwise({ type, vector, bytes, lanes }) {
  const pass = (vectorExpression, scalarExpression) => `
    let at: usize = 0;
    while (at < whole) {
      v128.store(y + at, ${vectorExpression});
      at += 16;
    }
    while (at < end) {
      store<${type}>(y + at, ${scalarExpression});
      at += ${bytes};
    }`;
  const x = 'v128.load(x + at)';
  const y = 'v128.load(y + at)';
  const xOne = `load<${type}>(x + at)`;
  const yOne = `load<${type}>(y + at)`;
  return `
/** Y ← α X + β Y; an operand whose factor is 0 is not read. */
export function addScaled_${type}(m: i32, n: i32, alpha: f64, x: usize, ldx: usize, beta: f64, y: usize, ldy: usize): void {
  const end = <usize>n * ${bytes};
  const whole = <usize>(n / ${lanes}) * 16;
  const a = <${type}>alpha;
  const b = <${type}>beta;
  const as = ${vector}.splat(a);
  const bs = ${vector}.splat(b);
  for (let i = 0; i < m; i++) {
    if (a == 0 && b == 0) {
      memory.fill(y, 0, end);
    } else if (a == 0) {${pass(`${vector}.mul(bs, ${y})`, `b * ${yOne}`)}
    } else if (b == 0) {${pass(`${vector}.mul(as, ${x})`, `a * ${xOne}`)}
    } else {${pass(`${vector}.add(${vector}.mul(as, ${x}), ${vector}.mul(bs, ${y}))`, `a * ${xOne} + b * ${yOne}`)}
    }
    x += ldx;
    y += ldy;
  }
}

/** Row i of Y is multiplied by factors[i]. */
export function scaleRows_${type}(m: i32, n: i32, y: usize, ldy: usize, factors: usize): void {
  const end = <usize>n * ${bytes};
  const whole = <usize>(n / ${lanes}) * 16;
  for (let i = 0; i < m; i++) {
    const b = load<${type}>(factors);
    const bs = ${vector}.splat(b);${pass(`${vector}.mul(bs, ${y})`, `b * ${yOne}`)}
    factors += ${bytes};
    y += ldy;
  }
}

/** Copies rows [begin, end) of the lower triangle onto the upper one, in squares that stay in the first cache. */
export function mirror_${type}(begin: i32, end: i32, c: usize, ldc: usize): void {
  for (let top = begin; top < end; top += 32) {
    const bottom = min(top + 32, end);
    for (let left = 0; left < bottom; left += 32) {
      for (let i = max(top, left + 1); i < bottom; i++) {
        const right = min(left + 32, i);
        let from = c + <usize>i * ldc + (<usize>left * ${bytes});
        let to = c + <usize>left * ldc + (<usize>i * ${bytes});
        for (let j = left; j < right; j++) {
          store<${type}>(to, load<${type}>(from));
          from += ${bytes};
          to += ldc;
        }
      }
    }
  }
}
`;
}

/** Sums and largest values that are kept in double precision whatever the elements are. */
function reductions(family, { type, vector, bytes, lanes }) {
  const wide = type === 'f32';
  // Two single-precision elements at a time, made double.
  const pair = (at, offset) => `f64x2.promote_low_f32x4(v128.load64_zero(${at}, ${offset}))`;
  return `
${
  wide
    ? `
/** Σⱼ x[j]·y[j] in double precision. */
export function dotWide_f32(n: i32, x: usize, y: usize): f64 {
${range(4).map((v) => `  let s${v}: v128 = f64x2.splat(0);`).join('\n')}
  let left = n;
  for (; left >= 8; left -= 8) {
${range(4).map((v) => `    s${v} = ${multiplyAdd(family, 'f64x2', `s${v}`, pair('x', 8 * v), pair('y', 8 * v))};`).join('\n')}
    x += 32;
    y += 32;
  }
  const sums = f64x2.add(f64x2.add(s0, s1), f64x2.add(s2, s3));
  let sum = f64x2.extract_lane(sums, 0) + f64x2.extract_lane(sums, 1);
  for (; left > 0; left--) {
    sum += <f64>load<f32>(x) * <f64>load<f32>(y);
    x += 4;
    y += 4;
  }
  return sum;
}
`
    : ''
}
/** out[i] ← row i of A · row i of B, in double precision */
export function rowDotsWide_${type}(m: i32, n: i32, a: usize, lda: usize, b: usize, ldb: usize, out: usize): void {
  for (let i = 0; i < m; i++) {
    store<f64>(out, ${wide ? 'dotWide_f32' : 'dot_f64'}(n, a, b));
    out += 8;
    a += lda;
    b += ldb;
  }
}

/** The largest |aᵢⱼ| to \`out\`, in double precision; NaN if any element is. */
export function largest_${type}(m: i32, n: i32, a: usize, lda: usize, out: usize): void {
  let most: v128 = ${vector}.splat(0);
  let mostOne: ${type} = 0;
  const end = <usize>n * ${bytes};
  const whole = <usize>(n / ${lanes}) * 16;
  for (let i = 0; i < m; i++) {
    let at: usize = 0;
    while (at < whole) {
      most = ${vector}.max(most, ${vector}.abs(v128.load(a + at)));
      at += 16;
    }
    while (at < end) {
      mostOne = max<${type}>(mostOne, abs<${type}>(load<${type}>(a + at)));
      at += ${bytes};
    }
    a += lda;
  }
${range(lanes).map((lane) => `  mostOne = max<${type}>(mostOne, ${vector}.extract_lane(most, ${lane}));`).join('\n')}
  store<f64>(out, <f64>mostOne);
}
`;
}

export function passesSource(family, element) {
  return elementwise(element) + reductions(family, element);
}
