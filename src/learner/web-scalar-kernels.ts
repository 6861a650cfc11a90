/**
 * The kernels of `DeviceWebScalars`, in CUDA C++. What a formula means is said in web-state.ts, and `HostWebScalars` has the
 * same formulas in TypeScript. Rows of numbers are reached by their names, which the source defines.
 */

/** A row of n numbers each, under the names the kernels use. */
export const rowNames = [
  'theta',
  'along',
  'residual',
  'cross',
  'multiplier',
  'shrink',
  'dotMove',
  'multiplierDotMove',
  'attraction',
  'newTheta',
  'curvature',
  'linear',
  'metric',
  'gradient',
  'trial',
  'extrapolated',
  'norms',
  'onResidual',
  'onHistory',
  'onNewest',
] as const;
export type RowName = (typeof rowNames)[number];

/** A row of C numbers each. */
export const categoryRowNames = ['onPrototype', 'onSystem', 'moveNorms'] as const;

/** Blocks of a reduction; each leaves one number in a row of `partial`, and the host adds them up in order. */
export const blocks = 256;
export const threads = 256;
/** Rows of `partial`: the sum of the error norms stays in the last one until the summary. */
const errorRow = 4;
export const partialRows = 5;

export const kernelNames = [
  'start',
  'shrinkErrors',
  'dictionaryCoefficients',
  'categorySums',
  'beginMove',
  'endMove',
  'weightTerms',
  'trialPoint',
  'newtonStep',
  'acceptTrial',
  'advance',
  'columnResiduals',
  'columnCoefficients',
  'updateMultipliers',
  'spread',
] as const;

const define = (name: string, base: string, k: number, length: string) =>
  `#define ${name} (${base} + ${k} * ${length})`;

