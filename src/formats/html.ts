/** Text inside of HTML. */

/** Nothing that could end a text, an attribute or a line remains. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
