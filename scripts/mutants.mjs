// Makes small changes in the sources of a folder, one at a time, and says which of them its tests do not notice:
//   npm run test:mutants -- FOLDER [--sample 60] [--seed 1] [--files PART,!PART...] [--all] [--anew]
// Draws by seed, goes on where an interrupted run stopped, and repeats only what may have changed (docs/testing.md).
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { allMutants, draw } from './mutants/draw.mjs';
import { equivalent } from './mutants/equivalent.mjs';
import { sourcesOf, testFilesFor } from './mutants/folders.mjs';
import { HostedTests } from './mutants/hosted-tests.mjs';
import { digestsOf, filesToTry, Journal } from './mutants/journal.mjs';
import { reach } from './mutants/reach.mjs';
import { Sandbox } from './mutants/sandbox.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    files: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
    anew: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});

function fail(message) {
  console.error(message);
  process.exit(2);
}

const folder = positionals[0]?.replace(/^src\/|\/$/g, '');
if (!folder || positionals.length > 1) fail('usage: npm run test:mutants -- FOLDER [--sample 60] [--seed 1]');
const sample = values.all ? Number.POSITIVE_INFINITY : Number(values.sample);
if (!(sample >= 1)) fail(`--sample is ${values.sample}; it must be a number of at least 1`);
if (!existsSync(join(root, 'dist'))) fail('dist/ is missing: run "npm run build" first');
const parts = values.files.split(',').filter(Boolean);
const wanted = parts.filter((part) => !part.startsWith('!'));
const unwanted = parts.filter((part) => part.startsWith('!')).map((part) => part.slice(1));
const sources = sourcesOf(root, folder).filter(
  (name) =>
    (wanted.length === 0 || wanted.some((part) => name.includes(part))) &&
    !unwanted.some((part) => name.includes(part)),
);
if (sources.length === 0) fail(`src/${folder} has no such sources`);
const testsOf = new Map(sources.map((source) => [source, testFilesFor(root, folder, source)]));
const testFiles = [...new Set([...testsOf.values()].flat())];
if (testFiles.length === 0) fail(`no tests belong to src/${folder}: name them in scripts/mutants/folders.mjs`);

const say = (text) => console.error(text);
const describes = ({ file, before, after, which = [1] }, mutant) =>
  mutant.file === `src/${file}` &&
  mutant.original === before &&
  mutant.replacement === after &&
  which.includes(mutant.occurrence);
const isEquivalent = (mutant) => equivalent.some((entry) => describes(entry, mutant));

const started = Date.now();
const possible = await allMutants(root, sources);
for (const entry of equivalent)
  if (sources.includes(`src/${entry.file}`) && !possible.some((mutant) => describes(entry, mutant)))
    say(`scripts/mutants/equivalent.mjs names a mutant of src/${entry.file} that is no longer there: ${entry.before}`);
const drawn = draw(possible, sample, values.seed);
const counted = drawn.filter((mutant) => !isEquivalent(mutant));
const digests = digestsOf(root, testFiles);
const place = join(root, '.mutants', folder.replaceAll('/', '-'));
const journal = new Journal(`${place}.jsonl`);
const results = new Map();
/** Test files to try of each mutant that is not known. */
const toTry = new Map();
for (const mutant of counted) {
  const known = values.anew ? undefined : journal.known(mutant);
  const files = filesToTry(known, digests).filter((file) => testsOf.get(mutant.file).includes(file));
  if (files.length > 0) toTry.set(mutant.name, files);
  else results.set(mutant.name, known);
}
const open = counted.filter(({ name }) => toTry.has(name));
say(
  `src/${folder}: ${possible.length} mutants in ${sources.length} files; ${drawn.length} drawn, ` +
    `${drawn.length - counted.length} of them equivalent, ${results.size} known, ${open.length} to try`,
);
if (open.length > 0) await tryAll();
report();

async function tryAll() {
  // Of its own, so that two runs do not meet; what killed runs left goes.
  for (const name of readdirSync(dirname(place))) {
    const owner = Number(/-(\d+)(-reached)?$/.exec(name)?.[1] ?? process.pid);
    if (owner !== process.pid && !isAlive(owner)) rmSync(join(dirname(place), name), { recursive: true, force: true });
  }
  const sandbox = new Sandbox(root, `${place}-${process.pid}`, sources);
  const host = new HostedTests(sandbox.folder, `${sandbox.folder}-reached`);
  const stop = () => {
    host.stop();
    sandbox.remove();
  };
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      stop();
      process.exit(130);
    });
  try {
    const running = testFiles.filter((file) => open.some(({ name }) => toTry.get(name).includes(file)));
    say(`running ${running.length} test files once, to see which of them reach which mutant`);
    const { reached, modules } = await reach(sandbox, host, open, running, host.reachedFolder);
    for (const { file, failed } of modules)
      if (failed) say(`${file} fails without a mutant and is left out: ${failed}`);
    const usable = new Map(modules.filter(({ failed }) => !failed).map((module) => [module.file, module]));
    if (usable.size === 0) throw new Error('all tests fail without a mutant: run them and mend them first');
    const slowest = modules.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, 3);
    const told = slowest.map(({ file, milliseconds }) => `${file} ${Math.round(milliseconds / 1000)} s`);
    say(`${Math.round((Date.now() - started) / 1000)} s, longest: ${told.join(', ')}`);
    for (const [i, mutant] of open.entries()) {
      const entry = await tryOne(sandbox, host, mutant, reached.get(mutant.name), usable);
      journal.add(entry);
      results.set(mutant.name, entry);
      say(`${i + 1}/${open.length} ${entry.status.padEnd(12)} ${entry.seconds} s  ${mutant.file}:${mutant.line}`);
    }
  } finally {
    stop();
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code !== 'ESRCH';
  }
}

