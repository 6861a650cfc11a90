import { spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { artefact } from '../../src/artefact.js';
import { temporaryFolder } from '../temporary-folder.js';
import { writePictures } from './test-pictures.js';
import { tinyModel, tinyPreprocessing } from './tiny-model.js';

const count = 240;

describe('a killed extraction', { timeout: 240_000 }, () => {
  const folder = temporaryFolder();
  let model: string;

  beforeAll(async () => {
    const paths = await writePictures(join(folder, 'pictures'), count);
    await writeFile(join(folder, 'pictures', paths[100]), 'broken');
    await writeFile(join(folder, 'preprocessing.json'), JSON.stringify(tinyPreprocessing));
    model = (await tinyModel(folder)).network.model;
  });

  function start(out: string) {
    const words = [
      'features',
      join(folder, 'pictures'),
      '--model',
      model,
      '--layer',
      'feature',
      '--out',
      join(folder, out),
    ];
    const options = [
      '--preprocessing',
      join(folder, 'preprocessing.json'),
      '--batch',
      '3',
      '--shard-size',
      '10',
      '--workers',
      '2',
    ];
    const child = spawn(process.execPath, [fileURLToPath(artefact('cli/main.js')), ...words, ...options], {
      stdio: 'ignore',
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    return { child, ended };
  }

  const shards = async (out: string) =>
    (await readdir(join(folder, out)).catch(() => [] as string[])).filter((name) => /^shard-\d+\.csv$/.test(name))
      .length;

  async function contents(out: string): Promise<Map<string, string>> {
    const names = (await readdir(join(folder, out))).sort();
    return new Map(
      await Promise.all(names.map(async (name) => [name, await readFile(join(folder, out, name), 'base64')] as const)),
    );
  }

  it('and gone on with equals an undisturbed one, byte for byte', async () => {
    expect(await start('undisturbed').ended).toBe(3);
    let kills = 0;
    for (let target = 2; target < 20; target += 5) {
      const { child, ended } = start('killed');
      while ((await shards('killed')) < target && child.exitCode === null) await sleep(1);
      // Not on the stroke of a shard, but somewhere in the next one.
      await sleep((target * 7) % 13);
      if (child.exitCode === null) kills++;
      child.kill('SIGKILL');
      await ended;
    }
    expect(kills).toBeGreaterThanOrEqual(2);
    expect((await readdir(join(folder, 'killed'))).includes('index.csv')).toBe(false);
    expect(await start('killed').ended).toBe(3);
    expect(await contents('killed')).toEqual(await contents('undisturbed'));
    expect(await shards('killed')).toBe(count / 10);
  });
});
