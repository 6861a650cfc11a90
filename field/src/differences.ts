/** What tells two categories apart, where categories are described by attributes. */
import type { Site } from './site.js';

export interface Difference {
  attribute: string;
  /** How much more of it the first of the two has. */
  difference: number;
}

/** The attributes in which two categories differ most. */
export function differences(
  { attributes, categories }: Pick<Site, 'attributes' | 'categories'>,
  first: string,
  second: string,
  count = 5,
): Difference[] {
  if (!attributes) return [];
  const [a, b] = [first, second].map((name) => attributes.values[categories.indexOf(name)]);
  if (!a?.length || !b?.length) return [];
  return attributes.names
    .map((attribute, i) => ({ attribute, difference: a[i] - b[i] }))
    .sort((x, y) => Math.abs(y.difference) - Math.abs(x.difference))
    .slice(0, count)
    .filter(({ difference }) => difference !== 0);
}