export const source = `
typedef long long ll;
${rowNames.map((name, k) => define(name, 'rows', k, 'n')).join('\n')}
${categoryRowNames.map((name, k) => define(name, 'categoryRows', k, 'categories')).join('\n')}
#define KERNEL extern "C" __global__ void
// Not unrolled: compiling takes half the time, running no longer.
#define EACH(i) _Pragma("unroll 1") for (ll i = blockIdx.x * (ll)blockDim.x + threadIdx.x; i < n; i += (ll)gridDim.x * blockDim.x)

struct Sum { static __device__ double of(double a, double b) { return a + b; } };
struct Most { static __device__ double of(double a, double b) { return b > a || b != b ? b : a; } };
struct Least { static __device__ double of(double a, double b) { return b < a || b != b ? b : a; } };

// The values of a block's threads joined in a fixed order; every thread gets the result.
template <class Join> __device__ double joined(double value) {
  __shared__ double parts[32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  for (int step = 16; step > 0; step >>= 1) value = Join::of(value, __shfl_down_sync(0xffffffffu, value, step));
  __syncthreads();
  if (lane == 0) parts[warp] = value;
  __syncthreads();
  double result = parts[0];
  #pragma unroll 1
  for (int w = 1; w < warps; w++) result = Join::of(result, parts[w]);
  return result;
}

template <class Join> __device__ void leave(double* partial, int row, double value) {
  double whole = joined<Join>(value);
  if (threadIdx.x == 0) partial[row * gridDim.x + blockIdx.x] = whole;
}

// Where the projection stands: the multiplier of the sum, its bracket, and whether it is found.
struct Newton { double tau, low, high, found; ll steps; unsigned int arrived; };

// Whether this is the last of all blocks to come here, which then sees what the others have left.
__device__ bool isLast(Newton* newton) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(&newton->arrived, 1u) == gridDim.x - 1;
    if (last) newton->arrived = 0;
  }
  __syncthreads();
  __threadfence();
  return last;
}

// What the blocks have left in a row, joined; there are as many threads as blocks.
template <class Join> __device__ double gathered(const double* partial, int row) {
  return joined<Join>(__ldcg(partial + row * gridDim.x + threadIdx.x));
}

KERNEL start(double* rows, const int* labels, const double* prototypeNorms, ll n) {
  EACH(i) residual[i] = fmax(0.0, residual[i] - 2 * dotMove[i] + prototypeNorms[labels[i]]);
}

KERNEL shrinkErrors(double* rows, double* partial, ll n, double lambda4, double mu) {
  double sum = 0;
  EACH(i) {
    double t = theta[i];
    double length = sqrt(fmax(0.0, t * t * residual[i] - 2 * t * cross[i] / mu + multiplier[i] / (mu * mu)));
    double s = length * mu > lambda4 ? 1 - lambda4 / (mu * length) : 0;
    shrink[i] = s;
    sum += s * length;
  }
  leave<Sum>(partial, ${errorRow}, sum);
}

KERNEL dictionaryCoefficients(double* rows, ll n, double mu) {
  EACH(i) {
    double rest = 1 - shrink[i];
    onResidual[i] = theta[i] * rest * (mu * theta[i] - along[i]);
    onHistory[i] = -theta[i] * rest;
  }
}

// A block for each category.
KERNEL categorySums(double* rows, double* categoryRows, const int* starts, ll n, ll categories, double mu, double gamma) {
  int c = blockIdx.x;
  double prototype = 0, squares = 0;
  for (int i = starts[c] + threadIdx.x; i < starts[c + 1]; i += blockDim.x) {
    prototype += theta[i] * (mu * theta[i] * shrink[i] + (1 - shrink[i]) * along[i]);
    squares += theta[i] * theta[i];
  }
  prototype = joined<Sum>(prototype);
  squares = joined<Sum>(squares);
  if (threadIdx.x == 0) {
    onPrototype[c] = prototype;
    onSystem[c] = mu * squares + gamma * (starts[c + 1] - starts[c]);
  }
}

KERNEL beginMove(double* rows, const int* labels, const double* oldDotMove, ll n) {
  EACH(i) {
    dotMove[i] -= oldDotMove[labels[i]];
    multiplierDotMove[i] = along[i] * dotMove[i];
  }
}

KERNEL endMove(double* rows, double* categoryRows, const int* labels, const double* newNorms, ll n, ll categories) {
  EACH(i) {
    residual[i] = fmax(0.0, residual[i] - 2 * dotMove[i] + newNorms[labels[i]]);
    cross[i] -= multiplierDotMove[i];
  }
  if (blockIdx.x == 0)
    for (ll c = threadIdx.x; c < categories; c += blockDim.x) moveNorms[c] = newNorms[c];
}

// b_new.b_old = |b_new|^2 + b_new.d and b_new.d = b_old.d - |d|^2
KERNEL weightTerms(double* rows, const double* categoryRows, double* partial, Newton* newton, const int* labels, ll n,
                   ll categories, double mu, double pull, double lift) {
  double most = 0, least = 1.0 / 0.0;
  EACH(i) {
    double oldDotNew = residual[i] + dotMove[i] - moveNorms[labels[i]];
    double errorDotResidual = shrink[i] * (theta[i] * oldDotNew - cross[i] / mu);
    curvature[i] = mu * residual[i];
    linear[i] = mu * errorDotResidual + cross[i] + pull * attraction[i];
    metric[i] = curvature[i] + lift;
    newTheta[i] = theta[i];
    extrapolated[i] = theta[i];
    most = fmax(most, metric[i]);
    least = fmin(least, metric[i]);
  }
  leave<Most>(partial, 0, most);
  leave<Least>(partial, 1, least);
  if (blockIdx.x == 0 && threadIdx.x == 0) newton->tau = 0;
}

// Gradient and unconstrained step from the extrapolated point, and the bracket of the multiplier of the sum.
KERNEL trialPoint(double* rows, double* partial, Newton* newton, ll n, double coupling, double floor, double bound) {
  double low = 1.0 / 0.0, high = -1.0 / 0.0;
  EACH(i) {
    double m = fmax(metric[i], floor);
    double coupled = coupling > 0 ? coupling * gradient[i] : 0;
    gradient[i] = coupled + curvature[i] * extrapolated[i] - linear[i];
    trial[i] = extrapolated[i] - gradient[i] / m;
    low = fmin(low, (trial[i] - bound) * m);
    high = fmax(high, trial[i] * m);
  }
  leave<Least>(partial, 0, low);
  leave<Most>(partial, 1, high);
  if (!isLast(newton)) return;
  low = gathered<Least>(partial, 0);
  high = gathered<Most>(partial, 1);
  if (threadIdx.x > 0) return;
  newton->low = low;
  newton->high = high;
  newton->tau = fmin(fmax(newton->tau, low), high);
  newton->found = 0;
  newton->steps = 0;
}

// One step towards the multiplier tau with sum clip(trial - tau / metric, 0, bound) = n, within the bracket.
KERNEL newtonStep(double* rows, double* partial, Newton* newton, ll n, double floor, double bound) {
  if (newton->found) return;
  double at = newton->tau, sum = 0, slope = 0;
  EACH(i) {
    double m = fmax(metric[i], floor);
    double value = trial[i] - at / m;
    if (value >= bound) sum += bound;
    else if (value > 0) {
      sum += value;
      slope += 1 / m;
    }
  }
  leave<Sum>(partial, 0, sum);
  leave<Sum>(partial, 1, slope);
  if (!isLast(newton)) return;
  double excess = gathered<Sum>(partial, 0) - (double)n;
  slope = gathered<Sum>(partial, 1);
  if (threadIdx.x > 0) return;
  double low = newton->low, high = newton->high;
  if (excess > 0) low = at;
  else high = at;
  double next = slope > 0 ? at + excess / slope : (low + high) / 2;
  if (!(next > low && next < high)) next = (low + high) / 2;
  bool enough = fabs(excess) <= 1e-14 * (double)n || ++newton->steps == 200;
  newton->found = enough || next == at || next == low || next == high;
  newton->low = low;
  newton->high = high;
  if (!newton->found) newton->tau = next;
}

// The projected point, how far it is, whether the momentum pointed uphill, and what rounding may be.
KERNEL acceptTrial(double* rows, double* partial, const Newton* newton, ll n, double floor, double bound, double roundoff) {
  double moved = 0, uphill = 0, rounding = 0;
  if (blockIdx.x == 0 && threadIdx.x == 0) partial[3 * gridDim.x] = newton->found;
  if (!newton->found) return;
  EACH(i) {
    double m = fmax(metric[i], floor);
    double value = fmin(bound, fmax(0.0, trial[i] - newton->tau / m));
    trial[i] = value;
    double own = curvature[i] * extrapolated[i];
    double terms = fabs(gradient[i]) + own + fabs(linear[i]);
    double coupled = fabs(gradient[i] - own + linear[i]);
    rounding = fmax(rounding, 16 * (${Number.EPSILON} * terms + roundoff * coupled) / m);
    moved = fmax(moved, fabs(value - extrapolated[i]));
    uphill += m * (extrapolated[i] - value) * (value - newTheta[i]);
  }
  leave<Most>(partial, 0, moved);
  leave<Sum>(partial, 1, uphill);
  leave<Most>(partial, 2, rounding);
}

KERNEL advance(double* rows, ll n, double push) {
  EACH(i) {
    extrapolated[i] = trial[i] + push * (trial[i] - newTheta[i]);
    newTheta[i] = trial[i];
  }
}

// r <- (1 - s) r + c1 b + c2 d, with r.(c1 b + c2 d) and |c1 b + c2 d|^2
struct Step { double s, c1, c2, mixed, added, newDotMove; };
__device__ Step stepOf(const double* rows, const double* categoryRows, const int* labels, ll n, ll categories, double mu, ll i) {
  Step step;
  double moveNorm = moveNorms[labels[i]];
  step.s = shrink[i];
  step.c1 = mu * (step.s * theta[i] - newTheta[i]);
  step.c2 = mu * step.s * theta[i];
  step.newDotMove = dotMove[i] - moveNorm;
  step.added = step.c1 * step.c1 * residual[i] + step.c2 * step.c2 * moveNorm + 2 * step.c1 * step.c2 * step.newDotMove;
  step.mixed = step.c1 * cross[i] + step.c2 * multiplierDotMove[i];
  return step;
}

KERNEL columnResiduals(double* rows, const double* categoryRows, double* partial, const int* labels, ll n, ll categories, double mu) {
  double most = -1, where = 0;
  EACH(i) {
    Step step = stepOf(rows, categoryRows, labels, n, categories, mu, i);
    double s = step.s;
    double norm = sqrt(fmax(0.0, s * s * multiplier[i] - 2 * s * step.mixed + step.added)) / mu;
    // fmax would hide what is not a number.
    if (step.added != step.added || step.mixed != step.mixed || multiplier[i] != multiplier[i]) norm = 0.0 / 0.0;
    norms[i] = norm;
    if (norm > most || norm != norm) { most = norm; where = (double)i; }
  }
  double whole = joined<Most>(most);
  bool here = most == whole || (most != most && whole != whole);
  double first = joined<Least>(here ? where : 1.0 / 0.0);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = whole;
    partial[gridDim.x + blockIdx.x] = first;
  }
}

KERNEL columnCoefficients(double* rows, const double* categoryRows, const int* labels, ll n, ll categories, double mu) {
  EACH(i) {
    Step step = stepOf(rows, categoryRows, labels, n, categories, mu, i);
    onResidual[i] = (step.c1 - step.s * along[i]) / mu;
    onHistory[i] = -step.s / mu;
    onNewest[i] = step.c2 / mu;
  }
}

KERNEL updateMultipliers(double* rows, const double* categoryRows, const int* labels, ll n, ll categories, double mu) {
  EACH(i) {
    Step step = stepOf(rows, categoryRows, labels, n, categories, mu, i);
    double rest = 1 - step.s;
    multiplier[i] = fmax(0.0, rest * rest * multiplier[i] + 2 * rest * step.mixed + step.added);
    cross[i] = rest * cross[i] + step.c1 * residual[i] + step.c2 * step.newDotMove;
    along[i] = rest * along[i] + step.c1;
    onHistory[i] = rest;
    onNewest[i] = step.c2;
    theta[i] = newTheta[i];
  }
}

KERNEL spread(double* rows, double* partial, ll n) {
  double low = 1.0 / 0.0, high = -1.0 / 0.0, sum = 0, squares = 0;
  EACH(i) {
    low = fmin(low, theta[i]);
    high = fmax(high, theta[i]);
    sum += theta[i];
    squares += theta[i] * theta[i];
  }
  leave<Least>(partial, 0, low);
  leave<Most>(partial, 1, high);
  leave<Sum>(partial, 2, sum);
  leave<Sum>(partial, 3, squares);
}
`;
