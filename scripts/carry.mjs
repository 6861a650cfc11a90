// Packs what tests and benchmarks need besides a checkout on a machine that has neither Node nor npm, such as a lent GPU machine:
// this Node, Vitest and the modules that computing needs, what was built and, where there is one, the BLAS. Needs tar and xz.
// `npm run build && node scripts/carry.mjs OUT.tar.xz`; docs/testing.md says how to use it.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [out] = process.argv.slice(2);
if (!out || !existsSync(join(root, 'dist'))) {
  console.error('npm run build && node scripts/carry.mjs OUT.tar.xz');
  process.exit(2);
}

/** Far larger than all others, and not needed to compute. */
const left = /^(onnxruntime|@duckdb|sharp|@img|@types|esbuild|@esbuild)/;
const programs = ['vitest', 'fast-check'];
/** Where Node and libraries go: git leaves it alone. */
const beside = 'node_modules/.carried';

const stage = mkdtempSync(join(tmpdir(), 'bowerbird-carry-'));
try {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const modules = [...closureOf([...programs, ...Object.keys(dependencies)])].map((name) => `node_modules/${name}`);
  copy([...modules, 'dist'], ['*.map', '*.d.ts', '*.d.cts', 'dist/api', 'dist/studio/app', 'dist/field/app']);
  for (const name of ['bin', 'lib']) mkdirSync(join(stage, beside, name), { recursive: true });
  copyFileSync(process.execPath, join(stage, beside, 'bin/node'));
  // Symbols for debuggers are an eighth of it.
  spawnSync('strip', [join(stage, beside, 'bin/node')]);
  for (const [name, path] of libraries()) copyFileSync(path, join(stage, beside, 'lib', name));
  console.error(`packing ${modules.length} modules, which takes about half a minute`);
  execFileSync('tar', ['-C', stage, '-cJf', resolve(out), '.'], { env: { ...process.env, XZ_OPT: '-T0' } });
  console.log(`${out}: ${(statSync(out).size / 2 ** 20).toFixed(1)} MiB`);
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** These packages and all that they need, as far as they are installed. */
function closureOf(names, found = new Set()) {
  for (const name of names) {
    const file = join(root, 'node_modules', name, 'package.json');
    if (found.has(name) || left.test(name) || !existsSync(file)) continue;
    found.add(name);
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(file, 'utf8'));
    closureOf([...Object.keys(dependencies), ...Object.keys(optionalDependencies)], found);
  }
  return found;
}

function copy(paths, without) {
  const packed = execFileSync(
    'tar',
    ['-C', root, ...without.map((each) => `--exclude=${each}`), '-cf', '-', ...paths],
    {
      maxBuffer: 2 ** 30,
    },
  );
  execFileSync('tar', ['-C', stage, '-xf', '-'], { input: packed });
}

/** OpenBLAS, and the libraries that it needs besides the C library: the names that are looked for, and where they are. */
function libraries() {
  const listed = spawnSync('ldconfig', ['-p'], { encoding: 'utf8' }).stdout ?? '';
  return ['libopenblas.so.0', 'libgfortran.so.5', 'libquadmath.so.0'].flatMap((name) => {
    const path = listed
      .split('\n')
      .find((line) => line.trim().startsWith(`${name} `))
      ?.split('=> ')[1];
    return path ? [[name, realpathSync(path.trim())]] : [];
  });
}
