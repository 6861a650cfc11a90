/** The penalty of a ridge regression from features to one-hot labels, as most methods that have one declare it. */
import { log, number } from '../../parameters.js';

export const ridgeParameter = number('penalty on the squared weights', 0.5, { above: 0, range: log(1e-2, 1e2) });
