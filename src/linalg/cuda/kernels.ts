/**
 * The element-wise and row kernels, as CUDA C++ compiled at start-up by NVRTC. `T` is double or float; sums are always
 * accumulated in double, in an order that does not depend on the device. Row i of a matrix starts at i * stride.
 */
export const blockThreads = 256;
/** Blocks of the two-stage reductions; their partial sums are added on the host, in order. */
export const reductionBlocks = 256;

export const kernelNames = [
  'axpby',
  'scaleRows',
  'scaleColumns',
  'rowDots',
  'addDiagonal',
  'dotPartial',
  'maxPartial',
  'mirrorLower',
  'segmentDots',
  'segmentPartial',
  'segmentFinish',
  'convert',
  'splitParts',
  'toHalf',
] as const;
export type KernelName = (typeof kernelNames)[number];

export function kernelSource(scalar: 'double' | 'float'): string {
  return `
typedef ${scalar} T;
typedef ${scalar === 'double' ? 'float' : 'double'} Other;
typedef long long ll;

__device__ double warpSum(double v) {
  for (int step = 16; step > 0; step >>= 1) v += __shfl_down_sync(0xffffffffu, v, step);
  return v;
}

// y <- alpha x + beta y; what a zero multiplies is not read
extern "C" __global__ void axpby(T* y, ll ys, const T* x, ll xs, ll rows, ll cols, double alpha, double beta) {
  for (ll at = blockIdx.x * (ll)blockDim.x + threadIdx.x; at < rows * cols; at += (ll)gridDim.x * blockDim.x) {
    ll i = at / cols, j = at - i * cols;
    double old = beta == 0 ? 0 : beta * (double)y[i * ys + j];
    double fresh = alpha == 0 ? 0 : alpha * (double)x[i * xs + j];
    y[i * ys + j] = (T)(fresh + old);
  }
}

extern "C" __global__ void scaleRows(T* a, ll as, const T* factors, ll rows, ll cols) {
  for (ll at = blockIdx.x * (ll)blockDim.x + threadIdx.x; at < rows * cols; at += (ll)gridDim.x * blockDim.x) {
    ll i = at / cols, j = at - i * cols;
    a[i * as + j] *= factors[i];
  }
}

extern "C" __global__ void scaleColumns(T* a, ll as, const double* factors, ll rows, ll cols) {
  for (ll at = blockIdx.x * (ll)blockDim.x + threadIdx.x; at < rows * cols; at += (ll)gridDim.x * blockDim.x) {
    ll i = at / cols, j = at - i * cols;
    a[i * as + j] = (T)((double)a[i * as + j] * factors[j]);
  }
}

// y <- x of the other precision
extern "C" __global__ void convert(T* y, ll ys, const Other* x, ll xs, ll rows, ll cols) {
  for (ll at = blockIdx.x * (ll)blockDim.x + threadIdx.x; at < rows * cols; at += (ll)gridDim.x * blockDim.x) {
    ll i = at / cols, j = at - i * cols;
    y[i * ys + j] = (T)x[i * xs + j];
  }
}

// Three copies of x beside or below one another, with what the tensor cores read of each number; one, "left", has what they leave.
extern "C" __global__ void splitParts(float* y, const float* x, ll xs, ll rows, ll cols, ll beside, ll left) {
  for (ll at = blockIdx.x * (ll)blockDim.x + threadIdx.x; at < rows * cols; at += (ll)gridDim.x * blockDim.x) {
    ll i = at / cols, j = at - i * cols;
    float value = x[i * xs + j];
    float head = __uint_as_float(__float_as_uint(value) & 0xffffe000u);
    float rest = value - head;
    // Of what is infinite nothing is left.
    if (rest != rest) rest = 0;
    for (ll part = 0; part < 3; part++)
      y[beside ? (3 * i + part) * cols + j : (part * rows + i) * cols + j] = part == left ? rest : head;
  }
}

// y <- factors x in half precision
extern "C" __global__ void toHalf(unsigned short* y, const float* x, ll xs, const double* factors, ll rows, ll cols) {
  for (ll at = blockIdx.x * (ll)blockDim.x + threadIdx.x; at < rows * cols; at += (ll)gridDim.x * blockDim.x) {
    ll i = at / cols, j = at - i * cols;
    float value = (float)((double)x[i * xs + j] * factors[i]);
    unsigned short half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    y[at] = half;
  }
}

// One warp a row.
extern "C" __global__ void rowDots(T* out, const T* a, ll as, const T* b, ll bs, ll rows, ll cols) {
  ll row = (blockIdx.x * (ll)blockDim.x + threadIdx.x) >> 5;
  int lane = threadIdx.x & 31;
  if (row >= rows) return;
  double sum = 0;
  for (ll j = lane; j < cols; j += 32) sum += (double)a[row * as + j] * (double)b[row * bs + j];
  sum = warpSum(sum);
  if (lane == 0) out[row] = (T)sum;
}

extern "C" __global__ void addDiagonal(T* a, ll as, ll n, double value) {
  ll i = blockIdx.x * (ll)blockDim.x + threadIdx.x;
  if (i < n) a[i * as + i] += (T)value;
}

extern "C" __global__ void dotPartial(double* partial, const T* a, ll as, const T* b, ll bs, ll rows, ll cols) {
  __shared__ double parts[8];
  double sum = 0;
  for (ll at = blockIdx.x * (ll)blockDim.x + threadIdx.x; at < rows * cols; at += (ll)gridDim.x * blockDim.x) {
    ll i = at / cols, j = at - i * cols;
    sum += (double)a[i * as + j] * (double)b[i * bs + j];
  }
  sum = warpSum(sum);
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0;
    for (int w = 0; w < 8; w++) total += parts[w];
    partial[blockIdx.x] = total;
  }
}

// Largest absolute value; a NaN stays.
extern "C" __global__ void maxPartial(double* partial, const T* a, ll as, ll rows, ll cols) {
  __shared__ double parts[256];
  double largest = 0;
  for (ll at = blockIdx.x * (ll)blockDim.x + threadIdx.x; at < rows * cols; at += (ll)gridDim.x * blockDim.x) {
    ll i = at / cols, j = at - i * cols;
    double size = fabs((double)a[i * as + j]);
    if (size > largest || size != size) largest = size;
  }
  parts[threadIdx.x] = largest;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0;
    for (int t = 0; t < 256; t++)
      if (parts[t] > total || parts[t] != parts[t]) total = parts[t];
    partial[blockIdx.x] = total;
  }
}

extern "C" __global__ void mirrorLower(T* a, ll as, ll n) {
  for (ll at = blockIdx.x * (ll)blockDim.x + threadIdx.x; at < n * n; at += (ll)gridDim.x * blockDim.x) {
    ll i = at / n, j = at - i * n;
    if (j < i) a[j * as + i] = a[i * as + j];
  }
}

// out[i] <- a_i . directions[segment(i)], one warp a row.
extern "C" __global__ void segmentDots(double* out, const T* a, ll as, const T* directions, ll ds, const int* segment, ll rows, ll cols) {
  ll row = (blockIdx.x * (ll)blockDim.x + threadIdx.x) >> 5;
  int lane = threadIdx.x & 31;
  if (row >= rows) return;
  const T* x = a + row * as;
  const T* y = directions + (ll)segment[row] * ds;
  double sum = 0;
  for (ll j = lane; j < cols; j += 32) sum += (double)x[j] * (double)y[j];
  sum = warpSum(sum);
  if (lane == 0) out[row] = sum;
}

// Weighted sum of the rows of one chunk, a column a thread.
extern "C" __global__ void segmentPartial(double* partial, const T* a, ll as, const double* weights, const int* chunkStarts, ll cols) {
  ll j = blockIdx.x * (ll)blockDim.x + threadIdx.x;
  if (j >= cols) return;
  int from = chunkStarts[blockIdx.y], to = chunkStarts[blockIdx.y + 1];
  double sum = 0;
  #pragma unroll 8
  for (int i = from; i < to; i++) sum += weights[i] * (double)a[(ll)i * as + j];
  partial[blockIdx.y * cols + j] = sum;
}

// out[c] <- beta out[c] + the chunks of segment c, in order.
extern "C" __global__ void segmentFinish(T* out, ll os, const double* partial, const int* firstChunk, ll cols, double beta) {
  ll j = blockIdx.x * (ll)blockDim.x + threadIdx.x;
  if (j >= cols) return;
  double sum = beta == 0 ? 0 : beta * (double)out[blockIdx.y * os + j];
  for (int chunk = firstChunk[blockIdx.y]; chunk < firstChunk[blockIdx.y + 1]; chunk++) sum += partial[chunk * cols + j];
  out[blockIdx.y * os + j] = (T)sum;
}
`;
}
