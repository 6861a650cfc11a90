/**
 * Invented names, titles and tags for generated problems. A title always holds the name that was searched for; the
 * other words speak of what the picture really shows, so that text tells right pictures from wrong ones.
 */
import type { Random } from '../linalg/index.js';

const consonants = 'bdfgklmnprstvzj';
const vowels = 'aeiou';
const syllables = consonants.length * vowels.length;
const wordCount = syllables ** 3;
const wordsPerCategory = 4;
const offTopicWords = 24;
const commonWords = ['photo', 'nature', 'wildlife', 'park', 'morning', 'canon', 'closeup', 'male', 'female', 'nikon'];

/** Name of the category with this index. */
export function inventName(category: number): string {
  const word = inventWord(category * (wordsPerCategory + 1));
  return word[0].toUpperCase() + word.slice(1);
}

/** Title and tags of a picture found under `searched` that shows `shown`, or nothing of the kind. */
export function describePicture(searched: number, shown: number | undefined, random: Random): string {
  const words = [inventName(searched)];
  for (let k = 0; k < 4; k++)
    words.push(
      shown === undefined
        ? inventWord(wordCount - 1 - random.integer(offTopicWords))
        : inventWord(shown * (wordsPerCategory + 1) + 1 + random.integer(wordsPerCategory)),
    );
  for (let k = 0; k < 3; k++) words.push(commonWords[random.integer(commonWords.length)]);
  return words.join(' ');
}

/** A pronounceable word for an index; different for all indices below `wordCount`. */
function inventWord(index: number): string {
  // The factor shares no divisor with wordCount (3³·5⁶), so neighbouring indices give unlike, never equal, words.
  let code = (index * 259_201 + 12_345) % wordCount;
  let word = '';
  for (let k = 0; k < 3; k++) {
    const syllable = code % syllables;
    word += consonants[syllable % consonants.length] + vowels[Math.floor(syllable / consonants.length)];
    code = Math.floor(code / syllables);
  }
  return word;
}
