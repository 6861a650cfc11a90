// Passes over rows of numbers that need exponentials and logarithms: mixtures of densities, softmax, entropies, powers.
// Elements are f32 or f64. What is computed for each element of a row of f32 is computed in f32, four at a time; sums over
// rows, entropies and powers are f64. Every leading dimension counts bytes. A row is copied into `scratch` first, which ends
// in neutral elements up to a whole vector. Constants of columns have room for three elements more.
export { logPowerSums64, logPowerSums32 } from './mixtures';
export { softmaxRows64, softmaxRows32, energyOfRows32, energyOfRows64 } from './chances';
export { powerRows32, powerRows64 } from './powers';
export { nearestOfRows32, nearestOfRows64, nearestOfColumns32, nearestOfColumns64 } from './nearest';
export {
  rowDots32, rowDots64, scaleRows32, scaleRows64, scoreRows32, scoreRows64, sumOfDifferences32, sumOfDifferences64,
} from './scores';
export { sparseForm32, sparseForm64, sparseRows32, sparseRows64 } from './sparse';
export { leadersOfRows32, leadersOfRows64, peaksOfRows32, peaksOfRows64 } from './peaks';
export { unitRows32, unitRows64 } from './unit';
