import { execFile } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { artefact } from '../../src/artefact.js';
import { temporaryFolder } from '../temporary-folder.js';
import { pattern } from './test-pictures.js';
import { tinyModel } from './tiny-model.js';

const many = process.env.BOWERBIRD_LONG ? 40_000 : 3000;

describe('memory', { timeout: process.env.BOWERBIRD_LONG ? 1_800_000 : 240_000 }, () => {
  const folder = temporaryFolder();

  /** Most memory in use, in MB, while so many pictures are extracted in a process of its own. */
  async function peak(count: number): Promise<number> {
    const pictures = join(folder, `pictures-${count}`);
    await mkdir(join(pictures, 'all'), { recursive: true });
    for (let i = 0; i < count; i++) await symlink(join(folder, 'one.jpg'), join(pictures, 'all', `${i}.jpg`));
    const model = await tinyModel(folder);
    const program = `
      const { extractFeatures, openPictures } = await import(${JSON.stringify(artefact('vision/index.js').href)});
      const source = await openPictures(${JSON.stringify(pictures)});
      await extractFeatures(source, ${JSON.stringify(model)}, ${JSON.stringify(join(folder, `out-${count}`))}, { workers: 1 });
      console.log(process.resourceUsage().maxRSS / 1024);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    return Number(stdout);
  }

  it('does not grow with the number of pictures', async () => {
    await writeFile(join(folder, 'one.jpg'), await pattern(4, 320, 240).jpeg().toBuffer());
    const few = await peak(600);
    const more = await peak(many);
    // A picture of 320 × 240 has 0.23 MB of pixels (550 MB for 2,400 more of them), and its file name and place take about
    // 100 bytes. Buffers wait to be collected, in Node 24 up to 120 MB of them whatever the number of pictures.
    expect(more - few).toBeLessThan(150 + (many * 200) / 1e6);
  });
});
