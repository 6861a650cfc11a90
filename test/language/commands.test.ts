import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { artefact } from '../../src/artefact.js';
import { run } from '../../src/cli/run.js';
import { toStrings } from '../../src/formats/array.js';
import { readNpy } from '../../src/formats/npy.js';
import { catchOutput } from '../cli/output.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const printed = catchOutput();
const at = (name: string) => join(folder, name);
beforeAll(() => {
  const sentences = [
    'the gull eats a fish by the sea',
    'a truck and a car drive on the road',
    'the tern and the gull fly',
  ];
  writeFileSync(at('corpus.txt'), Array.from({ length: 300 }, (_, i) => sentences[i % 3]).join('\n'));
});

describe('bowerbird words', () => {
  it('trains both models, describes them, and puts their vectors of names side by side', async () => {
    const settings = ['--dim', '8', '--epochs', '2', '--threads', '1', '--model', 'both'];
    expect(await run(['words', 'train', at('corpus.txt'), ...settings, '--out', at('w.vectors')])).toBe(0);
    expect(existsSync(at('w.vectors.work'))).toBe(false);

    printed.out = '';
    expect(await run(['words', 'info', at('w-glove.vectors'), '--words', 'gull,tern,dodo', '--json'])).toBe(0);
    expect(JSON.parse(printed.out)).toMatchObject({
      kind: 'compact',
      dim: 8,
      words: ['gull', 'tern'],
      missing: ['dodo'],
    });

    writeFileSync(at('names.tsv'), 'Gulls\nSterna\ttern\n');
    const files = [at('w-word2vec.vectors'), at('w-glove.vectors')];
    const get = ['words', 'get', ...files, '--names', at('names.tsv'), '--as', 'test', '--out', at('problem')];
    expect(await run(get)).toBe(0);
    expect((await readNpy(at('problem/test_semantics.npy'))).shape).toEqual([2, 16]);
    expect(toStrings(await readNpy(at('problem/test_names.npy')))).toEqual(['Gulls', 'Sterna']);
  });

  it('lists names without a vector and leaves the decision to the user', async () => {
    await run(['words', 'train', at('corpus.txt'), '--dim', '4', '--epochs', '1', '--out', at('one.vec')]);
    writeFileSync(at('part.txt'), 'Dodo Gull\ndodo\ntern\n');
    expect(await run(['words', 'get', at('one.vec'), '--names', at('part.txt'), '--missing', 'skip'])).toBe(3);
    expect(printed.out).toContain('  without some words: Dodo Gull (unknown: Dodo)\n');
    expect(printed.out).toContain('  without a vector: dodo (no vector; unknown: dodo)\n');
    writeFileSync(at('some.txt'), 'gull\ndodo\n');
    const get = ['words', 'get', at('one.vec'), '--names', at('some.txt'), '--out', at('some.npy')];
    expect(await run(get)).toBe(1);
    expect(printed.errors).toMatch(/dodo/);
    expect(await run([...get, '--missing', 'mean'])).toBe(0);
    expect((await readNpy(at('some.npy'))).shape).toEqual([2, 4]);
    expect(await run([...get, '--missing', 'skip'])).toBe(3);
    expect(readFileSync(at('some.names.txt'), 'utf8')).toBe('gull\n');
    expect(readFileSync(at('some.txt'), 'utf8')).toBe('gull\ndodo\n');
  });

  it('refuses a name that says no format before it reads the corpus', async () => {
    expect(await run(['words', 'train', at('corpus.txt'), '--out', at('x.foo')])).toBe(2);
    expect(existsSync(at('x.foo.work'))).toBe(false);
  });

  it('leaves nothing behind of a corpus that it cannot read', async () => {
    writeFileSync(at('latin.txt'), Buffer.from([0x67, 0x75, 0x6c, 0x6c, 0x20, 0xfc, 0x0a]));
    expect(await run(['words', 'train', at('latin.txt'), '--out', at('latin.vec')])).toBe(1);
    expect(await run(['words', 'train', at('corpus.txt'), '--min-count', '1000', '--out', at('latin.vec')])).toBe(1);
    expect(printed.errors).toMatch(/not UTF-8.*occurs 1000 times/s);
    expect(existsSync(at('latin.vec.work'))).toBe(false);
  });

  it('lists the ready vectors with their licences', async () => {
    expect(await run(['words', 'fetch'])).toBe(0);
    expect(printed.out).toMatch(/glove-100: .*PDDL/);
    expect(await run(['words', 'fetch', 'glove-7'])).toBe(2);
  });

  it('stops at Ctrl-C with code 130 and continues when the command is given again', async () => {
    writeFileSync(at('large.txt'), readFileSync(at('corpus.txt'), 'utf8').repeat(300));
    const settings = ['--dim', '64', '--epochs', '100', '--threads', '1', '--subsample', '0', '--out', at('l.vectors')];
    const main = fileURLToPath(artefact('cli/main.js'));
    const child = spawn(process.execPath, [main, 'words', 'train', at('large.txt'), ...settings]);
    let said = '';
    child.stderr.on('data', (text) => {
      said += text;
    });
    const ended = new Promise<number | null>((resolve) => {
      child.on('exit', resolve);
    });
    // The encoded corpus is there as soon as training begins.
    while (!existsSync(at('l.vectors.work/corpus.json')) && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 50));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(said).toMatch(/continue/);
    expect(existsSync(at('l.vectors.work/word2vec.checkpoint'))).toBe(true);
    expect(existsSync(at('l.vectors'))).toBe(false);
  });
});

