/**
 * Sites of `export --web`: size and accuracy of each precision, the same answers as `bowerbird classify`, and times in Chromium
 * beside those of the command line. `npm run bench -- field WORKSPACE [--pictures N] [--precisions float16,int8]`.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';
import { exportSite, type Precision, precisions, type SiteSummary } from '../src/field/index.js';
import { noneOfThese, verdict } from '../src/fit/index.js';
import { type ClassifiedPicture, openWorkspace, type Workspace } from '../src/workspace/index.js';
import { startHost } from '../test/field/static-host.js';
import { chromiumPath } from '../test/tools.js';

const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { pictures: { type: 'string', default: '100' }, precisions: { type: 'string' } },
  });
  const wanted = (values.precisions?.split(',') ?? precisions) as Precision[];
  const workspace = await openWorkspace(positionals[0] ?? '.');
  const folder = mkdtempSync(join(tmpdir(), 'bowerbird-bench-field-'));
  try {
    const pictures = pickPictures(workspace, join(folder, 'pictures'), Number(values.pictures));
    const command = commandLine(workspace, pictures);
    console.log(
      `command line: first answer ${command.first.toFixed(2)} s, ${pictures.length} pictures ${command.each.toFixed(3)} s each`,
    );
    for (const precision of wanted) {
      const site = join(folder, precision);
      const summary = await exportSite(workspace, site, { precision, own: { licence: 'cc-by', author: 'nobody' } });
      console.log(sizeLine(precision, summary));
      if (!chromiumPath) continue;
      const page = await inChromium(site, pictures);
      const compared = compare(command.answers, page.answers);
      console.log(
        `  ${compared.same} of ${pictures.length} answers are those of classify, largest difference of confidence ${compared.largest.toExponential(1)}`,
      );
      const ratio = (ours: number, theirs: number) =>
        `${ours.toFixed(2)} s, ${(ours / theirs).toFixed(2)} of the command line's`;
      console.log(
        `  first answer: first visit ${ratio(page.firstVisit, command.first)}; second visit ${ratio(page.secondVisit, command.first)}`,
      );
      console.log(
        `  each picture: one thread ${ratio(page.each, command.each)}; ${page.threads} threads ${ratio(page.eachThreaded, command.each)}`,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies with names of their own, evenly picked from the test pictures. */
function pickPictures(workspace: Workspace, folder: string, most: number): string[] {
  mkdirSync(folder);
  const source = workspace.path(workspace.configuration.test);
  const all = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const step = Math.max(1, all.length / most);
  return Array.from({ length: Math.min(most, all.length) }, (_, i) => {
    const from = all[Math.floor(i * step)];
    const to = join(folder, `${String(i).padStart(4, '0')}${extname(from)}`);
    copyFileSync(from, to);
    return to;
  });
}

function commandLine(workspace: Workspace, pictures: readonly string[]) {
  const timed = (files: readonly string[]) => {
    const begun = performance.now();
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [main, 'classify', ...files, '--workspace', workspace.folder, '--json'],
      { encoding: 'utf8', maxBuffer: 2 ** 28 },
    );
    if (status !== 0) throw new Error(stderr);
    return { seconds: (performance.now() - begun) / 1000, answers: JSON.parse(stdout).pictures as ClassifiedPicture[] };
  };
  const first = timed(pictures.slice(0, 1));
  const all = timed(pictures);
  return {
    first: first.seconds,
    each: all.seconds / pictures.length,
    answers: all.answers,
  };
}

interface Said {
  name: string;
  said: string;
  confidence?: number;
}

async function inChromium(folder: string, pictures: readonly string[]) {
  const host = await startHost(folder);
  const browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(600_000);
    const answered = (count: number) => page.locator(`.card h3 >> nth=${count - 1}`).waitFor();
    const given = async (files: readonly string[]) => {
      const begun = performance.now();
      await page.locator('input[type=file]').setInputFiles([...files]);
      await page.locator(`.card[aria-busy=false] >> nth=${files.length - 1}`).waitFor();
      return (performance.now() - begun) / 1000;
    };
    const firstAnswer = async () => {
      const begun = performance.now();
      await page.goto(host.url);
      await page.locator('input[type=file]').setInputFiles([pictures[0]]);
      await answered(1);
      const seconds = (performance.now() - begun) / 1000;
      await page.getByRole('button', { name: 'Remove' }).click();
      return seconds;
    };
    const firstVisit = await firstAnswer();
    const each = (await given(pictures)) / pictures.length;
    await page.getByText('kept for use without a network').waitFor();
    await page.goto('about:blank');
    const secondVisit = await firstAnswer();
    const eachThreaded = (await given(pictures)) / pictures.length;
    const answers = (await page.locator('.card').evaluateAll((cards) =>
      cards.map((card) => ({
        name: card.querySelector('.file')!.textContent,
        said: card.querySelector('h2')!.textContent,
        confidence: Number(card.querySelector('meter')?.getAttribute('value') ?? Number.NaN),
      })),
    )) as Said[];
    const threads = (await page.evaluate(
      'crossOriginIsolated ? Math.min(4, navigator.hardwareConcurrency) : 1',
    )) as number;
    return { firstVisit, secondVisit, each, eachThreaded, answers, threads };
  } finally {
    await browser.close();
    await host.close();
  }
}

function compare(expected: readonly ClassifiedPicture[], found: readonly Said[]) {
  const byName = new Map(found.map((one) => [one.name, one]));
  let [same, largest] = [0, 0];
  for (const answer of expected) {
    const other = byName.get(answer.picture.split('/').at(-1)!);
    const wanted = verdict({ name: answer.category, unlisted: answer.unlisted });
    if (other?.said === (wanted === noneOfThese ? 'None of these' : wanted)) same++;
    else
      console.log(
        `  ${answer.picture}: ${wanted} (${answer.confidence}), in the page ${other?.said} (${other?.confidence})`,
      );
    if (answer.confidence !== undefined && other?.confidence !== undefined)
      largest = Math.max(largest, Math.abs(answer.confidence - other.confidence));
  }
  return { same, largest };
}

function sizeLine(precision: Precision, { bytes, engineBytes, modelBytes, loss }: SiteSummary): string {
  const megabytes = (size: number) => `${(size / 1e6).toFixed(2)} MB`;
  const cost = loss
    ? `; ${loss.pictures} test pictures: ${(100 * loss.agreement).toFixed(1)} % the same, right ${(100 * (loss.accuracyAfter ?? Number.NaN)).toFixed(1)} % (before ${(100 * (loss.accuracyBefore ?? Number.NaN)).toFixed(1)})`
    : '';
  return `${precision}: ${megabytes(bytes)}, of it network and classifier ${megabytes(modelBytes)}; onnxruntime ${megabytes(engineBytes)}${cost}`;
}
