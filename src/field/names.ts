/** What the command line names of a site, without loading anything else. */
export { type Precision, precisions } from './site.js';
