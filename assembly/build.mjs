// Compiles the AssemblyScript kernels into dist/assembly/*.wasm. Every module imports one shared memory, `env.memory`,
// so that several modules and several threads work on the same numbers. The dense kernels are generated; other
// modules have an `index.ts`, and may have a `relaxed.ts` beside it for engines with relaxed SIMD.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';
import { passesSource } from './dense/passes.mjs';
import { productSource } from './dense/product.mjs';
import { elements, families } from './dense/tiles.mjs';
import { vectorsSource } from './dense/vectors.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** `base` is where a module's static data begins: modules that share a memory must not overlap. */
const written = [
  { source: 'assembly/factor/index.ts', output: 'factor', base: 0x8000 },
  { source: 'assembly/factor/relaxed.ts', output: 'factor-relaxed', base: 0x8000 },
  { source: 'assembly/rows/index.ts', output: 'rows', base: 0x400 },
  { source: 'assembly/networks/index.ts', output: 'networks', base: 0x400 },
  { source: 'assembly/pictures/index.ts', output: 'pictures', base: 0x400 },
  { source: 'assembly/words/index.ts', output: 'words', base: 0x400 },
  { source: 'assembly/words/relaxed.ts', output: 'words-relaxed', base: 0x400 },
].filter(({ source }) => existsSync(join(root, source)));

const generated = Object.entries(families).map(([family, tiles]) => ({
  source: `assembly/dense/${family}.ts`,
  output: `dense-${family}`,
  base: 0x400,
  text: elements
    .map((element) => productSource(family, element, tiles) + vectorsSource(family, element) + passesSource(family, element))
    .join(''),
}));

const options = [
  ...['--enable', 'simd', '--enable', 'threads', '--enable', 'relaxed-simd'],
  ...['--importMemory', '--sharedMemory', '--initialMemory', '16', '--maximumMemory', '65536'],
  ...['--runtime', 'stub', '-O3', '--noAssert'],
];

async function compile({ source, output, base, text }) {
  const target = join(root, 'dist', 'assembly', `${output}.wasm`);
  const args = [source, '--baseDir', root, '--outFile', `${output}.wasm`, '--memoryBase', String(base), ...options];
  const readFile = (name, folder) => {
    if (text !== undefined && name === source) return text;
    const path = join(folder, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : null;
  };
  const writeFile = (_name, contents) => {
    writeFileSync(`${target}.${process.pid}`, contents);
    renameSync(`${target}.${process.pid}`, target);
  };
  const { error, stderr } = await asc.main(args, { readFile, writeFile });
  if (!error) return;
  console.error(`${source}: ${error.message}\n${stderr.toString()}`);
  process.exitCode = 1;
}

mkdirSync(join(root, 'dist', 'assembly'), { recursive: true });
for (const module of [...generated, ...written]) await compile(module);
