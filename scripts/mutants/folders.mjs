// Which tests belong to which folder of src/, in one place. A folder that is not listed has those of the same name.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of src/ -> files and folders of test/. */
const testsOf = {
  'linalg/cuda': ['linalg', 'learner/agreement.test.ts'],
  'methods/bowerbird': ['methods/bowerbird', 'methods/modern/image-text.test.ts'],
  'methods/blocks': ['methods/blocks', 'methods/bowerbird/parts.test.ts', 'fit/linear.test.ts'],
  catalog: ['catalog', 'crawl/reconcile.test.ts'],
  distribute: ['distribute', 'cli/worker.test.ts'],
};

/** Tests of memory, of being killed, of large sizes and of other programs take long and decide nothing about a small change. */
const leftOut = /((formats|crawl|vision).memory|kill|large|chromium|cuda|python)[\w-]*\.test\.ts$/;

function filesUnder(root, path, pattern) {
  const whole = join(root, path);
  if (!existsSync(whole)) return [];
  if (statSync(whole).isFile()) return [path];
  return readdirSync(whole, { recursive: true })
    .map((name) => join(path, String(name)))
    .filter((name) => pattern.test(name))
    .sort();
}

/** What runs on an NVIDIA GPU is tried only when it is asked for by name: without one no test reaches it. */
const onGpu = /src.(linalg.cuda|learner.(device-|web-scalar-kernels))/;

/** The sources of a folder that may be mutated. */
export function sourcesOf(root, folder) {
  return filesUnder(root, join('src', folder), /(?<!\.d)\.ts$/).filter(
    (path) => folder === 'linalg/cuda' || !onGpu.test(path),
  );
}

/** The test files that decide about mutants of a folder. */
export function testFilesOf(root, folder) {
  return (testsOf[folder] ?? [folder])
    .flatMap((path) => filesUnder(root, join('test', path), /\.test\.ts$/))
    .filter((path) => !leftOut.test(path));
}
