/**
 * The arithmetic of `HostPictures` as kernels: the numbers kept for every picture are rows of one matrix on the device
 * and stay there; what comes back to the host are sums and maxima.
 */
import type { Backend, DeviceProgram, KernelValue } from '../linalg/backend.js';
import { Matrix } from '../linalg/matrix.js';
import { type PictureScalars, type Pictures, type Summary, summaryOf, type WeightOptions } from './pictures.js';
import type { WebProducts } from './theta/problem.js';
import { descend } from './theta/projected-gradient.js';
import type { Grouping } from './web-features.js';

/** A row of n numbers each, under the names the kernels use. */
const rowNames = [
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
type RowName = (typeof rowNames)[number];

/** A row of C numbers each. */
const categoryRowNames = ['onPrototype', 'weights', 'moveNorms'] as const;

/** Blocks of a reduction; each leaves one number in a row of `partial`, and the host adds them up in order. */
const blocks = 256;
const threads = 256;
/** Newton steps of the projection started at a time; more follow where these were too few. */
const newtonSteps = 8;
/** Rows of `partial`: the sum of the error norms stays in the last one until the summary. */
const errorRow = 4;
const partialRows = 5;

const kernelNames = [
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

const source = `
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
    weights[c] = mu * squares + gamma * (starts[c + 1] - starts[c]);
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

type Kernel = (typeof kernelNames)[number];
const whole = (value: number): KernelValue => ({ whole: value });
const real = (value: number): KernelValue => ({ real: value });

export class DevicePictures implements Pictures {
  readonly scalars: PictureScalars;
  readonly shrink: Matrix;
  readonly dotMove: Matrix;
  readonly multiplierDotMove: Matrix;
  readonly weightedSum: Matrix;
  readonly norms: Matrix;
  readonly #backend: Backend;
  readonly #program: DeviceProgram;
  readonly #grouping: Grouping;
  readonly #rows: Matrix;
  readonly #categoryRows: Matrix;
  readonly #partial: Matrix;
  readonly #newton: Matrix;
  readonly #n: KernelValue;
  readonly #categories: KernelValue;

  /** `attraction`: the products xᵢ · Σⱼ xtⱼ with the test pictures. */
  constructor(backend: Backend, grouping: Grouping, dimension: number, attraction: Float64Array) {
    const [n, categories] = [grouping.labels.length, grouping.starts.length - 1];
    this.#backend = backend;
    this.#program = backend.compile!(source, kernelNames);
    this.#grouping = grouping;
    this.#n = whole(n);
    this.#categories = whole(categories);
    this.#rows = backend.matrix(rowNames.length, n);
    this.#categoryRows = backend.matrix(categoryRowNames.length, categories);
    this.#partial = backend.matrix(partialRows, blocks);
    this.#newton = backend.matrix(1, 6);
    this.weightedSum = backend.matrix(1, dimension);
    const row = (name: RowName) => this.#row(name);
    this.scalars = {
      theta: row('theta'),
      along: row('along'),
      residual: row('residual'),
      cross: row('cross'),
      multiplier: row('multiplier'),
    };
    this.shrink = row('shrink');
    this.dotMove = row('dotMove');
    this.multiplierDotMove = row('multiplierDotMove');
    this.norms = row('norms');
    backend.copy(this.scalars.theta, Matrix.zeros(1, n).fill(1));
    backend.copy(row('attraction'), new Matrix(attraction, 1, n));
  }

  #row(name: RowName): Matrix {
    const k = rowNames.indexOf(name);
    return this.#rows.view(k, k + 1);
  }

  #categoryRow(name: (typeof categoryRowNames)[number]): Matrix {
    const k = categoryRowNames.indexOf(name);
    return this.#categoryRows.view(k, k + 1);
  }

  #launch(name: Kernel, ...values: KernelValue[]): void {
    this.#program.launch(name, blocks, threads, values);
  }

  /** What the blocks of the last reductions left, one row for each. */
  #partials(rows: number): Float64Array[] {
    const result = Matrix.zeros(rows, blocks);
    this.#backend.copy(result, this.#partial.view(0, rows));
    return Array.from({ length: rows }, (_, k) => result.row(k));
  }

  start(prototypeNorms: Matrix): void {
    this.#launch('start', this.#rows, this.#grouping.labels, prototypeNorms, this.#n);
  }

  shrinkErrors(lambda4: number, mu: number): void {
    this.#launch('shrinkErrors', this.#rows, this.#partial, this.#n, real(lambda4), real(mu));
  }

  dictionaryCoefficients(mu: number) {
    this.#launch('dictionaryCoefficients', this.#rows, this.#n, real(mu));
    this.#categorySums(mu, 0);
    return {
      onPicture: this.#row('onResidual'),
      onHistory: this.#row('onHistory'),
      onPrototype: this.#categoryRow('onPrototype'),
    };
  }

  categoryWeights(mu: number, gamma: number): Matrix {
    this.#categorySums(mu, gamma);
    return this.#categoryRow('weights');
  }

  #categorySums(mu: number, gamma: number): void {
    const { starts } = this.#grouping;
    const values = [this.#rows, this.#categoryRows, starts, this.#n, this.#categories, real(mu), real(gamma)];
    this.#program.launch('categorySums', starts.length - 1, threads, values);
  }

  beginMove(oldDotMove: Matrix): void {
    this.#launch('beginMove', this.#rows, this.#grouping.labels, oldDotMove, this.#n);
  }

  endMove(moveNorms: Matrix): void {
    const { labels } = this.#grouping;
    this.#launch('endMove', this.#rows, this.#categoryRows, labels, moveNorms, this.#n, this.#categories);
  }

  async solveWeights(products: WebProducts, options: WeightOptions): Promise<number> {
    const { mu, pull, coupling, bound, spectralBound } = options;
    const [n, rows, partial, newton] = [this.#n, this.#rows, this.#partial, this.#newton];
    const lift = coupling * spectralBound;
    const { labels } = this.#grouping;
    const terms = [
      rows,
      this.#categoryRows,
      partial,
      newton,
      labels,
      n,
      this.#categories,
      real(mu),
      real(pull),
      real(lift),
    ];
    this.#launch('weightTerms', ...terms);
    const [most, least] = this.#partials(2);
    const largest = most.reduce((a, b) => Math.max(a, b));
    // A picture that sits exactly on its prototype has no curvature and still needs a positive entry.
    const floor = largest > 0 ? largest * 1e-14 : 1;
    const smallest = Math.max(
      floor,
      least.reduce((a, b) => Math.min(a, b)),
    );
    const limits = [real(floor), real(bound)];
    const { roundoff = Number.EPSILON } = products;
    return descend({
      contraction: lift / smallest,
      coupled: coupling > 0,
      sumUp: async () => products.transposedTimes(this.weightedSum, this.#row('extrapolated')),
      project: async () => {
        if (coupling > 0) await products.times(this.#row('gradient'), this.weightedSum);
        this.#launch('trialPoint', rows, partial, newton, n, real(coupling), ...limits);
        for (;;) {
          for (let k = 0; k < newtonSteps; k++) this.#launch('newtonStep', rows, partial, newton, n, ...limits);
          this.#launch('acceptTrial', rows, partial, newton, n, ...limits, real(roundoff));
          const [moved, uphill, rounding, found] = this.#partials(4);
          if (!found[0]) continue;
          return {
            moved: moved.reduce((a, b) => Math.max(a, b)),
            uphill: uphill.reduce((a, b) => a + b),
            rounding: rounding.reduce((a, b) => Math.max(a, b)),
          };
        }
      },
      advance: (push) => this.#launch('advance', rows, n, real(push)),
    });
  }

  columnResiduals(mu: number) {
    this.#onSteps('columnResiduals', mu, this.#partial);
    const [most, where] = this.#partials(2);
    const best = most.reduce((b, value, k) => (value > most[b] || Number.isNaN(value) ? k : b), 0);
    return { largest: most[best], worst: where[best] };
  }

  columnCoefficients(mu: number) {
    this.#onSteps('columnCoefficients', mu);
    return {
      onResidual: this.#row('onResidual'),
      onHistory: this.#row('onHistory'),
      onNewest: this.#row('onNewest'),
    };
  }

  updateMultipliers(mu: number) {
    this.#onSteps('updateMultipliers', mu);
    return { onHistory: this.#row('onHistory'), onNewest: this.#row('onNewest') };
  }

  #onSteps(name: Kernel, mu: number, ...outputs: Matrix[]): void {
    const { labels } = this.#grouping;
    this.#launch(name, this.#rows, this.#categoryRows, ...outputs, labels, this.#n, this.#categories, real(mu));
  }

  summary(): Summary {
    this.#launch('spread', this.#rows, this.#partial, this.#n);
    const [low, high, sum, squares, errors] = this.#partials(partialRows);
    const total = (values: Float64Array) => values.reduce((a, b) => a + b);
    return summaryOf(
      this.#rows.cols,
      total(errors),
      low.reduce((a, b) => Math.min(a, b)),
      high.reduce((a, b) => Math.max(a, b)),
      total(sum),
      total(squares),
    );
  }

  release(): void {
    for (const matrix of [this.#rows, this.#categoryRows, this.#partial, this.#newton, this.weightedSum])
      this.#backend.release(matrix);
  }
}
