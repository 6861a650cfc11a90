// Tests both kinds of machine, one after the other. First the bare one: npm ci && npm test with everything hidden that is not
// Node or an npm package (BOWERBIRD_BARE). Then the one that has everything: Debian's packages are installed, and what the bare
// run skipped is run, and every numerical suite on the native backend. Where a few files fail they are run once more by
// themselves, and failures that go away are named as unsteady. The last line sums up both; the exit code is 1 on failure.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterRepeating, count, filesWith, line, outcomes, together } from './test-results.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = mkdtempSync(join(tmpdir(), 'bowerbird-ci-'));

/** Suites whose numbers depend on the backend, and that of the formats, which asks numpy inside of tests that run without it. */
const numerical = ['linalg', 'learner', 'methods', 'problem', 'evaluation', 'formats'].map((name) => `test/${name}/`);

/** Debian's packages, and how to see that one is not needed. */
const packages = [
  ['libopenblas0-pthread', () => run('ldconfig', ['-p'], { capture: true }).stdout?.includes('libopenblas.so.0')],
  ['bzip2', () => starts('bzip2', '--help')],
  ['redis-server', () => starts('redis-server', '--version')],
  ['zsh', () => starts('zsh', '--version')],
  ['fish', () => starts('fish', '--version')],
  ['mandoc', () => starts('mandoc', '-T', 'lint', '/dev/null')],
  ['chromium', () => existsSync(process.env.CHROMIUM || '/usr/bin/chromium')],
  ['fasttext', () => starts('fasttext')],
  ['python3-numpy', () => run('python3', ['-c', 'import numpy'], { capture: true }).status === 0],
  ['python3-pil', () => run('/usr/bin/python3', ['-c', 'import PIL.ImageCms'], { capture: true }).status === 0],
  ['python3-scipy', () => run('python3', ['-c', 'import scipy'], { capture: true }).status === 0],
];

/** More files with failures than these are no accident. */
const repeatable = 4;

const problems = new Map();
const unsteady = [];

process.exitCode = main() ? 0 : 1;
rmSync(folder, { recursive: true, force: true });

function main() {
  const bare = testBare();
  const full = bare && testFull(bare);
  const all = together(bare ?? new Map(), full ?? new Map(), problems);
  for (const [test, outcome] of all) if (outcome === 'failed') console.log(`failed: ${test}`);
  for (const test of unsteady) console.log(`unsteady, failed once and passed when repeated: ${test}`);
  if (bare) console.log(`bare: ${line(count(bare))}`);
  if (full) console.log(`with system packages: ${line(count(full))}`);
  const counts = count(all);
  console.log(line(counts));
  return counts.failed === 0;
}

/** The README's commands on a machine with nothing but Node. */
function testBare() {
  const { BOWERBIRD_BLAS, BOWERBIRD_CUDA, BOWERBIRD_LONG, CHROMIUM, ...rest } = process.env;
  const env = { ...rest, BOWERBIRD_BARE: '1' };
  if (!step('npm ci', npm(['ci'], env))) return undefined;
  const results = join(folder, 'bare.json');
  const { status } = npm(['test'], { ...env, BOWERBIRD_TEST_RESULTS: results });
  return repeating(resultsOf('npm test', status, results), env);
}

/** The rest, on a machine that has all the tests can use. */
function testFull(bare) {
  if (!step('installing system packages', installPackages())) return undefined;
  const { BOWERBIRD_BARE, BOWERBIRD_LONG, ...env } = process.env;
  const doctor = run(process.execPath, [join(root, 'dist/cli/main.js'), 'doctor', '--json', '--seconds', '0'], {
    env,
    capture: true,
  });
  const native = doctor.status === 0 && JSON.parse(doctor.stdout).native;
  if (!step(`finding the BLAS that was installed ${JSON.stringify(native)}`, { status: native?.found ? 0 : 1 }))
    return undefined;
  const files = filesWith('skipped', bare).filter((file) => !numerical.some((suite) => file.startsWith(suite)));
  return repeating(vitest('full', [...numerical, ...files], env), env);
}

function vitest(name, files, env) {
  const results = join(folder, `${name}.json`);
  const program = join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = run(process.execPath, [program, 'run', ...files], {
    env: { ...env, BOWERBIRD_TEST_RESULTS: results },
  });
  return resultsOf('vitest', status, results);
}

/** What a run said, after the files with failures were run again. */
function repeating(first, env) {
  const files = first ? filesWith('failed', first) : [];
  if (files.length === 0 || files.length > repeatable) return first;
  console.log(`again: ${files.join(' ')}`);
  const again = vitest('again', files, env);
  if (!again) return first;
  const after = afterRepeating(first, again);
  unsteady.push(...after.unsteady);
  return after.outcomes;
}

function installPackages() {
  const missing = packages.filter(([, present]) => !present()).map(([name]) => name);
  if (missing.length === 0) return { status: 0 };
  const [command, ...before] = process.getuid?.() === 0 ? ['apt-get'] : ['sudo', 'apt-get'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  run(command, [...before, 'update', '-qq'], { env });
  return run(command, [...before, 'install', '-y', '-qq', '--no-install-recommends', ...missing], { env });
}

/** The outcomes in a results file; a command that failed without one has failed as a whole. */
function resultsOf(name, status, file) {
  if (!existsSync(file)) {
    step(name, { status: status || 1 });
    return undefined;
  }
  const found = outcomes(JSON.parse(readFileSync(file, 'utf8')), root);
  if (status !== 0 && count(found).failed === 0) step(name, { status });
  return found;
}

function step(name, { status }) {
  if (status !== 0) problems.set(name, 'failed');
  return status === 0;
}

function npm(words, env) {
  return run('npm', words, { env, shell: process.platform === 'win32' });
}

function starts(program, ...words) {
  return run(program, words, { capture: true }).error === undefined;
}

function run(command, words, { env = process.env, capture = false, shell = false } = {}) {
  const stdio = ['ignore', capture ? 'pipe' : 'inherit', capture ? 'pipe' : 'inherit'];
  return spawnSync(command, words, { cwd: root, env: { ...env, NO_COLOR: '1' }, encoding: 'utf8', stdio, shell });
}
