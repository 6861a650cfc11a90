/**
 * Words of strangers as they may be shown: without control characters and without the marks that turn the direction of
 * writing around (overrides, embeddings, isolates), with which a title can be made to look like another, or like the
 * page around it. Scripts that run from right to left need none of these.
 */
export function readable(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '').replace(/[^\P{Cc}\t\n]/gu, ' ');
}
