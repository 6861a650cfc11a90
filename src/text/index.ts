/** Text to words, and words to term frequencies. */
export { decodeEntities } from './entities.js';
export {
  type ChooseWordsOptions,
  mostFrequentWords,
  type PictureText,
  pictureWords,
  termFrequencies,
} from './term-frequencies.js';
export { type TokenizeOptions, tokenize } from './tokenize.js';
