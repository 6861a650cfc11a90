/** The catalog of a workspace: which pictures were found, what became of them, and where their files lie. */
export { Catalog, type CatalogOptions, openCatalog, type QueryRow, type QueryValue } from './catalog.js';
export {
  type FoundPicture,
  type Lane,
  type PictureMeasurements,
  type PictureRow,
  pictureId,
  type StateChange,
} from './picture.js';
export {
  type DropReason,
  dropReasons,
  type FailureKind,
  failureKinds,
  type PictureState,
  pictureStates,
  retriableKinds,
} from './states.js';
