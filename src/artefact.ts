/**
 * Where built files (WebAssembly modules, worker scripts) lie: beside the compiled code in dist/, also when the
 * TypeScript sources are run directly, as the tests do.
 */
const here = import.meta.url;
const root = here.endsWith('.ts') ? new URL('../dist/', here) : new URL('./', here);

/** URL of a built file, given its path inside dist/, such as `linalg/wasm/worker.js`. */
export function artefact(path: string): URL {
  return new URL(path, root);
}
