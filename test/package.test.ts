import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** What `npm pack` would ship of the dist/ that is there. */
function shipped(): string[] {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const child = spawnSync('npm', words, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
  expect(child.status, child.stderr).toBe(0);
  return JSON.parse(child.stdout)[0].files.map(({ path }: { path: string }) => path);
}

describe('the package', () => {
  const files = shipped();

  it('ships every file it exports, for ES modules and CommonJS, with declarations', () => {
    const targets = (entry: unknown): string[] =>
      typeof entry === 'string' ? [entry] : Object.values(entry as object).flatMap(targets);
    for (const target of [...targets(manifest.exports), ...targets(manifest.bin)])
      expect(files, target).toContain(target.replace('./', ''));
    for (const [name, entry] of Object.entries<object | string>(manifest.exports))
      if (typeof entry === 'object') expect(Object.keys(entry), name).toEqual(['import', 'require']);
  });

  it('ships the WebAssembly it runs, documentation and licence, and nothing else of the sources', () => {
    for (const name of ['README.md', 'LICENSE', 'docs/guide.md', 'dist/vision/onnxruntime-web/ort.node.min.cjs'])
      expect(files).toContain(name);
    expect(files.some((name) => name.endsWith('ort-wasm-simd-threaded.wasm'))).toBe(true);
    const strange = files.filter(
      (name) => !/^(dist|docs|schema|splits)\/|^(README\.md|LICENSE|package\.json)$/.test(name),
    );
    expect(strange).toEqual([]);
    expect(files.filter((name) => /\.map$|stamp$|\.tsbuildinfo$|^dist\/api\//.test(name))).toEqual([]);
  });

  it('ships nothing that was compiled from sources that are gone', () => {
    const foreign = /^dist\/(assembly|studio\/app|field\/(app|engine)|vision\/onnxruntime-web)\//;
    const compiled = files.filter((name) => /^dist\/.*\.(js|d\.ts|d\.cts)$/.test(name) && !foreign.test(name));
    expect(compiled.length).toBeGreaterThan(1000);
    for (const name of compiled)
      expect(existsSync(join(root, name.replace('dist', 'src').replace(/\.(js|d\.ts|d\.cts)$/, '.ts'))), name).toBe(
        true,
      );
  });

  it('can be required by a CommonJS program', () => {
    const program = "console.log(typeof require('./dist/index.js').Bowerbird)";
    const child = spawnSync(process.execPath, ['--input-type=commonjs', '-e', program], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(child.stdout, child.stderr).toBe('function\n');
  });

  it('needs nothing whose installation may fail, and says where it lives', () => {
    expect(Object.keys(manifest.dependencies)).not.toContain('onnxruntime-node');
    expect(manifest).toMatchObject({
      repository: { url: expect.stringMatching(/^git\+https:/) },
      homepage: expect.stringMatching(/^https:/),
      bugs: expect.stringMatching(/^https:/),
      keywords: expect.arrayContaining(['zero-shot']),
      scripts: { prepack: expect.stringContaining('--clean') },
    });
  });
});
