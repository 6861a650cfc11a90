// Builds dist/: the WebAssembly kernels of assembly/ and the pages of studio/ and field/ (each only when its sources changed), the
// WebAssembly build of onnxruntime from its package, then the TypeScript of src/. With --clean an earlier dist/ is removed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const assembly = join(root, 'assembly');
const studio = join(root, 'studio');
const field = join(root, 'field');

function run(command, args) {
  const result = spawnSync(process.execPath, [command, ...args], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Runs `build` unless the files of `folders` are those of the last time, which `stamp` remembers. */
function whenChanged(folders, pattern, stamp, build) {
  const hash = createHash('sha256');
  for (const file of [join(root, 'package-lock.json'), fileURLToPath(import.meta.url)]) hash.update(readFileSync(file));
  for (const folder of folders) {
    const sources = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => pattern.test(name))
      .sort();
    for (const name of sources) hash.update(name).update(readFileSync(join(folder, name)));
  }
  const digest = hash.digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  mkdirSync(dirname(stamp), { recursive: true });
  build();
  writeFileSync(stamp, digest);
}

if (process.argv.includes('--clean')) rmSync(join(root, 'dist'), { recursive: true, force: true });

whenChanged([assembly], /\.(ts|mjs|json)$/, join(root, 'dist', 'assembly', 'stamp'), () => {
  if (existsSync(join(assembly, 'build.mjs'))) run(join(assembly, 'build.mjs'), []);
});
whenChanged([studio], /\.(ts|svelte|css|html|svg)$/, join(root, 'dist', 'studio', 'stamp'), () => {
  run(join(root, 'node_modules', 'vite', 'bin', 'vite.js'), ['build', '--config', join(studio, 'vite.config.ts')]);
});
whenChanged([field], /\.(ts|svelte|css|html|svg|png|json)$/, join(root, 'dist', 'field', 'stamp'), () => {
  run(join(root, 'node_modules', 'vite', 'bin', 'vite.js'), ['build', '--config', join(field, 'vite.config.ts')]);
  // What browsers need of onnxruntime beside the WebAssembly build that Node runs too.
  const folder = join(root, 'dist', 'field', 'engine');
  mkdirSync(folder, { recursive: true });
  const binary = 'ort-wasm-simd-threaded.jspi';
  for (const name of ['ort.wasm.min.mjs', 'ort.jspi.min.mjs', `${binary}.mjs`, `${binary}.wasm`])
    copyFileSync(join(root, 'node_modules', 'onnxruntime-web', 'dist', name), join(folder, name));
});
const engine = join(root, 'dist', 'vision', 'onnxruntime-web');
whenChanged([], /./, join(engine, 'stamp'), () => {
  // All that Node needs of a package of 139 MB whose other files serve browsers.
  const source = join(root, 'node_modules', 'onnxruntime-web');
  for (const name of ['ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm'])
    copyFileSync(join(source, 'dist', name), join(engine, name));
  copyFileSync(join(source, 'dist', 'ort.node.min.js'), join(engine, 'ort.node.min.cjs'));
  const { version, license } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  writeFileSync(
    join(engine, 'LICENCE.txt'),
    `ONNX Runtime Web ${version}, from the npm package onnxruntime-web, unchanged.\n` +
      `Copyright (c) Microsoft Corporation. ${license} licence: https://github.com/microsoft/onnxruntime/blob/main/LICENSE\n`,
  );
});
run(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ['-p', 'tsconfig.build.json']);
// What was compiled from sources that are gone would be shipped otherwise.
for (const name of readdirSync(join(root, 'dist'), { recursive: true }).map(String)) {
  const source =
    /^(?!(?:api|assembly|studio[\\/]app|field[\\/](?:app|engine)|vision[\\/]onnxruntime-web)[\\/])(.*?)\.(?:d\.ts|d\.cts|js|d\.ts\.map|js\.map)$/.exec(
      name,
    )?.[1];
  if (source !== undefined && !existsSync(join(root, 'src', `${source}.ts`))) rmSync(join(root, 'dist', name));
}
const { writeManPage } = await import('./man.mjs');
await writeManPage(join(root, 'dist', 'man', 'bowerbird.1'));
// The same declarations for CommonJS programs, which TypeScript before 5.8 does not let import those of ES modules.
for (const name of readdirSync(join(root, 'dist'), { recursive: true }).map(String)) {
  if (!name.endsWith('.d.ts') || name.startsWith('api')) continue;
  const declarations = readFileSync(join(root, 'dist', name), 'utf8');
  const relative = /((?:from|import\()\s*['"]\.{1,2}\/[^'"]*)\.js(['"])/g;
  // Types of packages that are ES modules themselves are asked for as such.
  const foreign = /^(import type .* from '(?!node:|\.)[^']+');$/gm;
  writeFileSync(
    join(root, 'dist', name.replace(/\.d\.ts$/, '.d.cts')),
    declarations.replace(relative, '$1.cjs$2').replace(foreign, "$1 with { 'resolution-mode': 'import' };"),
  );
}
