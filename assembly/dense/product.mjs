// Generates the matrix-product kernels of one element type: packing, the register tile, and the loop over a block.
//
// Packed panels: a panel of `width` rows of op(A) (or columns of op(B)) is stored k by k, `width` elements for each k,
// padded with zeros, so that the tile reads both operands front to back.
import { multiplyAdd, range } from './tiles.mjs';

/**
 * T (rows × vectors·lanes) ← Σₖ aₖ bₖ'. The sum over k runs in order in every tile shape, so the shape chosen does not
 * change a bit of the result. V8 orders the arithmetic by the order of the accumulators: row by row, with all of b loaded
 * and one broadcast element of a at a time, keeps the fewest registers alive. Storing to C through α and β from here
 * would make the compilers reorder the accumulators and spill them.
 */
function tile(family, { type, vector, bytes, splat }, { rows, vectors }) {
  const cells = range(rows).flatMap((i) => range(vectors).map((j) => [i, j]));
  return `
export function tile_${type}_${rows}x${vectors}(depth: i32, a: usize, b: usize, t: usize): void {
${cells.map(([i, j]) => `  let c${i}${j}: v128 = ${vector}.splat(0);`).join('\n')}
  const end = a + <usize>depth * ${rows * bytes};
  while (a < end) {
${range(vectors).map((j) => `    const b${j} = v128.load(b, ${16 * j});`).join('\n')}
${range(rows)
  .map((i) =>
    [
      `    const a${i} = v128.${splat}(a, ${bytes * i});`,
      ...range(vectors).map((j) => `    c${i}${j} = ${multiplyAdd(family, vector, `c${i}${j}`, `a${i}`, `b${j}`)};`),
    ].join('\n'),
  )
  .join('\n')}
    a += ${rows * bytes};
    b += ${vectors * 16};
  }
${cells.map(([i, j]) => `  v128.store(t, c${i}${j}, ${16 * (i * vectors + j)});`).join('\n')}
}
`;
}

/**
 * One block of C ← α A B + β C from packed panels, tile by tile. Element (i, j) of the block is written only where
 * j ≤ i + diagonal: a triangle for SYRK, everything when the diagonal is large. `t` has room for one tile and belongs to
 * the calling thread.
 */
function block({ type, vector, bytes, lanes }, { rows, vectors }) {
  const name = `${type}_${rows}x${vectors}`;
  const width = vectors * lanes;
  const product = (j) => `${vector}.mul(alphas, v128.load(from, ${16 * j}))`;
  return `
function merge_${name}(t: usize, target: usize, ldc: usize, alpha: ${type}, beta: ${type}): void {
  const alphas = ${vector}.splat(alpha);
  const betas = ${vector}.splat(beta);
  let from = t;
  for (let i = 0; i < ${rows}; i++) {
    if (beta == 0) {
${range(vectors).map((j) => `      v128.store(target, ${product(j)}, ${16 * j});`).join('\n')}
    } else {
${range(vectors)
  .map((j) => `      v128.store(target, ${vector}.add(${product(j)}, ${vector}.mul(betas, v128.load(target, ${16 * j}))), ${16 * j});`)
  .join('\n')}
    }
    from += ${vectors * 16};
    target += ldc;
  }
}

export function block_${name}(m: i32, n: i32, depth: i32, a: usize, b: usize, c: usize, ldc: usize, alpha: f64, beta: f64, diagonal: i32, t: usize): void {
  const panelA = <usize>depth * ${rows * bytes};
  const panelB = <usize>depth * ${vectors * 16};
  for (let j = 0; j < n; j += ${width}) {
    // The first tile with an element on or below the diagonal.
    let i = max(j - diagonal, 0) / ${rows} * ${rows};
    let panel = a + <usize>(i / ${rows}) * panelA;
    for (; i < m; i += ${rows}) {
      tile_${name}(depth, panel, b, t);
      const target = c + <usize>i * ldc + (<usize>j * ${bytes});
      if (i + ${rows} <= m && j + ${width} <= n && j + ${width - 1} <= i + diagonal)
        merge_${name}(t, target, ldc, <${type}>alpha, <${type}>beta);
      else
        mergeEdge_${type}(min(m - i, ${rows}), min(n - j, ${width}), t, ${vectors * 16}, target, ldc, <${type}>alpha, <${type}>beta, i + diagonal - j);
      panel += panelA;
    }
    b += panelB;
  }
}
`;
}

/** Packs panels of one width, from rows that lie side by side (`lines`: op transposes) or along the panel (`rows`). */
function packing({ type, bytes, lanes }, width) {
  const vectors = width % lanes === 0 ? width / lanes : 0;
  return `
export function packAcross_${type}_${width}(count: i32, depth: i32, source: usize, stride: usize, target: usize): void {
  for (; count >= ${width}; count -= ${width}) {
    let row = source;
    for (let k = 0; k < depth; k++) {
${
  vectors > 0
    ? range(vectors).map((v) => `      v128.store(target, v128.load(row, ${16 * v}), ${16 * v});`).join('\n')
    : range(width).map((v) => `      store<${type}>(target, load<${type}>(row, ${bytes * v}), ${bytes * v});`).join('\n')
}
      row += stride;
      target += ${width * bytes};
    }
    source += ${width * bytes};
  }
  if (count > 0) packRest_${type}(${width}, count, depth, source, ${bytes}, stride, target);
}

export function packAlong_${type}_${width}(count: i32, depth: i32, source: usize, stride: usize, target: usize): void {
  for (; count >= ${width}; count -= ${width}) {
${range(width).map((v) => `    let row${v} = source${v === 0 ? '' : ` + ${v} * stride`};`).join('\n')}
    for (let k = 0; k < depth; k++) {
${range(width).map((v) => `      store<${type}>(target, load<${type}>(row${v}), ${bytes * v});`).join('\n')}
${range(width).map((v) => `      row${v} += ${bytes};`).join('\n')}
      target += ${width * bytes};
    }
    source += ${width} * stride;
  }
  if (count > 0) packRest_${type}(${width}, count, depth, source, stride, ${bytes}, target);
}
`;
}

/** The partial panel at the end of a block, and the merging of a tile that lies over an edge or the diagonal. */
function edges({ type, bytes }) {
  return `
export function packRest_${type}(width: i32, count: i32, depth: i32, source: usize, across: usize, along: usize, target: usize): void {
  for (let k = 0; k < depth; k++) {
    for (let v = 0; v < width; v++) {
      store<${type}>(target, v < count ? load<${type}>(source + <usize>v * across) : 0);
      target += ${bytes};
    }
    source += along;
  }
}

export function mergeEdge_${type}(height: i32, width: i32, source: usize, lds: usize, target: usize, ldt: usize, alpha: ${type}, beta: ${type}, diagonal: i32): void {
  for (let i = 0; i < height; i++) {
    const end = min(width, i + diagonal + 1);
    for (let j = 0; j < end; j++) {
      const at = target + (<usize>j * ${bytes});
      const value = alpha * load<${type}>(source + (<usize>j * ${bytes}));
      store<${type}>(at, beta == 0 ? value : value + beta * load<${type}>(at));
    }
    source += lds;
    target += ldt;
  }
}
`;
}

export function productSource(family, element, tiles) {
  const widths = new Set(tiles.flatMap(({ rows, vectors }) => [rows, vectors * element.lanes]));
  return [
    edges(element),
    ...[...widths].map((width) => packing(element, width)),
    ...tiles.flatMap((shape) => [tile(family, element, shape), block(element, shape)]),
  ].join('');
}
