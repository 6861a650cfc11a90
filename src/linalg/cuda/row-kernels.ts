/**
 * Kernels of the passes over rows (mixtures of densities, softmax, entropies, powers, sparse sums), as CUDA C++ for NVRTC.
 * Everything is computed in double, whatever `T` is; a GPU is no slower for it, since memory sets the pace. What is summed up
 * over a matrix is summed by a fixed number of blocks, so that the order does not depend on the device.
 */
import { nearestKernel } from './nearest-kernel.js';

export const rowThreads = 256;
/** Blocks whose sums are added on the host, in order. */
export const rowBlocks = 1024;

export const rowKernelNames = [
  'copyRows',
  'scoreRows',
  'softmaxRows',
  'columnPartial',
  'columnFinish',
  'energyPartial',
  'differencePartial',
  'logPowerSums',
  'powerRows',
  'addSparse',
  'sparseFormPartial',
  'nearestOfRows',
  'peaksOfRows',
  'leadersOfRows',
] as const;
export type RowKernelName = (typeof rowKernelNames)[number];

export function rowKernelSource(scalar: 'double' | 'float'): string {
  return `
typedef ${scalar} T;
typedef long long ll;
#define INFINITE __longlong_as_double(0x7ff0000000000000LL)

// The sum, or the largest, over all threads of a block; every thread gets it.
__device__ double blockSum(double v) {
  __shared__ double parts[33];
  for (int step = 16; step > 0; step >>= 1) v += __shfl_down_sync(0xffffffffu, v, step);
  __syncthreads();
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    double total = 0;
    for (int w = 0; w < blockDim.x / 32; w++) total += parts[w];
    parts[32] = total;
  }
  __syncthreads();
  return parts[32];
}

__device__ double blockMax(double v) {
  __shared__ double parts[33];
  for (int step = 16; step > 0; step >>= 1) v = fmax(v, __shfl_down_sync(0xffffffffu, v, step));
  __syncthreads();
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    double most = parts[0];
    for (int w = 1; w < blockDim.x / 32; w++) most = fmax(most, parts[w]);
    parts[32] = most;
  }
  __syncthreads();
  return parts[32];
}

extern "C" __global__ void copyRows(T* y, ll ys, const T* x, ll xs, const int* rows, ll cols) {
  const T* from = x + rows[blockIdx.x] * xs;
  T* to = y + blockIdx.x * ys;
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) to[c] = from[c];
}

extern "C" __global__ void scoreRows(T* p, ll ps, const double* lengths, const double* squares, const double* factors, const double* constants, ll rows, ll cols) {
  ll i = blockIdx.x;
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) {
    double distance = fmax(0.0, lengths[i] - 2 * (double)p[i * ps + c] + squares[c]);
    p[i * ps + c] = (T)(factors[c] * distance + constants[c]);
  }
}

// A block a row; target may be the scores.
extern "C" __global__ void softmaxRows(T* target, ll ts, const T* scores, ll ss, const double* offsets, ll cols) {
  const T* from = scores + blockIdx.x * ss;
  T* to = target + blockIdx.x * ts;
  double most = -INFINITE;
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) most = fmax(most, (double)from[c] + offsets[c]);
  most = blockMax(most);
  double sum = 0;
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) sum += exp((double)from[c] + offsets[c] - most);
  double factor = 1 / blockSum(sum);
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) to[c] = (T)(exp((double)from[c] + offsets[c] - most) * factor);
}

// Weighted sums of the columns over a chunk of rows, a column a thread.
extern "C" __global__ void columnPartial(double* partial, const T* a, ll as, const double* weights, ll rows, ll cols, ll chunk) {
  ll c = blockIdx.x * (ll)blockDim.x + threadIdx.x;
  if (c >= cols) return;
  ll from = blockIdx.y * chunk, to = from + chunk < rows ? from + chunk : rows;
  double sum = 0;
  #pragma unroll 8
  for (ll i = from; i < to; i++) sum += weights[i] * (double)a[i * as + c];
  partial[blockIdx.y * cols + c] = sum;
}

extern "C" __global__ void columnFinish(double* out, const double* partial, ll chunks, ll cols) {
  ll c = blockIdx.x * (ll)blockDim.x + threadIdx.x;
  if (c >= cols) return;
  double sum = 0;
  for (ll chunk = 0; chunk < chunks; chunk++) sum += partial[chunk * cols + c];
  out[c] = sum;
}

extern "C" __global__ void energyPartial(double* partial, const T* chances, ll qs, const T* scores, ll ss, const double* weights, ll rows, ll cols) {
  double sum = 0;
  for (ll i = blockIdx.x; i < rows; i += gridDim.x) {
    double own = 0;
    for (ll c = threadIdx.x; c < cols; c += blockDim.x) {
      double q = (double)chances[i * qs + c];
      if (q > 0) own += q * ((double)scores[i * ss + c] - log(q));
    }
    sum += weights[i] * own;
  }
  sum = blockSum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

extern "C" __global__ void differencePartial(double* partial, const T* a, ll as, const T* b, ll bs, ll rows, ll cols) {
  double sum = 0;
  for (ll i = blockIdx.x; i < rows; i += gridDim.x)
    for (ll c = threadIdx.x; c < cols; c += blockDim.x) sum += fabs((double)a[i * as + c] - (double)b[i * bs + c]);
  sum = blockSum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

// A block a row.
extern "C" __global__ void logPowerSums(double* out, double* own, const T* products, ll ps, const double* lengths, const double* squares, const double* scales, const double* shifts, const int* labels, double power, ll cols) {
  ll i = blockIdx.x;
  const T* row = products + i * ps;
  double length = lengths[i];
  int label = labels[i];
  double least = INFINITE;
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) {
    double distance = fmax(0.0, length - 2 * (double)row[c] + squares[c]);
    if (c == label) own[i] = distance;
    else least = fmin(least, scales[c] * (shifts[c] + distance));
  }
  if (label < 0 && threadIdx.x == 0) own[i] = 0;
  least = -blockMax(-least);
  double first = log(least), sum = 0;
  if (least < INFINITE)
    for (ll c = threadIdx.x; c < cols; c += blockDim.x)
      if (c != label) {
        double distance = fmax(0.0, length - 2 * (double)row[c] + squares[c]);
        sum += exp(-power * (log(scales[c] * (shifts[c] + distance)) - first));
      }
  sum = blockSum(sum);
  if (threadIdx.x == 0) out[i] = least < INFINITE ? log(sum) - power * first : -INFINITE;
}

// A block a row.
extern "C" __global__ void powerRows(T* a, ll as, double power, const double* centre, ll cols) {
  T* row = a + blockIdx.x * as;
  double sum = 0;
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) {
    double size = fabs((double)row[c]);
    double raised = size > 0 ? pow(size, power) : 0;
    sum += raised * raised;
  }
  double length = sqrt(blockSum(sum));
  double factor = length > 0 ? 1 / length : 1;
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) {
    double size = fabs((double)row[c]);
    row[c] = (T)(copysign(size > 0 ? pow(size, power) * factor : 0.0, (double)row[c]) - centre[c]);
  }
}

// A block a row of the target.
extern "C" __global__ void addSparse(T* y, ll ys, const int* starts, const int* columns, const double* values, const T* x, ll xs, ll cols) {
  ll i = blockIdx.x;
  int from = starts[i], to = starts[i + 1];
  if (from == to) return;
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) {
    double sum = (double)y[i * ys + c];
    #pragma unroll 4
    for (int e = from; e < to; e++) sum += values[e] * (double)x[columns[e] * xs + c];
    y[i * ys + c] = (T)sum;
  }
}

extern "C" __global__ void sparseFormPartial(double* partial, const int* starts, const int* columns, const double* values, const T* x, ll xs, ll rows, ll cols) {
  double sum = 0;
  for (ll i = blockIdx.x; i < rows; i += gridDim.x)
    for (int e = starts[i]; e < starts[i + 1]; e++) {
      const T* other = x + columns[e] * xs;
      double own = 0;
      for (ll c = threadIdx.x; c < cols; c += blockDim.x) own += (double)x[i * xs + c] * (double)other[c];
      sum += values[e] * own;
    }
  sum = blockSum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

${nearestKernel}
// A block a row: cosine, its column, largest and second score, logarithm of the sum, five numbers a row. At the label of a row its
// own product, square and inverse stand in for those of the column.
extern "C" __global__ void peaksOfRows(double* out, const T* products, ll ps, const double* lengths, const double* squares, const double* factors, const double* constants, const double* inverses, const int* labels, const double* own, ll cols) {
  __shared__ double parts[8][4];
  __shared__ double most;
  ll i = blockIdx.x;
  const T* row = products + i * ps;
  int label = labels[i];
  // Closest, its column, largest, second.
  double best[4] = {-INFINITE, (double)cols, -INFINITE, -INFINITE};
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) {
    bool mine = c == label;
    double product = mine ? own[3 * i] : (double)row[c];
    double cosine = product * (mine ? own[3 * i + 2] : inverses[c]);
    if (cosine > best[0]) {
      best[0] = cosine;
      best[1] = (double)c;
    }
    double score = factors[c] * fmax(0.0, lengths[i] - 2 * product + (mine ? own[3 * i + 1] : squares[c])) + constants[c];
    if (score > best[3]) {
      best[3] = fmin(score, best[2]);
      best[2] = fmax(score, best[2]);
    }
  }
  for (int step = 16; step > 0; step >>= 1) {
    double other[4];
    for (int k = 0; k < 4; k++) other[k] = __shfl_down_sync(0xffffffffu, best[k], step);
    if (other[0] > best[0] || (other[0] == best[0] && other[1] < best[1])) {
      best[0] = other[0];
      best[1] = other[1];
    }
    best[3] = fmax(fmax(best[3], other[3]), fmin(best[2], other[2]));
    best[2] = fmax(best[2], other[2]);
  }
  if ((threadIdx.x & 31) == 0) for (int k = 0; k < 4; k++) parts[threadIdx.x >> 5][k] = best[k];
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / 32; w++) {
      if (parts[w][0] > best[0] || (parts[w][0] == best[0] && parts[w][1] < best[1])) {
        best[0] = parts[w][0];
        best[1] = parts[w][1];
      }
      best[3] = fmax(fmax(best[3], parts[w][3]), fmin(best[2], parts[w][2]));
      best[2] = fmax(best[2], parts[w][2]);
    }
    out[5 * i] = best[0];
    out[5 * i + 1] = best[1] < cols ? best[1] : 0;
    out[5 * i + 2] = best[2];
    out[5 * i + 3] = best[3];
    most = best[2];
  }
  __syncthreads();
  double sum = 0;
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) {
    bool mine = c == label;
    double product = mine ? own[3 * i] : (double)row[c];
    double distance = fmax(0.0, lengths[i] - 2 * product + (mine ? own[3 * i + 1] : squares[c]));
    sum += exp(factors[c] * distance + constants[c] - most);
  }
  sum = blockSum(sum);
  if (threadIdx.x == 0) out[5 * i + 4] = most + log(sum);
}

// A block a row: the largest, the first of equal ones, and what it leads by.
extern "C" __global__ void leadersOfRows(int* columns, double* leads, const T* scores, ll ss, const double* offsets, ll cols) {
  __shared__ double largest[8], seconds[8];
  __shared__ ll places[8];
  ll i = blockIdx.x;
  const T* row = scores + i * ss;
  double first = -INFINITE, second = -INFINITE;
  ll at = cols;
  for (ll c = threadIdx.x; c < cols; c += blockDim.x) {
    double value = (double)row[c] + offsets[c];
    if (value > first) {
      second = first;
      first = value;
      at = c;
    } else if (value > second) second = value;
  }
  for (int step = 16; step > 0; step >>= 1) {
    double other = __shfl_down_sync(0xffffffffu, first, step);
    double next = __shfl_down_sync(0xffffffffu, second, step);
    ll there = __shfl_down_sync(0xffffffffu, at, step);
    second = fmax(fmax(second, next), fmin(first, other));
    if (other > first || (other == first && there < at)) {
      first = other;
      at = there;
    }
  }
  if ((threadIdx.x & 31) == 0) {
    largest[threadIdx.x >> 5] = first;
    seconds[threadIdx.x >> 5] = second;
    places[threadIdx.x >> 5] = at;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int w = 1; w < blockDim.x / 32; w++) {
    second = fmax(fmax(second, seconds[w]), fmin(first, largest[w]));
    if (largest[w] > first || (largest[w] == first && places[w] < at)) {
      first = largest[w];
      at = places[w];
    }
  }
  columns[i] = at < cols ? (int)at : 0;
  leads[i] = first - second;
}
`;
}
