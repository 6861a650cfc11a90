/**
 * Whitened class means: the category whose mean of labelled pictures has the largest cosine with the picture (Snell, Swersky and
 * Zemel, "Prototypical networks for few-shot learning", NeurIPS 2017, with features that are centred and at unit length as in
 * Wang, Chao, Weinberger and van der Maaten, "SimpleShot", 2019; whitening in place of a learnt embedding).
 */
import { changed } from '../../parameters.js';
import { scaledProducts, supportDirections } from './cosines.js';
import { fewShotSpec, sharpness } from './few-shot-method.js';

export const whitenedMeansSpec = fewShotSpec({
  name: 'whitened-means',
  title: 'Whitened class means',
  citation:
    'Wang, Chao, Weinberger and van der Maaten, SimpleShot: revisiting nearest-neighbor classification for few-shot learning, 2019',
  uses: ['web', 'auxiliary'],
  // Does not change which category wins, only how sure it is: nothing to search for.
  parameters: { sharpness: changed(sharpness, { range: undefined }) },
  learn: async (data, { sharpness: beta }) => {
    const { backend } = data;
    const means = supportDirections(data);
    return {
      values: scaledProducts(backend, data.test, means, beta),
      score: (pictures) => scaledProducts(backend, pictures, means, beta),
    };
  },
});
