/** Completion scripts as the shells themselves take them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/cli/command.js';
import { commands } from '../../src/cli/commands/index.js';
import { completionScript, shells } from '../../src/cli/completion.js';
import { manPage } from '../../src/cli/man-page.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasFish, hasMandoc, hasZsh } from '../tools.js';

const folder = temporaryFolder();
let all: Command[];
const file = (shell: string) => join(folder, `bowerbird.${shell}`);
beforeAll(async () => {
  all = await Promise.all(Object.values(commands).map((load) => load()));
  for (const shell of shells) writeFileSync(file(shell), completionScript(shell, all));
});

function answer(program: string, ...words: string[]): string[] {
  const { stdout, stderr, status } = spawnSync(program, words, { encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').filter(Boolean);
}

/** What bash offers after these words, the last of which is being typed. */
function bash(...words: string[]): string[] {
  const list = ['bowerbird', ...words].map((word) => `'${word}'`).join(' ');
  return answer(
    'bash',
    ...['--norc', '-c'],
    `source ${file('bash')}; COMP_WORDS=(${list}); COMP_CWORD=${words.length}; _bowerbird; printf '%s\\n' "\${COMPREPLY[@]}"`,
  );
}

describe('completion in bash', () => {
  it('offers commands, the second words of families, options and values', () => {
    expect(bash('fe')).toEqual(['features']);
    expect(bash('catalog', '')).toEqual(['export', 'query', 'repair']);
    expect(bash('fit', 'problem.npz', '--meth')).toEqual(['--method']);
    expect(bash('words', 'train', '--thr')).toEqual(['--threads']);
    expect(bash('fit', '--device', '')).toEqual(['auto', 'wasm', 'native', 'cuda']);
    expect(bash('fit', 'probl')).toEqual([]);
  });

  it('knows every option of every command', () => {
    for (const { name, options } of all)
      expect(bash(...name.split(' '), '--')).toEqual(
        expect.arrayContaining(Object.keys(options).map((option) => `--${option}`)),
      );
  });
});

describe.skipIf(!hasZsh)('completion in zsh', () => {
  /** With what describes and what parses replaced by something that prints. */
  const zsh = (...words: string[]) =>
    answer(
      'zsh',
      ...['-f', '-c'],
      `compdef() {}; source ${file('zsh')}; _describe() { print -l -- \${(P)2} }; _arguments() { print -l -- "$words" "$@" };
      words=(bowerbird ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _bowerbird`,
    );

  it('offers commands with what they do, options and values', () => {
    expect(zsh('')).toContain('fit:Learn a classifier from a problem file.');
    expect(zsh('catalog', '')).toHaveLength(3);
    const fit = zsh('fit', '--dev');
    expect(fit[0]).toBe('fit --dev');
    expect(fit).toContain('--device[Where to compute.]:value:(auto wasm native cuda)');
    expect(zsh('words', 'train', '')[0]).toBe('train ');
  });
});

describe.skipIf(!hasFish)('completion in fish', () => {
  const fish = (line: string) =>
    answer('fish', '--no-config', '-c', `source ${file('fish')}; complete -C '${line}'`).map((row) => row.split('\t'));

  it('offers commands with what they do, options and values', () => {
    expect(fish('bowerbird featu')).toEqual([['features', 'Turn pictures into feature vectors.']]);
    expect(fish('bowerbird catalog ').map(([word]) => word)).toEqual(
      expect.arrayContaining(['export', 'query', 'repair']),
    );
    expect(fish('bowerbird fit --devi')).toEqual([['--device', 'Where to compute.']]);
    expect(fish('bowerbird fit --device ').map(([word]) => word)).toEqual(
      expect.arrayContaining(['auto', 'wasm', 'native', 'cuda']),
    );
    expect(fish('bowerbird words train --thr').map(([word]) => word)).toEqual(['--threads']);
  });
});

/** Without the letters that terminals print over one another to make them bold. */
const plain = (line: string) => [...line].filter((letter, i) => letter !== '\b' && line[i + 1] !== '\b').join('');

describe('the manual page', () => {
  it('is named by the package in the way in which npm installs it', () => {
    const { man } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    // A name alone, not in a list, is passed over by npm.
    expect(man).toEqual(['./dist/man/bowerbird.1']);
    expect(existsSync(new URL(`../../${man[0]}`, import.meta.url))).toBe(true);
  });

  it('has every command with every option', () => {
    const page = manPage(all, '1.2.3');
    for (const { name, options } of all) {
      expect(page).toContain(`.SS ${name.replaceAll('-', '\\-')}\n`);
      for (const option of Object.keys(options)) expect(page).toContain(`\\-\\-${option.replaceAll('-', '\\-')}`);
    }
  });

  it.skipIf(!hasMandoc)('is what a formatter takes without a warning, every word of it shown', () => {
    const page = join(folder, 'bowerbird.1');
    writeFileSync(page, manPage(all, '1.2.3'));
    const { stdout } = spawnSync('mandoc', ['-T', 'lint', '-W', 'warning', page], { encoding: 'utf8' });
    // A page made from a version has no date.
    expect(stdout.split('\n').filter((line) => line && !/missing date/.test(line))).toEqual([]);
    const shown = spawnSync('mandoc', ['-T', 'ascii', page], { encoding: 'utf8' })
      .stdout.split('\n')
      .map(plain)
      .join('\n');
    expect(shown).toContain('bowerbird fit PROBLEM [options]');
    expect(shown).toMatch(/--device auto\|wasm\|native\|cuda/);
  });
});
