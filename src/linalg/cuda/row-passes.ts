/**
 * Passes over rows that need exponentials and logarithms, as CUDA C++: one warp takes a row. Sums are accumulated in double,
 * in an order that does not depend on the device.
 */
import type { PowerMixture } from '../backend.js';
import { asRow, type Dtype, Matrix } from '../matrix.js';
import { address, type KernelArgument, type Launcher, Program, real, whole } from './compile.js';
import type { Gpu } from './device.js';
import type { Integers } from './integers.js';
import { blockThreads, reductionBlocks } from './kernels.js';
import type { Operand, Operands } from './operands.js';

const names = ['logPowerSums', 'softmaxRows', 'energyPartial', 'powerRows'] as const;
type Name = (typeof names)[number];

function sourceOf(scalar: 'double' | 'float'): string {
  return `
typedef ${scalar} T;
typedef long long ll;
#define INFINITE __longlong_as_double(0x7ff0000000000000LL)

__device__ double warpSum(double v) {
  for (int step = 16; step > 0; step >>= 1) v += __shfl_xor_sync(0xffffffffu, v, step);
  return v;
}
__device__ double warpMin(double v) {
  for (int step = 16; step > 0; step >>= 1) v = fmin(v, __shfl_xor_sync(0xffffffffu, v, step));
  return v;
}
__device__ double warpMax(double v) {
  for (int step = 16; step > 0; step >>= 1) v = fmax(v, __shfl_xor_sync(0xffffffffu, v, step));
  return v;
}

// Row 0 of out: the logarithms of the sums; row 1: the distances at the labels. Column constants are rows of a matrix.
extern "C" __global__ void logPowerSums(double* out, ll os, const T* p, ll ps, const double* lengths,
    const double* constants, ll cs, const int* labels, double power, ll rows, ll cols) {
  ll row = (blockIdx.x * (ll)blockDim.x + threadIdx.x) >> 5;
  int lane = threadIdx.x & 31;
  if (row >= rows) return;
  const T* x = p + row * ps;
  const double *squares = constants, *scales = constants + cs, *shifts = constants + 2 * cs;
  double length = lengths[row];
  ll label = labels[row];
  double least = INFINITE;
  for (ll c = lane; c < cols; c += 32) {
    double distance = fmax(0.0, length - 2 * (double)x[c] + squares[c]);
    if (c == label) out[os + row] = distance;
    else least = fmin(least, scales[c] * (shifts[c] + distance));
  }
  least = warpMin(least);
  double sum = 0, first = log(least);
  for (ll c = lane; c < cols; c += 32) {
    if (c == label) continue;
    double distance = fmax(0.0, length - 2 * (double)x[c] + squares[c]);
    sum += exp(-power * (log(scales[c] * (shifts[c] + distance)) - first));
  }
  sum = warpSum(sum);
  if (lane == 0) out[row] = least < INFINITE ? log(sum) - power * first : -INFINITE;
}

extern "C" __global__ void softmaxRows(T* q, ll qs, const T* s, ll ss, const double* offsets, ll rows, ll cols) {
  ll row = (blockIdx.x * (ll)blockDim.x + threadIdx.x) >> 5;
  int lane = threadIdx.x & 31;
  if (row >= rows) return;
  const T* from = s + row * ss;
  T* to = q + row * qs;
  double most = -INFINITE;
  for (ll c = lane; c < cols; c += 32) most = fmax(most, (double)from[c] + offsets[c]);
  most = warpMax(most);
  double sum = 0;
  for (ll c = lane; c < cols; c += 32) sum += exp((double)from[c] + offsets[c] - most);
  sum = warpSum(sum);
  for (ll c = lane; c < cols; c += 32) to[c] = (T)(exp((double)from[c] + offsets[c] - most) / sum);
}

extern "C" __global__ void energyPartial(double* partial, const T* q, ll qs, const T* s, ll ss, const double* weights,
    ll rows, ll cols) {
  __shared__ double parts[8];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  double sum = 0;
  for (ll row = blockIdx.x * 8ll + warp; row < rows; row += gridDim.x * 8ll) {
    double own = 0;
    for (ll c = lane; c < cols; c += 32) {
      double chance = (double)q[row * qs + c];
      own += chance * ((double)s[row * ss + c] - log(fmax(chance, 1e-300)));
    }
    sum += weights[row] * warpSum(own);
  }
  if (lane == 0) parts[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0;
    for (int w = 0; w < 8; w++) total += parts[w];
    partial[blockIdx.x] = total;
  }
}

extern "C" __global__ void powerRows(T* a, ll as, double power, ll rows, ll cols) {
  ll row = (blockIdx.x * (ll)blockDim.x + threadIdx.x) >> 5;
  int lane = threadIdx.x & 31;
  if (row >= rows) return;
  T* x = a + row * as;
  double squares = 0;
  for (ll c = lane; c < cols; c += 32) {
    double size = fabs((double)x[c]);
    double raised = power == 0.75 ? sqrt(size) * sqrt(sqrt(size)) : power == 1 ? size : pow(size, power);
    squares += raised * raised;
  }
  double length = sqrt(warpSum(squares));
  double factor = length > 0 ? 1 / length : 1;
  for (ll c = lane; c < cols; c += 32) {
    double size = fabs((double)x[c]);
    double raised = power == 0.75 ? sqrt(size) * sqrt(sqrt(size)) : power == 1 ? size : pow(size, power);
    x[c] = (T)copysign(raised * factor, (double)x[c]);
  }
}
`;
}

