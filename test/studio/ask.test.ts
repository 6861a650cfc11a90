/** The page of questions in Chromium: by keys, by thumb, undone, and a group of strangers that becomes a category. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAnswers } from '../../src/fit/index.js';
import type { AskView } from '../../src/studio/api.js';
import type { Studio } from '../../src/studio/index.js';
import { layout, type ProblemRows } from '../../src/workspace/index.js';
import { strangeName, strangeWorld } from '../ask/strange-world.js';
import { chromiumPath } from '../tools.js';
import type { World } from '../workspace/world.js';
import { openStudio } from './finished-world.js';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const truthOf = (id: string) => id.split('/')[0];

describe.skipIf(chromiumPath === undefined)(
  'questions in Chromium (skipped where CHROMIUM or /usr/bin/chromium is absent)',
  () => {
    let world: World;
    let studio: Studio;
    let browser: Browser;
    beforeAll(async () => {
      world = await strangeWorld();
      studio = await openStudio(world);
      browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    }, 180_000);
    afterAll(async () => {
      await browser?.close();
      await studio?.close();
      world?.remove();
    });

    const open = async (width: number) => {
      const page = await browser.newPage({ viewport: { width, height: 800 }, hasTouch: width < 700 });
      page.setDefaultTimeout(60_000);
      await page.goto(`${studio.url}#/ask`);
      return page;
    };
    const view = async (page: Page) =>
      (await page.evaluate("fetch('api/ask').then((answer) => answer.json())")) as AskView;
    /** What the page asks now. */
    const shown = async (page: Page) => (await page.locator('.question').getAttribute('data-key'))!;
    /** Asks again and again: the page's policy forbids Playwright's own way. */
    const until = async <T>(look: () => Promise<T | undefined>, times = 400): Promise<T> => {
      for (let k = 0; k < times; k++) {
        const found = await look();
        if (found !== undefined) return found;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error('it did not happen in time');
    };
    const settled = async (page: Page) => {
      return until(async () => {
        const now = await view(page);
        return now.state === 'ready' && !now.busy ? now : undefined;
      });
    };

    it('begins, takes answers by keys alone with the next question at once, and undoes one', async () => {
      const page = await open(1280);
      await page.getByLabel(/Your name/).fill('Ana');
      await page.getByRole('button', { name: 'Begin' }).press('Enter');
      await page.locator('.shown img').first().waitFor();
      const latencies: number[] = [];
      // Groups are passed over here, so that it may take a few questions more.
      for (let k = 0; k < 8; k++) {
        if ((await settled(page)).answered > 2) break;
        // What is on the page stays there until it is answered, also where the server's new list has others.
        const asked = await shown(page);
        const [kind, id] = [asked.split(':')[0], asked.slice(asked.indexOf(':') + 1)];
        const offered = await page.locator('.answers button').allTextContents();
        const place = offered.findIndex((text) => text.includes(truthOf(id))) + 1;
        const pressed = kind === 'web' ? 'y' : kind === 'group' ? 's' : place || 'n';
        // From the key to the next picture, in the page itself.
        await page.evaluate(`window.began = 0; window.took = undefined;
          window.addEventListener('keydown', () => { window.began = performance.now(); }, { capture: true, once: true });
          new MutationObserver((_, observer) => {
            const next = document.querySelector('.question');
            if (!window.began || !next || next.dataset.key === ${JSON.stringify(asked)}) return;
            observer.disconnect();
            window.took = performance.now() - window.began;
          }).observe(document.querySelector('.ask'), { subtree: true, childList: true, attributes: true });`);
        await page.keyboard.press(String(pressed));
        latencies.push(await until(() => page.evaluate('window.took') as Promise<number | undefined>));
      }
      const after = await settled(page);
      expect(after.answered).toBeGreaterThan(2);
      expect(after.standing!.answeredNow).toBe(after.answered);
      // The page hears of it a moment after the server knows.
      await page
        .locator('footer')
        .getByText(/answered: \d+ put right/)
        .waitFor();
      // A loaded machine may stutter once; the usual question is there before anybody notices.
      expect(latencies.sort((a, b) => a - b)[1]).toBeLessThan(100);
      await page.keyboard.press('u');
      await page.getByText('Taken back').waitFor();
      const undone = await settled(page);
      expect(undone.answered).toBeLessThanOrEqual(after.answered);
      expect(undone.undoable).toBe(after.undoable - 1);
      const lines = readFileSync(world.path('.bowerbird', 'decisions.jsonl'), 'utf8');
      expect(lines).toContain('"by":"Ana"');
      expect(lines).toContain('"undo":true');
      // Whoever comes next is asked everything again, groups too.
      for (let left = undone.undoable; left > 0; left--) {
        await page.keyboard.press('u');
        await until(async () => (await view(page)).undoable === left - 1 || undefined);
        await settled(page);
      }
      await page.close();
    });

    it('is used with a thumb at 390 pixels, without a serious finding of axe', async () => {
      const page = await open(390);
      await page.locator('.answers button').first().waitFor();
      const buttons = page.locator('.answers button');
      for (let k = 0; k < (await buttons.count()); k++)
        expect((await buttons.nth(k).boundingBox())!.height).toBeGreaterThanOrEqual(44);
      const { undoable } = await settled(page);
      await buttons.first().tap();
      await until(async () => (await view(page)).undoable === undoable + 1 || undefined);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
      await page
        .addScriptTag({ content: readFileSync(axe, 'utf8') })
        .catch(() => page.evaluate(readFileSync(axe, 'utf8')));
      const found = (await page.evaluate(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id }) => id))",
      )) as string[];
      expect(found).toEqual([]);
      await page.getByRole('button', { name: 'Undo' }).tap();
      await page.getByText('Taken back').waitFor();
      await page.close();
    });

    it('makes a category of a group of strangers: crawled in the background, its pictures are named', async () => {
      const page = await open(1280);
      const named = async () => {
        const rows = JSON.parse(readFileSync(world.path(layout.rows), 'utf8')) as ProblemRows;
        const answers = await readAnswers(world.path(layout.run));
        const own = answers.filter(({ row }) => rows.test[row].includes(strangeName));
        const right = own.filter(({ name, unlisted = 0 }) => name === strangeName && unlisted <= 0.5);
        return right.length / own.length;
      };
      expect(await named()).toBe(0);
      // Other questions, and groups of other pictures, are passed over.
      for (let k = 0; k < 20; k++) {
        await settled(page);
        const asked = await shown(page);
        if (asked.startsWith('group:') && asked.includes(strangeName)) break;
        await page.keyboard.press('s');
        await until(async () => (await shown(page)) !== asked || undefined);
      }
      expect(await shown(page)).toContain(strangeName);
      await page.keyboard.press('/');
      await page.keyboard.type(strangeName);
      await page.keyboard.press('Enter');
      await page.getByText(`${strangeName} is a category now`).waitFor();
      expect(readFileSync(world.path('bowerbird.yaml'), 'utf8')).toContain(strangeName);
      const state = () =>
        page.evaluate("fetch('api/state').then((answer) => answer.json())") as Promise<{ running: boolean }>;
      await until(async () => (await state()).running === false || undefined, 1200);
      expect(await state()).not.toHaveProperty('failure');
      expect(await named()).toBeGreaterThan(0.9);
      await page.close();
    }, 180_000);
  },
);
