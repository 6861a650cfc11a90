// Builds dist/: the WebAssembly kernels of assembly/ and the page of studio/ (each only when its sources changed), then the
// TypeScript of src/.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const assembly = join(root, 'assembly');
const studio = join(root, 'studio');

function run(command, args) {
  const result = spawnSync(process.execPath, [command, ...args], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

/** Runs `build` unless the files of `folders` are those of the last time, which `stamp` remembers. */
function whenChanged(folders, pattern, stamp, build) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
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

whenChanged([assembly], /\.(ts|mjs|json)$/, join(root, 'dist', 'assembly', 'stamp'), () => {
  if (existsSync(join(assembly, 'build.mjs'))) run(join(assembly, 'build.mjs'), []);
});
whenChanged([studio], /\.(ts|svelte|css|html|svg)$/, join(root, 'dist', 'studio', 'stamp'), () => {
  run(join(root, 'node_modules', 'vite', 'bin', 'vite.js'), ['build', '--config', join(studio, 'vite.config.ts')]);
});
run(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ['-p', 'tsconfig.build.json']);