describe('bowerbird text', () => {
  it('writes counts and a vocabulary, and applies that again', async () => {
    writeFileSync(at('pictures.tsv'), 'title\ttags\nA gull\tsea,gull\nThe tern\t\n');
    expect(await run(['text', at('pictures.tsv'), '--out', at('web_text.npy')])).toBe(0);
    expect(readFileSync(at('web_text.vocabulary.txt'), 'utf8')).toBe('gull\nsea\ntern\n');
    const { shape, data } = await readNpy(at('web_text.npy'));
    expect(shape).toEqual([2, 3]);
    expect([...(data as Float32Array)]).toEqual([2, 1, 0, 0, 0, 1]);
    writeFileSync(at('later.txt'), 'a tern\n');
    const apply = ['--apply', at('web_text.vocabulary.txt'), '--out', at('later.npy')];
    expect(await run(['text', at('later.txt'), ...apply])).toBe(0);
    expect([...((await readNpy(at('later.npy'))).data as Float32Array)]).toEqual([0, 0, 1]);
  });

  it('writes nothing when it is stopped between its steps', async () => {
    writeFileSync(at('stopped.txt'), 'a tern\n');
    // As soon as the command listens.
    const interrupt = (event: string | symbol) => {
      if (event === 'SIGINT') setImmediate(() => process.emit('SIGINT'));
    };
    process.on('newListener', interrupt);
    const code = await run(['text', at('stopped.txt'), '--out', at('stopped.npy')]);
    process.off('newListener', interrupt);
    expect(code).toBe(130);
    expect(existsSync(at('stopped.npy'))).toBe(false);
  });

  it('refuses a file without texts', async () => {
    for (const [name, text] of [
      ['empty.txt', ''],
      ['empty.jsonl', ''],
      ['empty.tsv', 'title\ttags\n'],
    ]) {
      writeFileSync(at(name), text);
      expect(await run(['text', at(name), '--out', at('none.npy')])).toBe(1);
      expect(printed.errors).toContain(`${at(name)}: the file holds no texts`);
    }
    expect(existsSync(at('none.npy'))).toBe(false);
  });

  it('knows which languages it knows', async () => {
    expect(await run(['text', at('corpus.txt'), '--languages', 'tlh'])).toBe(2);
    expect(printed.errors).toMatch(/eng/);
  });
});
