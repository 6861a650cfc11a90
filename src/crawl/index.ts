/** Pictures from the web and from disk: sources, the crawl itself, and the removal of duplicates. */
export { type Category, loadCategories } from './categories.js';
export { type CrawlOptions, crawl } from './crawl.js';
export { type DedupeOptions, type DedupeSummary, dedupe, type MergeRecord, TestLeakError } from './dedupe/dedupe.js';
export { type FeatureSet, openFeatureSet } from './dedupe/feature-set.js';
export { type NearbyOptions, type NearbyPair, nearbyRows } from './dedupe/nearby.js';
export {
  type DownloadDispatcher,
  type HostPause,
  type PictureRequest,
  PictureRequester,
  type RequestOutcome,
} from './elsewhere.js';
export { type KeyName, Keys, keyNames } from './keys.js';
export { defaultLicences, type LicenceCode, licenceCodes, parseLicences } from './licence.js';
export type { NetworkOptions } from './network/http.js';
export { userAgent } from './network/user-agent.js';
export { type PlannedQuestion, planCrawl } from './plan.js';
export { type Reconciled, type ReconcileOptions, reconcile } from './reconcile.js';
export { createSource, registerSource, type SourceFactory, type SourceOptions, webSources } from './sources/index.js';
export type { ListedPicture, Source, SourceContext, SourcePage } from './sources/source.js';
export type { CrawlSummary } from './summary.js';
