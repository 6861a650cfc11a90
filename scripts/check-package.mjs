// What somebody gets who installs the package: packs it, installs it into an empty folder with the npm registry alone,
// runs the programs of docs/extending.md there, and checks programs that use every part of it with the strictest
// settings of several TypeScripts. `node scripts/check-package.mjs [TARBALL]`; takes some minutes, half a gigabyte of
// disk, and ends with a line for each check.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const typescripts = ['5.7', '5.9', '6.0'];
const folder = mkdtempSync(join(tmpdir(), 'bowerbird-package-'));
const checks = [];

function run(command, args, cwd) {
  const begun = performance.now();
  const child = spawnSync(command, args, { cwd, encoding: 'utf8', shell: process.platform === 'win32' });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  return { ok: child.status === 0, output: child.stdout, errors: child.stderr, seconds };
}

function check(name, { ok, output, errors, seconds }) {
  checks.push(ok);
  console.log(`${ok ? 'passed' : 'FAILED'}  ${name} (${seconds} s)`);
  if (!ok) console.log(`${output}\n${errors}`);
  return output;
}

function pack() {
  // Not left to prepack: .npmrc lets no script of a package run, ours included.
  check('build', run(process.execPath, [join(root, 'scripts', 'build.mjs'), '--clean'], root));
  check('npm pack', run('npm', ['pack', '--silent', '--pack-destination', folder], root));
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith('.tgz')),
  );
}

/** Names of the parts, as a program imports them. */
function partsOf(installed) {
  const { exports } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  return Object.keys(exports)
    .filter((key) => !key.endsWith('.json'))
    .map((key) => `bowerbird${key.slice(1)}`);
}

const program = (parts) => `${parts.map((part, i) => `import * as part${i} from '${part}';`).join('\n')}
import { fit, generateProblem, type FitResult, type Problem, type Progress } from 'bowerbird';

export const parts: readonly object[] = [${parts.map((_, i) => `part${i}`).join(', ')}];
export async function run(problem: Problem = generateProblem({ seed: 1 })): Promise<FitResult> {
  const onProgress = ({ done, total = Number.NaN }: Progress): void => console.log(done / total);
  const result = await fit(problem, 'bowerbird', { onProgress });
  const accuracy: number | undefined = result.metrics.accuracy;
  // @ts-expect-error: a declaration that has become \`any\` would let this pass
  const wrong: string = result.metrics.accuracy;
  console.log(accuracy, wrong, result.names[result.predictions[0] ?? 0]);
  return result;
}
`;

function checkTypes(place, parts) {
  writeFileSync(join(place, 'program.mts'), program(parts));
  writeFileSync(join(place, 'program.cts'), program(parts));
  writeFileSync(join(place, 'program.ts'), program(parts));
  const strict = { strict: true, noEmit: true, skipLibCheck: false, target: 'es2022', types: ['node'] };
  const settings = [
    ['nodenext, .mts', { module: 'nodenext' }, 'program.mts'],
    ['nodenext, .cts', { module: 'nodenext' }, 'program.cts'],
    ['bundler', { module: 'esnext', moduleResolution: 'bundler' }, 'program.ts'],
  ];
  for (const version of typescripts)
    for (const [name, options, file] of settings) {
      writeFileSync(
        join(place, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: { ...strict, ...options }, files: [file] }),
      );
      const compiler = join(place, 'node_modules', `typescript-${version}`, 'bin', 'tsc');
      check(`TypeScript ${version}, ${name}`, run(process.execPath, [compiler, '-p', '.'], place));
    }
}

function checkPrograms(place, installed) {
  const page = readFileSync(join(installed, 'docs', 'extending.md'), 'utf8');
  for (const [, name, code] of page.matchAll(/^```js file=(\S+)\n(.*?)```/gms)) writeFileSync(join(place, name), code);
  for (const name of ['compare.mjs', 'run.mjs', 'fit.mjs'])
    console.log(check(`docs/extending.md: node ${name}`, run(process.execPath, [name], place)).trim());
}

try {
  const tarball = process.argv[2] ? resolve(process.argv[2]) : pack();
  const place = join(folder, 'empty');
  mkdirSync(place);
  writeFileSync(join(place, 'package.json'), '{}');
  console.log(check('npm install of the tarball', run('npm', ['install', '--no-audit', tarball], place)).trim());
  const installed = join(place, 'node_modules', 'bowerbird');
  const command = join(installed, 'dist', 'cli', 'main.js');
  console.log(check('bowerbird --version', run(process.execPath, [command, '--version'], place)).trim());
  checkPrograms(place, installed);
  const compilers = typescripts.map((version) => `typescript-${version}@npm:typescript@~${version}.0`);
  check('npm install of the compilers', run('npm', ['install', '--no-audit', '--no-save', ...compilers], place));
  checkTypes(place, partsOf(installed));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
const failed = checks.filter((ok) => !ok).length;
console.log(`${checks.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
