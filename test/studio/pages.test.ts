import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gallery, Overview } from '../../src/studio/api.js';
import type { Studio } from '../../src/studio/index.js';
import { layout } from '../../src/workspace/workspace.js';
import { chromiumPath } from '../tools.js';
import { drawPicture, makeWorld, type World } from '../workspace/world.js';
import { finishedWorld, hostileTitle, openStudio } from './finished-world.js';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const slow = 60_000;

describe.skipIf(chromiumPath === undefined)(
  'the studio in Chromium (skipped where CHROMIUM or /usr/bin/chromium is absent)',
  () => {
    let world: World;
    let studio: Studio;
    let browser: Browser;
    const complaints: string[] = [];
    const foreign: string[] = [];

    beforeAll(async () => {
      world = await finishedWorld();
      studio = await openStudio(world);
      browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    }, 120_000);
    afterAll(async () => {
      await browser?.close();
      await studio?.close();
      world?.remove();
      expect(complaints).toEqual([]);
      expect(foreign).toEqual([]);
    });

    const open = async (path: string, options: { colorScheme?: 'light' | 'dark'; width?: number } = {}) => {
      const { colorScheme = 'light', width = 1280 } = options;
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
      page.setDefaultTimeout(slow);
      page.on('request', (request) => {
        if (!request.url().startsWith(new URL('/', studio.url).href) && !request.url().startsWith('blob:'))
          foreign.push(request.url());
      });
      page.on('console', (message) => complaints.push(`${path}: ${message.text()}`));
      page.on('pageerror', (error) => complaints.push(`${path}: ${error.message}`));
      await page.goto(`${studio.url}#/${path}`);
      return page;
    };
    const ask = async <T>(page: Page, path: string) =>
      (await page.evaluate(`fetch('${path}').then((answer) => answer.json())`)) as T;

    it('shows stages, fits and accuracy', async () => {
      const page = await open('overview');
      await page.getByRole('heading', { name: 'Stages' }).waitFor();
      expect(await page.locator('.stages li').count()).toBe(12);
      expect(await page.locator('.tiles').textContent()).toMatch(
        /Accuracy, on pictures of the categories\s*\d+\.\d %\s*95 % interval \d+ to \d+ %/,
      );
      expect(await page.locator('tbody tr').count()).toBe(1);
      await page.close();
    });

    it('shows a hostile title as the text it is', async () => {
      const page = await open('pictures');
      await page.getByPlaceholder('Title …').fill('onerror');
      await page.locator('[role=option]').first().click();
      await page.getByRole('heading', { name: hostileTitle }).waitFor();
      await page.locator('dt', { hasText: 'Licence' }).waitFor();
      expect(await page.evaluate('window.hit')).toBeUndefined();
      await page.close();
    });

    it('lets a correction change the next fit, by keys alone', async () => {
      const page = await open('pictures');
      const before = await ask<Overview>(page, 'api/overview');
      await page.locator('[role=option]').first().waitFor();
      for (let i = 0; i < 30 && (await page.evaluate('document.activeElement.role')) !== 'listbox'; i++)
        await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.role')).toBe('listbox');
      await page.keyboard.press('ArrowRight');
      const dropped = await page.locator('aside h2').textContent();
      await page.keyboard.press('d');
      await page.getByText('1 dropped, 0 kept by hand').waitFor();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('k');
      await page.getByText('1 dropped, 1 kept by hand').waitFor();
      await page.keyboard.press('u');
      await page.getByText('1 dropped, 0 kept by hand').waitFor();
      await page.getByLabel('Which pictures').selectOption('Left out by the crawl');
      await page.locator('[role=listbox]').focus();
      await page.getByText('Left out: the same file is there already').waitFor();
      const taken = await page.locator('aside h2').textContent();
      await page.keyboard.press('k');
      await page.getByText('1 dropped, 1 kept by hand').waitFor();
      await page.keyboard.press('r');
      await page.getByText('A run is at work').waitFor();
      await page.getByText('A run is at work').waitFor({ state: 'detached' });
      const after = await ask<Overview>(page, 'api/overview');
      expect(after.runs[0].id).not.toBe(before.runs[0].id);
      expect(after.runs[0].droppedByHand).toBe(1);
      expect(after.runs[0].webPictures).toBe(before.runs[0].webPictures);
      const gallery = await ask<Gallery>(page, 'api/gallery');
      const row = (title: string | null) => {
        const i = gallery.title.indexOf(title!);
        return { decision: gallery.decision[i], reason: gallery.reason[i], weighted: gallery.weight[i] !== null };
      };
      expect(row(dropped)).toEqual({ decision: 2, reason: -1, weighted: false });
      expect(row(taken)).toEqual({ decision: 1, reason: -1, weighted: true });
      await page.close();
    }, 120_000);

    it('shows a run that was started elsewhere while it lasts', async () => {
      const page = await open('overview');
      await page.getByRole('heading', { name: 'Stages' }).waitFor();
      // What a run in another process leaves while it is at work.
      const parts = [{ stage: 'fit', done: 5, total: 40 }];
      writeFileSync(world.path('.bowerbird', 'progress.json'), JSON.stringify({ done: 9, total: 12, parts }));
      const lock = world.path(layout.lock);
      mkdirSync(lock, { recursive: true });
      writeFileSync(join(lock, `${process.pid}_`), '');
      await page.getByText('A run is at work').waitFor();
      await page.getByText('5 of 40').waitFor();
      await page.getByText('9 of 12 stages').waitFor();
      expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: /Run again|Bring up to date/ }).isDisabled()).toBe(true);
      rmSync(lock, { recursive: true });
      rmSync(world.path('.bowerbird', 'progress.json'));
      await page.getByText('A run is at work').waitFor({ state: 'detached' });
      await page.close();
    });

    it('maps the categories and opens the pictures behind a figure of the confusion matrix', async () => {
      const page = await open('categories');
      await page.getByRole('img', { name: /^Map of the learnt space/ }).waitFor();
      expect(await page.locator('.chart circle, .chart path[fill]').count()).toBeGreaterThan(10);
      expect(await page.locator('.cards > li').count()).toBe(3);
      await page.locator('.cards ol li').first().waitFor();
      await page.locator('table button').first().click();
      const dialog = page.getByRole('dialog', { name: 'Confused pictures' });
      await dialog.locator('img').first().waitFor();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'hidden' });
      await page.close();
    });

    it('classifies a picture that is dropped on it, and says why', async () => {
      const page = await open('classify');
      await page.locator('.drop').waitFor();
      await page.evaluate(handOver('drop', await drawPicture('blue finch', 4242)));
      await page.getByRole('heading', { name: 'Why' }).waitFor();
      expect(await page.locator('.card h2').textContent()).toBe('blue finch');
      expect(await page.locator('.candidates progress').count()).toBe(3);
      const nearest = page.locator('section', { hasText: 'Web pictures most like it' });
      expect(await nearest.locator('li').count()).toBe(8);
      expect(await nearest.locator('li').first().textContent()).toMatch(/likeness (0\.9|1\.0)/);
      await page.evaluate(handOver('paste', await drawPicture('green jay', 4243)));
      await page.locator('.card h2', { hasText: 'green jay' }).waitFor();
      const text = { name: 'notes.png', mimeType: 'image/png', buffer: Buffer.from('this is no picture') };
      await page.getByLabel('Files to classify').setInputFiles(text);
      await page.getByRole('alert').filter({ hasText: 'no picture that can be read' }).waitFor();
      // The browser itself notes the answer 400.
      complaints.splice(0, complaints.length, ...complaints.filter((line) => !line.includes('status of 400')));
      await page.close();
    });

    it('compares methods and two fits', async () => {
      const page = await open('compare');
      await page.getByRole('region', { name: 'Table of methods' }).waitFor();
      expect(await page.getByRole('region', { name: 'Table of methods' }).locator('tbody tr').count()).toBe(3);
      await page.getByRole('heading', { name: 'Convergence of the last fit' }).waitFor();
      await page.getByText(/The same answer for \d+ of 18 test pictures/).waitFor();
      await page.close();
    });

    it('exports the classifier with its attribution file', async () => {
      const page = await open('export');
      await page.getByRole('button', { name: 'Write the files' }).click();
      const link = page.getByRole('link', { name: 'ATTRIBUTION.txt' });
      await link.waitFor();
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
      expect(await readFile(await download.path(), 'utf8')).toContain('red wren 00');
      expect(await page.getByRole('link', { name: 'classifier.onnx' }).count()).toBe(1);
      await page.close();
    });

    for (const path of ['overview', 'answers', 'pictures', 'categories', 'classify', 'compare', 'export'])
      it(`breaks no serious rule of accessibility and fits a phone, in both themes: ${path}`, async () => {
        const page = await open(path);
        await page.locator('h1').waitFor();
        await page.locator('.empty').waitFor({ state: 'detached' });
        await page.evaluate(await readFile(axe, 'utf8'));
        for (const width of [1280, 390]) {
          await page.setViewportSize({ width, height: 800 });
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme });
            const found = await page.evaluate(
              `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
                .filter(({ impact }) => impact === 'serious' || impact === 'critical')
                .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`,
            );
            expect(found, `${width} ${colorScheme}`).toEqual([]);
          }
          expect(
            await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
          ).toBeLessThanOrEqual(0);
        }
        await page.close();
      });

    it('says of a workspace that was never run that there is nothing yet, and draws nothing', async () => {
      const empty = await makeWorld({ auxiliary: 1, test: 1, web: 1, validation: false });
      const other = await openStudio(empty);
      const page = await browser.newPage();
      try {
        await page.goto(`${other.url}#/overview`);
        expect(await page.locator('.tiles').textContent()).toContain('there is no fit yet');
        await page.goto(`${other.url}#/compare`);
        await page.getByText('There is no fit yet').waitFor();
        await page.goto(`${other.url}#/pictures`);
        await page.getByText('There are no web pictures yet').waitFor();
        await page.locator('.histogram svg').waitFor();
        const heights = await page
          .locator('.histogram rect')
          .evaluateAll((bars) => bars.map((bar) => bar.getAttribute('height')));
        expect(new Set(heights)).toEqual(new Set(['0']));
      } finally {
        await page.close();
        await other.close();
        empty.remove();
      }
    });

    it('can be reached by keys from page to page', async () => {
      const page = await open('overview');
      await page.locator('h1').waitFor();
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('To the content');
      for (let i = 0; i < 6; i++) await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Classify', level: 1 }).waitFor();
      await page.close();
    });
  },
);

/** A script that drops or pastes a picture as the browser would. */
function handOver(how: 'drop' | 'paste', picture: Buffer): string {
  return `(() => {
    const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (letter) => letter.charCodeAt(0));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], 'bird.png', { type: 'image/png' }));
    if ('${how}' === 'paste') window.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer }));
    else document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
  })()`;
}

describe('the page of the studio', () => {
  it('is less than 300 kB when it is compressed', async () => {
    const { gzipSync } = await import('node:zlib');
    const folder = new URL('../../dist/studio/app/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(2);
    let total = 0;
    for (const { parentPath, name } of files) total += gzipSync(await readFile(`${parentPath}/${name}`)).length;
    expect(total).toBeLessThan(300_000);
  });
});
