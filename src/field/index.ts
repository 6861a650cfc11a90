/** The classifier of a workspace as a page for phones: a folder of files that works without a network. */
export { exportSite, type SiteOptions, type SiteSummary } from './export-site.js';
export type { OwnPictures } from './gallery.js';
export { type Precision, precisions, type Site } from './site.js';
