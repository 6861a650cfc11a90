// y ← A x for a symmetric matrix of which only the lower triangle is read. Every element is loaded once and used twice,
// for y_i and for y_j; four rows are taken together so that x and y are loaded a quarter as often.
import { sumLanes } from './rows';

export function symvLower(n: i32, a: usize, ldaBytes: usize, x: usize, y: usize): void {
  const blocked = n & ~3;
  for (let i = 0; i < blocked; i += 4) {
    let r0 = a + usize(i) * ldaBytes;
    let r1 = r0 + ldaBytes;
    let r2 = r1 + ldaBytes;
    let r3 = r2 + ldaBytes;
    const xi = x + usize(i) * 8;
    const yi = y + usize(i) * 8;
    const x0 = load<f64>(xi, 0);
    const x1 = load<f64>(xi, 8);
    const x2 = load<f64>(xi, 16);
    const x3 = load<f64>(xi, 24);
    const v0 = f64x2.splat(x0);
    const v1 = f64x2.splat(x1);
    const v2 = f64x2.splat(x2);
    const v3 = f64x2.splat(x3);
    let s0 = f64x2.splat(0);
    let s1 = f64x2.splat(0);
    let s2 = f64x2.splat(0);
    let s3 = f64x2.splat(0);
    let yp = y;
    for (let xp = x; xp < xi; xp += 16) {
      const xv = v128.load(xp);
      const a0 = v128.load(r0);
      const a1 = v128.load(r1);
      const a2 = v128.load(r2);
      const a3 = v128.load(r3);
      s0 = f64x2.add(s0, f64x2.mul(a0, xv));
      s1 = f64x2.add(s1, f64x2.mul(a1, xv));
      s2 = f64x2.add(s2, f64x2.mul(a2, xv));
      s3 = f64x2.add(s3, f64x2.mul(a3, xv));
      const t01 = f64x2.add(f64x2.mul(a0, v0), f64x2.mul(a1, v1));
      const t23 = f64x2.add(f64x2.mul(a2, v2), f64x2.mul(a3, v3));
      v128.store(yp, f64x2.add(v128.load(yp), f64x2.add(t01, t23)));
      r0 += 16;
      r1 += 16;
      r2 += 16;
      r3 += 16;
      yp += 16;
    }
    // r0 … r3 now point at the 4×4 block on the diagonal; these elements of y are written for the first time.
    const a10 = load<f64>(r1, 0);
    const a20 = load<f64>(r2, 0);
    const a21 = load<f64>(r2, 8);
    const a30 = load<f64>(r3, 0);
    const a31 = load<f64>(r3, 8);
    const a32 = load<f64>(r3, 16);
    store<f64>(yi, sumLanes(s0) + (load<f64>(r0, 0) * x0 + a10 * x1 + (a20 * x2 + a30 * x3)), 0);
    store<f64>(yi, sumLanes(s1) + (a10 * x0 + load<f64>(r1, 8) * x1 + (a21 * x2 + a31 * x3)), 8);
    store<f64>(yi, sumLanes(s2) + (a20 * x0 + a21 * x1 + (load<f64>(r2, 16) * x2 + a32 * x3)), 16);
    store<f64>(yi, sumLanes(s3) + (a30 * x0 + a31 * x1 + (a32 * x2 + load<f64>(r3, 24) * x3)), 24);
  }
  for (let i = blocked; i < n; i++) {
    const row = a + usize(i) * ldaBytes;
    const xi = load<f64>(x + usize(i) * 8);
    let sum = load<f64>(row + usize(i) * 8) * xi;
    for (let j = 0; j < i; j++) {
      const element = load<f64>(row + usize(j) * 8);
      const yj = y + usize(j) * 8;
      sum += element * load<f64>(x + usize(j) * 8);
      store<f64>(yj, load<f64>(yj) + element * xi);
    }
    store<f64>(y + usize(i) * 8, sum);
  }
}