export class DeviceRowPasses {
  readonly #gpu: Gpu;
  readonly #operands: Operands;
  readonly #launcher: Launcher;
  readonly #integers: Integers;
  readonly #programs: Partial<Record<Dtype, Program<Name>>> = {};

  constructor(gpu: Gpu, operands: Operands, launcher: Launcher, integers: Integers) {
    this.#gpu = gpu;
    this.#operands = operands;
    this.#launcher = launcher;
    this.#integers = integers;
  }

  logPowerSums(out: Float64Array, products: Matrix, mixture: PowerMixture, own?: Float64Array): void {
    const { rows, cols } = products;
    if (rows === 0) return;
    const { lengths, squares, scales, shifts, power } = mixture;
    const labels = mixture.labels ?? new Int32Array(rows).fill(-1);
    const constants = Matrix.from([squares, scales, shifts]);
    const both = Matrix.zeros(2, rows);
    this.#operands.with([products, asRow(lengths), constants], both, false, ([mp, ml, mc], mo) => {
      this.#rows('logPowerSums', products, [
        ...[address(mo.pointer), whole(mo.stride), ...place(mp), address(ml.pointer), ...place(mc)],
        ...[address(this.#integers.addressOf(labels)), real(power), whole(rows), whole(cols)],
      ]);
    });
    out.set(both.row(0));
    own?.set(both.row(1));
  }

  softmaxRows(target: Matrix, scores: Matrix, offsets: Float64Array): void {
    const { rows, cols } = scores;
    if (rows === 0) return;
    this.#operands.with([scores, asRow(offsets)], target, false, ([ms, mo], mt) => {
      this.#rows('softmaxRows', scores, [...place(mt), ...place(ms), address(mo.pointer), whole(rows), whole(cols)]);
    });
  }

  energyOfRows(chances: Matrix, scores: Matrix, weights: Float64Array): number {
    const { rows, cols, dtype } = scores;
    const partial = new Float64Array(reductionBlocks);
    if (rows === 0) return 0;
    this.#operands.with([chances, scores, asRow(weights)], asRow(partial), false, ([mq, ms, mw], mp) => {
      this.#launcher.launch(this.#kernel('energyPartial', dtype), [reductionBlocks, 1], blockThreads, [
        ...[address(mp.pointer), ...place(mq), ...place(ms), address(mw.pointer), whole(rows), whole(cols)],
      ]);
    });
    return partial.reduce((sum, value) => sum + value, 0);
  }

  powerRows(a: Matrix, power: number): void {
    if (a.rows === 0) return;
    this.#operands.with([], a, true, (_, ma) => {
      this.#rows('powerRows', a, [...place(ma), real(power), whole(a.rows), whole(a.cols)]);
    });
  }

  /** A warp for each row. */
  #rows(name: Name, { rows, dtype }: Matrix, values: KernelArgument[]): void {
    const blocks = Math.ceil((rows * 32) / blockThreads);
    this.#launcher.launch(this.#kernel(name, dtype), [blocks, 1], blockThreads, values);
  }

  #kernel(name: Name, dtype: Dtype): bigint {
    const { calls, computeCapability } = this.#gpu;
    const source = () => sourceOf(dtype === 'float64' ? 'double' : 'float');
    this.#programs[dtype] ??= new Program(calls, computeCapability, source(), names);
    return this.#programs[dtype].kernel(name);
  }
}

const place = ({ pointer, stride }: Operand): KernelArgument[] => [address(pointer), whole(stride)];
