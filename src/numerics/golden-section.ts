/** Searches along one axis. */

/** Where a function with one minimum is smallest between two positive numbers, by golden sections of the logarithm. */
export function leastOnLogScale(value: (x: number) => number, from: number, to: number, tolerance: number): number {
  const golden = (Math.sqrt(5) - 1) / 2;
  const at = (logarithm: number) => value(Math.exp(logarithm));
  let [low, high] = [Math.log(from), Math.log(to)];
  let [left, right] = [high - golden * (high - low), low + golden * (high - low)];
  let [atLeft, atRight] = [at(left), at(right)];
  while (high - low > tolerance) {
    if (atLeft <= atRight) {
      [high, right, atRight] = [right, left, atLeft];
      left = high - golden * (high - low);
      atLeft = at(left);
    } else {
      [low, left, atLeft] = [left, right, atRight];
      right = low + golden * (high - low);
      atRight = at(right);
    }
  }
  return Math.exp((low + high) / 2);
}
