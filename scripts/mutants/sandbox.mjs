// A copy of the working tree in which files are changed: sources, which the tests import, and what was built of them, which
// worker threads, child processes and the command line load.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const compilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  verbatimModuleSyntax: true,
};

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

export class Sandbox {
  #sources;
  #changed = new Set();

  /** @param sources the paths that will be changed */
  constructor(root, folder, sources) {
    this.folder = folder;
    rmSync(folder, { recursive: true, force: true });
    const listed = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
    for (const name of listed.stdout.split('\n').filter(Boolean))
      if (existsSync(join(root, name))) copy(join(root, name), join(folder, name));
    for (const entry of readdirSync(join(root, 'dist'), { recursive: true, withFileTypes: true }))
      if (entry.isFile() && !entry.name.endsWith('.map')) {
        const from = join(entry.parentPath, entry.name);
        copy(from, join(folder, from.slice(root.length)));
      }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    this.#sources = new Map(sources.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  }

  /** A source as it was when the copy was made; the working tree may go on. */
  text(name) {
    return this.#sources.get(name);
  }

  /** Gives a source another text; false if that is no TypeScript. */
  write(name, text) {
    const { outputText, diagnostics } = ts.transpileModule(text, { compilerOptions, reportDiagnostics: true });
    if (diagnostics.length > 0) return false;
    writeFileSync(join(this.folder, name), text);
    this.#changed.add(name);
    const built = join(this.folder, name.replace(/^src/, 'dist').replace(/\.ts$/, '.js'));
    if (existsSync(built)) writeFileSync(built, outputText);
    return true;
  }

  /** The sources that were written, mutated or restored, since this was last asked: what a process may still hold otherwise. */
  changed() {
    const names = [...this.#changed];
    this.#changed.clear();
    return names;
  }

  /** Applies a mutant; false if it cannot be written as text. */
  mutate({ file, start, end, replacement }) {
    const text = this.text(file);
    const changed = (as) => text.slice(0, start) + as + text.slice(end);
    return this.write(file, changed(replacement)) || this.write(file, changed(`(${replacement})`));
  }

  restore(file) {
    this.write(file, this.text(file));
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
