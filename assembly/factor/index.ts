// Kernels of the factorizations. Pointers and leading dimensions ("…Bytes") count bytes, orders and lengths elements;
// the host side in src/linalg/wasm/factor*.ts holds the block algorithms and calls GEMM for the bulk of the work.
export { choleskyBlock64, choleskyBlock32 } from './cholesky';
export { solveBlock64, solveBlock32 } from './triangular';
export { largestMagnitude64, largestMagnitude32, importLower64, importLower32, exportRow64, exportRow32 } from './convert';
export { gatherRows, rotateRows } from './rows';
export { tridiagonalPanel } from './tridiagonal';
export { reflectorFactor } from './reflectors';
export { implicitQl } from './ql';
export { secularRoots, secularVectors } from './secular';
