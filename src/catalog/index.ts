/** The catalog of a workspace: which pictures were found, what became of them, and where their files lie. */
export { licenceName, writeAttribution } from './attribution.js';
export { Catalog, type CatalogOptions, openCatalog, type PictureQuestion } from './catalog.js';
export { type CroissantOptions, writeCroissant } from './croissant.js';
export { exportParquet } from './export-parquet.js';
export { hasCatalog, moveCatalog } from './files.js';
export type { CatalogPatience } from './open-instance.js';
export {
  type DuplicateMark,
  type FoundPicture,
  type Lane,
  type PictureMeasurements,
  type PictureRow,
  pictureId,
  type StateChange,
} from './picture.js';
export { type QueryRow, type QueryValue, readOnlyQuery } from './query.js';
export { type CatalogRepair, repairCatalog } from './repair.js';
export {
  type DropReason,
  dropReasons,
  type FailureKind,
  failureKinds,
  type PictureState,
  pictureStates,
  retriableKinds,
} from './states.js';