/** Runs the tests that reach a mutant, the quickest first, until one fails. */
async function tryOne(sandbox, host, mutant, reached, usable) {
  const begun = Date.now();
  const tests = Object.fromEntries(testsOf.get(mutant.file).map((file) => [file, digests[file]]));
  const about = { name: mutant.name, file: mutant.file, line: mutant.line, source: mutant.source, tests };
  const entry = (status, by) => ({ ...about, status, by, seconds: Math.round((Date.now() - begun) / 100) / 10 });
  const chosen = [...reached.keys()]
    .filter((file) => usable.has(file) && toTry.get(mutant.name).includes(file))
    .sort((a, b) => usable.get(a).milliseconds - usable.get(b).milliseconds);
  const before = values.anew ? undefined : journal.known(mutant);
  if (chosen.length === 0) return entry(before?.status ?? 'not reached');
  if (!sandbox.mutate(mutant)) return entry('invalid');
  try {
    let ran = 0;
    for (const file of chosen) {
      const names = [...reached.get(file)];
      const chosenTests = [{ file, names: names.includes('') || names.length > 300 ? undefined : names }];
      const usual = usable.get(file).milliseconds + usable.get(file).start;
      const outcome = await host.run(
        { tests: chosenTests, changed: sandbox.changed(), bail: true },
        20_000 + 4 * usual,
      );
      if (outcome === undefined) return entry('timeout', file);
      const failed = outcome.modules.find((module) => module.failed);
      if (failed) return entry('killed', `${failed.file}: ${failed.failed}`);
      if (outcome.errors.length > 0) return entry('killed', outcome.errors[0]);
      ran += outcome.modules.reduce((sum, { passed }) => sum + passed, 0);
    }
    if (ran === 0) throw new Error(`no test ran for ${mutant.file}:${mutant.line}`);
    return entry('survived');
  } finally {
    sandbox.restore(mutant.file);
  }
}

/** The lines of a source that a mutant changes, before and after. */
function difference(mutant) {
  const { text } = mutant;
  const from = text.lastIndexOf('\n', mutant.start - 1) + 1;
  const to = text.indexOf('\n', mutant.end);
  const after = text.slice(from, mutant.start) + mutant.replacement + text.slice(mutant.end, to);
  const lines = (sign, part) => {
    const all = part.split('\n').map((line) => `  ${sign} ${line}`);
    return all.length > 6 ? [...all.slice(0, 3), `  ${sign} …`, ...all.slice(-2)] : all;
  };
  return [...lines('-', text.slice(from, to)), ...lines('+', after)].join('\n');
}

function report() {
  const of = (status) => counted.filter(({ name }) => results.get(name)?.status === status);
  const [killed, timeout, survived, notReached] = ['killed', 'timeout', 'survived', 'not reached'].map(of);
  const valid = killed.length + timeout.length + survived.length + notReached.length;
  const score = (100 * (killed.length + timeout.length)) / valid;
  const seconds = Math.round((Date.now() - started) / 1000);
  if (values.json) {
    const told = ({ file, line, mutator, original, replacement, occurrence, name }) => ({
      ...{ file, line, mutator, before: original, after: replacement, which: occurrence },
      status: results.get(name).status,
      by: results.get(name).by,
    });
    console.log(JSON.stringify({ folder, seed: values.seed, score, seconds, mutants: counted.map(told) }, null, 1));
    return;
  }
  for (const mutant of [...survived, ...notReached].sort((a, b) => (a.file < b.file ? -1 : 1)))
    console.log(
      `${mutant.file}:${mutant.line} ${results.get(mutant.name).status} (${mutant.mutator}, ${mutant.occurrence})\n${difference(mutant)}`,
    );
  console.log(
    `src/${folder}, seed ${values.seed}: ${killed.length} noticed, ${timeout.length} ran out of time, ${survived.length} survived, ` +
      `${notReached.length} not reached; ${score.toFixed(1)} % of ${valid}, ${drawn.length - counted.length} equivalent, ${seconds} s`,
  );
}
