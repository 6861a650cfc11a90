/** The address follows what is shown, without a step that "back" would go through. */
import { pageAddress, type Query } from './address.js';
import type { PagePath } from './pages.js';

export function remember(page: PagePath, query: Query): void {
  const address = pageAddress(page, query);
  if (location.hash !== address) history.replaceState(null, '', address);
}
