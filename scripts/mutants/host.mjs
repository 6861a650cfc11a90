// A process that keeps vitest loaded and runs the tests it is told, one test file at a time, each in a process of its own.
// Its parent ends it, with all that it started, when a mutant does not come to an end.
import { resolve } from 'node:path';
import { createVitest } from 'vitest/node';

const [folder, setup] = process.argv.slice(2);

/** Test files run in the order they are given. */
class AsGiven {
  shard(files) {
    return files;
  }
  sort(files) {
    return files;
  }
}

const vitest = await createVitest(
  'test',
  { root: folder, watch: false, reporters: [{}], maxWorkers: 1, silent: true, sequence: { sequencer: AsGiven } },
  { clearScreen: false },
  { stdout: process.stderr },
);
const project = vitest.getRootProject();
const ownSetup = project.config.setupFiles;

const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

async function run({ tests, changed, bail, reach }) {
  for (const file of changed) vitest.invalidateFile(resolve(folder, file));
  vitest.state.filesMap.clear();
  vitest.state.errorsSet.clear();
  vitest.config.bail = bail ? 1 : 0;
  project.config.bail = vitest.config.bail;
  project.config.setupFiles = reach ? [setup, ...ownSetup] : ownSetup;
  const specifications = tests.map(({ file, names }) =>
    project.createSpecification(
      resolve(folder, file),
      names ? { testNamePattern: new RegExp(`^(${names.map(escaped).join('|')})$`) } : {},
    ),
  );
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const modules = testModules.map((module) => {
    const all = [...module.children.allTests()];
    const failed = all.find((test) => test.result().state === 'failed');
    const broken = failed === undefined && module.state() === 'failed';
    return {
      file: module.relativeModuleId,
      milliseconds: module.diagnostic().duration,
      start:
        module.diagnostic().prepareDuration + module.diagnostic().collectDuration + module.diagnostic().setupDuration,
      passed: all.filter((test) => test.result().state === 'passed').length,
      failed: failed ? failed.fullName : broken ? 'the file itself' : undefined,
    };
  });
  return { modules, errors: unhandledErrors.map((error) => String(error?.message ?? error)) };
}

process.on('message', (order) => {
  run(order).then(
    (result) => process.send({ result }),
    (error) => process.send({ error: error.stack }),
  );
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });
