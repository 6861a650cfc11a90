/** A species that nobody listed, of the demonstration's aviary: named in the studio, crawled from its photo site, answered afterwards. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { type DemoWorkspace, fullSize, openDemoWorkspace } from '../../src/cli/demo-workspace.js';
import { worldLayout } from '../../src/demo/index.js';
import { photograph } from '../../src/demo/photograph.js';
import { noneOfThese, readAnswers, verdict } from '../../src/fit/index.js';
import { Random } from '../../src/linalg/index.js';
import type { AskView } from '../../src/studio/api.js';
import { type Studio, startStudio } from '../../src/studio/index.js';
import { classify, layout, openWorkspace, type ProblemRows, runWorkspace } from '../../src/workspace/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { chromiumPath } from '../tools.js';
import { main } from '../workspace/world.js';

/** No other kingfisher is listed, and none but this one is in the folder. */
const stranger = 'Crested Orange-breasted Kingfisher';
const kind = 'Kingfisher';
const later = 20;
const folder = temporaryFolder();
const path = (...parts: string[]) => [folder, ...parts].join('/');

describe.skipIf(!process.env.BOWERBIRD_LONG || chromiumPath === undefined)(
  'strangers of the demonstration in Chromium (a few minutes; BOWERBIRD_LONG=1)',
  () => {
    let demo: DemoWorkspace;
    let studio: Studio;
    let browser: Browser;
    beforeAll(async () => {
      demo = await openDemoWorkspace(folder, 1, fullSize, {});
      unlist(demo);
      for (let i = 0; i < later; i++) {
        mkdirSync(path('later'), { recursive: true });
        const species = demo.world.test.find(({ name }) => name === stranger)!;
        writeFileSync(path('later', `${i}.jpg`), await photograph(species, new Random(99, i)));
      }
      await runWorkspace(await openWorkspace(folder));
      studio = await startStudio({ workspace: folder, runCommand: [process.execPath, main, 'run'] });
      browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    }, 900_000);
    afterAll(async () => {
      await browser?.close();
      await studio?.close();
      await demo?.site.close();
    });

    const until = async <T>(look: () => Promise<T | undefined>, seconds: number): Promise<T> => {
      for (let k = 0; k < 4 * seconds; k++) {
        const found = await look();
        if (found !== undefined) return found;
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      throw new Error('it did not happen in time');
    };
    const ask = <T>(page: Page, address: string) =>
      page.evaluate(`fetch('${address}').then((answer) => answer.json())`) as Promise<T>;
    /** Of photographs that came later, how many are said to show the species, and how many none of the categories. */
    const ofLater = async () => {
      const { pictures } = await classify(await openWorkspace(folder), [path('later')]);
      const said = pictures.map(({ category, unlisted }) => verdict({ name: category, unlisted }));
      return {
        right: said.filter((one) => one === stranger).length,
        none: said.filter((one) => one === noneOfThese).length,
      };
    };
    const isOwn = (id: string) => id.includes(`/${stranger}/`);
    /** Verdicts on the pictures of the species, by picture. */
    const verdicts = async () => {
      const { test } = JSON.parse(readFileSync(path(layout.rows), 'utf8')) as ProblemRows;
      const answers = await readAnswers(path(layout.run));
      return new Map(answers.flatMap((one) => (isOwn(test[one.row]) ? [[test[one.row], verdict(one)]] : [])));
    };

    it('become a category: its pictures that nobody named are answered with it', async () => {
      const before = await verdicts();
      expect([...before.values()].filter((said) => said === stranger)).toEqual([]);
      const laterBefore = await ofLater();
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await page.goto(`${studio.url}#/ask`);
      await page.getByRole('button', { name: 'Begin' }).click();
      const group = await until(async () => {
        const view = await ask<AskView>(page, 'api/ask');
        if (view.state !== 'ready' || view.busy) return undefined;
        const key = await page.locator('.question').getAttribute('data-key');
        const shown = view.questions.find((question) => question.key === key);
        if (!shown) return undefined;
        const own = shown.ids.filter(isOwn).length;
        if (shown.kind === 'group' && own > shown.ids.length / 2) return shown;
        await page.keyboard.press('s');
        return undefined;
      }, 300);
      await page.keyboard.press('/');
      await page.keyboard.type(stranger);
      await page.keyboard.press('Enter');
      await page.getByText(`${stranger} is a category now`).waitFor();
      const ended = async () => {
        const { running, failure } = await ask<{ running: boolean; failure?: string }>(page, 'api/state');
        expect(failure).toBeUndefined();
        return running ? undefined : true;
      };
      await until(ended, 600);
      const after = await verdicts();
      const right = [...after.values()].filter((said) => said === stranger).length;
      const laterAfter = await ofLater();
      console.log(
        `${group.ids.length} pictures named as a group, ${group.ids.filter(isOwn).length} of them rightly. ` +
          `Of ${after.size} in the folder 0 right before, ${right} after; of ${later} later ones ${laterBefore.right} right before (${laterBefore.none} “none of these”), ${laterAfter.right} after`,
      );
      expect(right / after.size).toBeGreaterThan(0.8);
      expect(laterBefore.right).toBe(0);
      expect(laterAfter.right / later).toBeGreaterThan(0.6);
    }, 1_200_000);
  },
);

/** Takes the kingfishers off the list and out of the folder, but for one, which becomes a stranger. */
function unlist({ world }: DemoWorkspace): void {
  const file = path('bowerbird.yaml');
  const yaml = parseDocument(readFileSync(file, 'utf8'));
  const names = world.test.map(({ name }) => name);
  yaml.set(
    'categories',
    names.filter((name) => !name.endsWith(kind)),
  );
  yaml.delete('compare');
  yaml.set('report', false);
  writeFileSync(file, String(yaml));
  mkdirSync(path(worldLayout.strangers), { recursive: true });
  for (const name of names.filter((one) => one.endsWith(kind)))
    if (name === stranger) renameSync(path(worldLayout.test, name), path(worldLayout.strangers, name));
    else rmSync(path(worldLayout.test, name), { recursive: true });
}
