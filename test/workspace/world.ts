/** A small world for workspaces: made-up pictures of categories that differ in colour and pattern, words, a tiny network. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { stringify } from 'yaml';
import { Random } from '../../src/linalg/random.js';
import type { WrittenConfiguration } from '../../src/workspace/index.js';
import { tinyModel } from '../vision/tiny-model.js';

export const auxiliaryNames = ['amber wren', 'blue wren', 'green finch', 'red finch', 'pale jay', 'dark jay'];
export const testNames = ['blue finch', 'red wren', 'green jay'];
const words = ['amber', 'blue', 'green', 'red', 'pale', 'dark', 'wren', 'finch', 'jay'];

const colours: Record<string, [number, number, number]> = {
  amber: [220, 150, 30],
  blue: [40, 70, 210],
  green: [40, 170, 60],
  red: [210, 40, 50],
  pale: [215, 210, 190],
  dark: [45, 40, 50],
};
const frequencies: Record<string, number> = { wren: 3, finch: 7, jay: 14 };

/** A picture of a category: its colour in stripes or dots as wide as its kind says, light and place varying. */
export function drawPicture(name: string, seed: number): Promise<Buffer> {
  const [colour, kind] = name.split(' ');
  const random = new Random(seed);
  const [width, height] = [72 + random.integer(16), 66 + random.integer(16)];
  const angle = random.uniform() * 3;
  const light = 0.75 + 0.5 * random.uniform();
  const shift = random.uniform() * 6;
  const data = Buffer.alloc(width * height * 3);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const wave = Math.sin((frequencies[kind] * (x * Math.cos(angle) + y * Math.sin(angle))) / 30 + shift);
      for (let c = 0; c < 3; c++) {
        const value = colours[colour][c] * light + 60 * wave + 14 * random.normal();
        data[(y * width + x) * 3 + c] = Math.max(0, Math.min(255, value));
      }
    }
  return sharp(data, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

export interface World {
  folder: string;
  path(...parts: string[]): string;
  configuration: WrittenConfiguration;
  remove(): void;
}

interface WorldOptions {
  auxiliary?: number;
  test?: number;
  web?: number;
  /** Web pictures of the validation categories too. */
  validation?: boolean;
}

/** Pictures, words, network and configuration; the workspace is the folder itself. */
export async function makeWorld(options: WorldOptions = {}): Promise<World> {
  const { auxiliary = 8, test = 6, web = 8, validation = true } = options;
  const folder = mkdtempSync(join(tmpdir(), 'bowerbird-workspace-'));
  const path = (...parts: string[]) => join(folder, ...parts);
  let seed = 1;
  const fill = async (set: string, name: string, count: number, shown: (i: number) => string = () => name) => {
    mkdirSync(path(set, name), { recursive: true });
    for (let i = 0; i < count; i++)
      writeFileSync(
        path(set, name, `${shown(i)} ${String(i).padStart(2, '0')}.png`),
        await drawPicture(shown(i), seed++),
      );
  };
  for (const name of auxiliaryNames) await fill('auxiliary', name, auxiliary);
  for (const name of testNames) await fill('test', name, test);
  // Every fourth web picture shows the next category.
  for (const [c, name] of testNames.entries())
    await fill('web', name, web, (i) => (i % 4 === 3 ? testNames[(c + 1) % testNames.length] : name));
  if (validation) for (const name of ['amber wren', 'blue wren']) await fill('web', name, web);
  const vectors = words.map((word) => `${word} ${words.map((other) => (other === word ? '1' : '0.1')).join(' ')}`);
  writeFileSync(path('vectors.txt'), `${vectors.join('\n')}\n`);
  const { network } = await tinyModel(folder);
  const configuration: WrittenConfiguration = {
    categories: testNames,
    auxiliary: 'auxiliary',
    test: 'test',
    sources: ['folder:web'],
    crawl: { perCategory: 20, minimumSide: 32 },
    dedupe: { radius: 0 },
    model: network.model.slice(folder.length + 1),
    vectors: 'vectors.txt',
    text: true,
    learner: { method: 'paper', device: 'wasm', threads: 1, parameters: { lambda2: 0.1 } },
    tune: false,
    report: false,
  };
  const world = { folder, path, configuration, remove: () => rmSync(folder, { recursive: true, force: true }) };
  writeConfiguration(world);
  return world;
}

export function writeConfiguration({ path, configuration }: World, change: Partial<WrittenConfiguration> = {}): void {
  writeFileSync(path('bowerbird.yaml'), stringify({ ...configuration, ...change }));
}

export const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** The real command; `killAfter` milliseconds end it with SIGKILL. */
export function bowerbird(
  args: readonly string[],
  options: { cwd?: string; killAfter?: number } = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.cwd,
    env: { ...process.env, OPENBLAS_NUM_THREADS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const timer =
    options.killAfter === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), options.killAfter);
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, stdout, stderr });
    });
  });
}
