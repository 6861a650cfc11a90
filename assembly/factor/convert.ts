// Getting a symmetric matrix into float64 working storage and eigenvectors back out of it.

/** The largest magnitude in the lower triangle; NaN or infinite when the triangle holds such a number. */
// @ts-ignore: decorator
@inline
function largestMagnitude<T>(n: i32, a: usize, ldaBytes: usize): f64 {
  const lanes = i32(16 / sizeof<T>());
  let largest = v128.splat<T>(0);
  let rest: T = 0;
  for (let i = 0; i < n; i++) {
    let p = a + usize(i) * ldaBytes;
    let j = 0;
    for (; j <= i + 1 - lanes; j += lanes) {
      largest = v128.max<T>(largest, v128.abs<T>(v128.load(p)));
      p += 16;
    }
    for (; j <= i; j++) {
      rest = max<T>(rest, abs<T>(load<T>(p)));
      p += sizeof<T>();
    }
  }
  rest = max<T>(rest, max<T>(v128.extract_lane<T>(largest, 0), v128.extract_lane<T>(largest, 1)));
  if (sizeof<T>() === 4) rest = max<T>(rest, max<T>(v128.extract_lane<T>(largest, 2), v128.extract_lane<T>(largest, 3)));
  return f64(rest);
}

/** The lower triangle of the float64 target ← scale × the lower triangle of the source; the two may be the same. */
// @ts-ignore: decorator
@inline
function importLower<T>(n: i32, source: usize, sourceBytes: usize, target: usize, targetBytes: usize, scale: f64): void {
  for (let i = 0; i < n; i++) {
    const from = source + usize(i) * sourceBytes;
    const to = target + usize(i) * targetBytes;
    for (let j = 0; j <= i; j++) store<f64>(to + usize(j) * 8, scale * f64(load<T>(from + usize(j) * sizeof<T>())));
  }
}

/** One row of n float64, rounded to the type of the target. */
// @ts-ignore: decorator
@inline
function exportRow<T>(n: i32, source: usize, target: usize): void {
  for (let j = 0; j < n; j++) store<T>(target + usize(j) * sizeof<T>(), <T>load<f64>(source + usize(j) * 8));
}

export function largestMagnitude64(n: i32, a: usize, ldaBytes: usize): f64 {
  return largestMagnitude<f64>(n, a, ldaBytes);
}

export function largestMagnitude32(n: i32, a: usize, ldaBytes: usize): f64 {
  return largestMagnitude<f32>(n, a, ldaBytes);
}

export function importLower64(n: i32, source: usize, sourceBytes: usize, target: usize, targetBytes: usize, scale: f64): void {
  importLower<f64>(n, source, sourceBytes, target, targetBytes, scale);
}

export function importLower32(n: i32, source: usize, sourceBytes: usize, target: usize, targetBytes: usize, scale: f64): void {
  importLower<f32>(n, source, sourceBytes, target, targetBytes, scale);
}

export function exportRow64(n: i32, source: usize, target: usize): void {
  exportRow<f64>(n, source, target);
}

export function exportRow32(n: i32, source: usize, target: usize): void {
  exportRow<f32>(n, source, target);
}
