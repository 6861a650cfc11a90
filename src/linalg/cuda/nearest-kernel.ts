/** The kernel that finds the nearest rows, as a part of the source of the passes over rows (row-kernels.ts). */

/** Candidates for the nearest rows of one row: at least as many as there are threads. */
const mostCandidates = 1024;
/** Of rows longer than this one element in so many is enough for the bound: a few more of them reach it. */
const longRow = 65_536;
const sampled = 8;

export const nearestKernel = `
// The larger of two cosines; of equal ones the first.
__device__ bool before(double a, ll i, double b, ll j) { return a > b || (a == b && i < j); }

// A block a row, the first of which is row "first": the k largest cosines, of equal ones the first. The k-th largest of what the
// threads find each, or find in a part of a long row, is a bound; those that reach it are few, and are put in order. Else k times
// the largest behind the last one.
extern "C" __global__ void nearestOfRows(int* nearest, double* cosines, const T* products, ll ps, const double* inverses, ll first, ll n, ll k) {
  __shared__ double values[${mostCandidates}];
  __shared__ int places[${mostCandidates}];
  __shared__ double bound;
  __shared__ int found;
  ll i = first + blockIdx.x;
  const T* row = products + blockIdx.x * ps;
  double own = inverses[i], mine = -INFINITE;
  ll step = n > ${longRow} ? ${sampled} * blockDim.x : blockDim.x;
  for (ll j = threadIdx.x; j < n; j += step)
    if (j != i) mine = fmax(mine, (double)row[j] * (own * inverses[j]));
  values[threadIdx.x] = mine;
  if (threadIdx.x == 0) {
    bound = INFINITE;
    found = 0;
  }
  __syncthreads();
  int rank = 0;
  for (int t = 0; t < blockDim.x; t++) rank += before(values[t], t, mine, threadIdx.x) ? 1 : 0;
  if (rank == k - 1) bound = mine;
  __syncthreads();
  double least = bound;
  __syncthreads();
  if (least > -INFINITE)
    for (ll j = threadIdx.x; j < n; j += blockDim.x) {
      double cosine = (double)row[j] * (own * inverses[j]);
      if (j == i || !(cosine >= least)) continue;
      int at = atomicAdd(&found, 1);
      if (at < ${mostCandidates}) {
        values[at] = cosine;
        places[at] = (int)j;
      }
    }
  __syncthreads();
  int count = found;
  if (count >= k && count <= ${mostCandidates}) {
    for (int a = threadIdx.x; a < count; a += blockDim.x) {
      int place = 0;
      for (int b = 0; b < count; b++) place += before(values[b], places[b], values[a], places[a]) ? 1 : 0;
      if (place < k) {
        nearest[i * k + place] = places[a];
        cosines[i * k + place] = values[a];
      }
    }
    return;
  }
  double last = INFINITE;
  ll lastAt = -1;
  for (ll place = 0; place < k; place++) {
    double best = -INFINITE;
    ll at = n;
    for (ll j = threadIdx.x; j < n; j += blockDim.x) {
      if (j == i) continue;
      double cosine = (double)row[j] * (own * inverses[j]);
      if (cosine > best && (cosine < last || (cosine == last && j > lastAt))) {
        best = cosine;
        at = j;
      }
    }
    __syncthreads();
    values[threadIdx.x] = best;
    places[threadIdx.x] = (int)at;
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int t = 1; t < blockDim.x; t++)
        if (before(values[t], places[t], best, at)) {
          best = values[t];
          at = places[t];
        }
      values[0] = best;
      places[0] = (int)at;
      nearest[i * k + place] = at < n ? (int)at : 0;
      cosines[i * k + place] = best;
    }
    __syncthreads();
    last = values[0];
    lastAt = places[0];
  }
}
`;
