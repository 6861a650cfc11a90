// Which tests belong to which folder of src/, in one place. A folder that is not listed has those of the same name, and a
// folder below one that is drawn from has its own where it is listed.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

const ofWorkspaces =
  'check-stages combining configuration decisions inputs lock looks mistakes people remembered run-of-stages semantics stage-work stages staleness told'
    .split(' ')
    .map((name) => `workspace/${name}.test.ts`);

/** Folder of src/ -> files and folders of test/: the nearest ones, and of those the quick ones where all take minutes. */
const testsOf = {
  'linalg/cuda': ['linalg', 'learner/agreement.test.ts'],
  'methods/bowerbird': ['methods/bowerbird', 'methods/modern/image-text.test.ts'],
  'methods/blocks': ['methods/blocks', 'methods/bowerbird/parts.test.ts', 'fit/linear.test.ts'],
  catalog: ['catalog', 'crawl/reconcile.test.ts'],
  crawl: ['categories', 'checks', 'command', 'faults', 'keys', 'lane', 'own-sources', 'parts', 'tally'].map(
    (name) => `crawl/${name}.test.ts`,
  ),
  'crawl/dedupe': ['crawl/dedupe'],
  'crawl/network': ['checks', 'http', 'network', 'parts'].map((name) => `crawl/${name}.test.ts`),
  'crawl/sources': [
    'crawl/answers.test.ts',
    'crawl/sources.test.ts',
    'crawl/own-sources.test.ts',
    'crawl/questions.test.ts',
    'crawl/keys.test.ts',
  ],
  distribute: ['distribute', 'cli/worker.test.ts'],
  studio: 'access answers asking category-map comparison confinement files kept-fits results runs server views'
    .split(' ')
    .map((name) => `studio/${name}.test.ts`),
  workspace: ofWorkspaces,
  'workspace/dataset': ['workspace/dataset.test.ts'],
  'workspace/export': [
    ...['workspace/classifier.test.ts', 'workspace/looks.test.ts', 'workspace/told.test.ts'],
    ...['fit/calibration.test.ts', 'fit/strangers.test.ts'],
  ],
  'workspace/semantics': ['semantics', 'configuration', 'stages', 'told'].map((name) => `workspace/${name}.test.ts`),
  'workspace/stages': [...ofWorkspaces, 'workspace/folders-as-they-are.test.ts'],
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

/** The test files that decide about mutants of a source, when mutants are drawn from a folder above it. */
export function testFilesFor(root, folder, source) {
  let nearest = dirname(source).slice('src/'.length);
  while (nearest.length > folder.length && !testsOf[nearest]) nearest = dirname(nearest);
  return testFilesOf(root, nearest);
}

/** The test files that decide about mutants of a folder. */
export function testFilesOf(root, folder) {
  return (testsOf[folder] ?? [folder])
    .flatMap((path) => filesUnder(root, join('test', path), /\.test\.ts$/))
    .filter((path) => !leftOut.test(path));
}
