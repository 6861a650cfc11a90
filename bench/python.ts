/** The exported classify.py against bowerbird classify: on how many pictures they agree, and how far their confidence differs. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClassifiedPicture, classify, exportClassifier, openWorkspace } from '../src/workspace/index.js';
import { pythonWithPillow } from '../test/tools.js';

/** `npm run bench -- python WORKSPACE FOLDER [COUNT]`: a finished workspace, pictures, and how many of them (all). */
export async function run([folder, pictures, count]: string[]): Promise<void> {
  if (!folder || !pictures) throw new Error('give a finished workspace and a folder of pictures');
  if (!pythonWithPillow)
    throw new Error('there is no Python with numpy and Pillow (Debian: python3-numpy, python3-pil)');
  const workspace = await openWorkspace(folder);
  const all = (await classify(workspace, [pictures])).pictures;
  const step = count ? Math.max(1, Math.floor(all.length / Number(count))) : 1;
  const expected = all.filter((_, i) => i % step === 0).slice(0, Number(count) || all.length);
  const out = mkdtempSync(join(tmpdir(), 'bowerbird-python-'));
  try {
    await exportClassifier(workspace, out, ['onnx-pixels']);
    const real = spawnSync(pythonWithPillow, ['-c', 'import onnxruntime']).status === 0;
    const standIn = fileURLToPath(new URL('../test/workspace/python', import.meta.url));
    const { stdout, stderr, status } = spawnSync(
      pythonWithPillow,
      [join(out, 'classify.py'), ...expected.map(({ picture }) => picture)],
      { encoding: 'utf8', env: { ...process.env, NODE: process.execPath, ...(!real && { PYTHONPATH: standIn }) } },
    );
    if (status !== 0) throw new Error(stderr);
    const answers = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ClassifiedPicture);
    const same = answers.filter(({ category }, i) => category === expected[i].category);
    const differences = answers.map((answer, i) => Math.abs((answer.confidence ?? 0) - (expected[i].confidence ?? 0)));
    differences.sort((a, b) => a - b);
    console.log(`onnxruntime: ${real ? "Python's" : "Node's, handed the pixels that Python made"}`);
    console.log(`${same.length} of ${answers.length} answers are the same`);
    console.log(
      `difference of confidence: median ${differences[differences.length >> 1]}, largest ${differences.at(-1)}`,
    );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
