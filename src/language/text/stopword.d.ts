/** The package has no types of its own: lists of words by three-letter language code, and a few functions. */
declare module 'stopword' {
  export const eng: readonly string[];
}
