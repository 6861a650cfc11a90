// Compiles the AssemblyScript kernels into dist/assembly/*.wasm. Every module imports one shared memory, `env.memory`,
// so that several modules and several threads work on the same numbers.
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import asc from 'assemblyscript/asc';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Module sources, relative to the root; one whose source is absent is skipped. `base` keeps static data apart. */
const modules = [
  { source: 'assembly/factor/index.ts', output: 'factor.wasm', base: 0x8000 },
  { source: 'assembly/words/index.ts', output: 'words.wasm', base: 0x400 },
];

const options = [
  ...['--enable', 'simd', '--enable', 'threads', '--enable', 'relaxed-simd'],
  ...['--importMemory', '--sharedMemory', '--initialMemory', '16', '--maximumMemory', '65536'],
  ...['--runtime', 'stub', '-O3', '--noAssert'],
];

async function compile({ source, output, base }) {
  const target = join('dist', 'assembly', output);
  mkdirSync(join(root, 'dist', 'assembly'), { recursive: true });
  const args = [source, '--baseDir', root, '--outFile', target, '--memoryBase', String(base), ...options];
  const { error, stderr } = await asc.main(args);
  if (error) throw new Error(`${source}: ${error.message}\n${stderr.toString()}`);
}

for (const module of modules) if (existsSync(join(root, module.source))) await compile(module);
