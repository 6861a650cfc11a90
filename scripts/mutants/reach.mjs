// Which tests reach which mutant: one run of all tests over Stryker's instrumented sources, in which every place of a mutant
// notes the test that came by. Worker threads and child processes note the test file alone.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { instrument } from './draw.mjs';

/** Stands where Stryker would count: writes down each pair of mutant and test once. */
const note = `
function stryCov_9fa48(...ids) {
  const test = globalThis.mutantsTest ?? '';
  let noted = globalThis.mutantsNoted;
  if (noted?.test !== test) noted = globalThis.mutantsNoted = { test, ids: new Set() };
  for (const id of ids) {
    if (noted.ids.has(id)) continue;
    noted.ids.add(id);
    if (process.env.MUTANTS_REACHED)
      process.getBuiltinModule('node:fs').appendFileSync(process.env.MUTANTS_REACHED, id + '\\t' + JSON.stringify(test) + '\\n');
  }
}
`;

const withNotes = (text) => {
  const from = text.indexOf('function stryCov_9fa48');
  const to = text.indexOf('function stryMutAct_9fa48');
  return from < 0 ? text : text.slice(0, from) + note + text.slice(to);
};

const samePlace = (a, b) =>
  a.start.line === b.start.line &&
  a.start.column === b.start.column &&
  a.end.line === b.end.line &&
  a.end.column === b.end.column;

/** Runs all tests once. Gives the tests of every mutant's name, and what became of each test file. */
export async function reach(sandbox, host, mutants, testFiles, reachedFolder) {
  rmSync(reachedFolder, { recursive: true, force: true });
  mkdirSync(reachedFolder, { recursive: true });
  const mutated = [...new Set(mutants.map(({ file }) => file))];
  const names = new Map();
  const files = mutated.map((name) => ({
    name,
    content: sandbox.text(name),
    mutate: mutants.filter(({ file }) => file === name).map(({ location }) => location),
  }));
  const placed = await instrument(files);
  for (const { name, content } of placed.files)
    if (!sandbox.write(name, withNotes(content))) throw new Error(`${name} cannot be instrumented`);
  for (const mutant of mutants) {
    const same = placed.mutants.find(
      (one) =>
        one.fileName === mutant.file &&
        one.mutatorName === mutant.mutator &&
        one.replacement === mutant.replacement &&
        samePlace(one.location, mutant.location),
    );
    if (same) names.set(same.id, mutant.name);
  }
  const { modules, errors } = await host.run({
    tests: testFiles.map((file) => ({ file })),
    changed: sandbox.changed(),
    bail: false,
    reach: true,
  });
  for (const name of mutated) sandbox.restore(name);
  const reached = new Map(mutants.map(({ name }) => [name, new Map()]));
  for (const file of testFiles) {
    const digest = createHash('sha256').update(resolve(sandbox.folder, file)).digest('hex').slice(0, 16);
    if (!existsSync(join(reachedFolder, digest))) continue;
    for (const line of readFileSync(join(reachedFolder, digest), 'utf8').split('\n').filter(Boolean)) {
      const [id, test] = line.split('\t');
      const tests = reached.get(names.get(id));
      if (!tests) continue;
      if (!tests.has(file)) tests.set(file, new Set());
      tests.get(file).add(JSON.parse(test));
    }
  }
  rmSync(reachedFolder, { recursive: true, force: true });
  return { reached, modules, errors };
}
