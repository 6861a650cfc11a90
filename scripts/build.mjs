// Builds dist/: the WebAssembly kernels of assembly/ (only those whose sources changed), then the TypeScript of src/.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const assembly = join(root, 'assembly');

function run(command, args) {
  const result = spawnSync(process.execPath, [command, ...args], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

const sources = readdirSync(assembly, { recursive: true })
  .map(String)
  .filter((name) => /\.(ts|mjs|json)$/.test(name))
  .sort();
const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')));
for (const name of sources) hash.update(name).update(readFileSync(join(assembly, name)));
const digest = hash.digest('hex');
const stamp = join(root, 'dist', 'assembly', 'stamp');
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
  mkdirSync(dirname(stamp), { recursive: true });
  if (existsSync(join(assembly, 'build.mjs'))) run(join(assembly, 'build.mjs'), []);
  writeFileSync(stamp, digest);
}
run(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ['-p', 'tsconfig.build.json']);
