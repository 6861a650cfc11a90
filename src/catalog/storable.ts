/** What sources say, as the catalog can keep it. */
import { columnName } from './schema.js';

const longestText = 16_384;
const longestComments = 200_000;
const mostTags = 256;
const longestTag = 256;

/** By the SQL names of the columns; what is undefined is left out. */
export function storableColumns(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([field, value]) => [columnName(field), storable(field, value)]),
  );
}

/** NUL and lone surrogates can be written in JSON but not stored as text; lengths are bounded whatever a source sends. */
function storable(column: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, mostTags).map((tag) => text(String(tag), longestTag));
  return typeof value === 'string' ? text(value, column === 'comments' ? longestComments : longestText) : value;
}

function text(value: string, limit: number): string {
  return Buffer.from(value.replaceAll('\0', '').slice(0, limit)).toString();
}
