/** A walk through the studio in Chromium: what a person mends, by keys and by thumb, and what becomes of it. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AnswersView, Gallery } from '../../src/studio/api.js';
import type { Studio } from '../../src/studio/index.js';
import { readDecisions } from '../../src/workspace/decisions.js';
import { chromiumPath } from '../tools.js';
import { drawPicture, type World } from '../workspace/world.js';
import { finishedWorld, openStudio } from './finished-world.js';

describe.skipIf(chromiumPath === undefined)(
  'correcting in Chromium (skipped where CHROMIUM or /usr/bin/chromium is absent)',
  () => {
    let world: World;
    let studio: Studio;
    let browser: Browser;
    const complaints: string[] = [];
    beforeAll(async () => {
      world = await finishedWorld({ report: true });
      studio = await openStudio(world);
      browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    }, 120_000);
    afterAll(async () => {
      await browser?.close();
      await studio?.close();
      world?.remove();
      expect(complaints).toEqual([]);
    });

    const open = async (path: string, width = 1280) => {
      const page = await browser.newPage({ viewport: { width, height: 800 }, hasTouch: width < 700 });
      page.setDefaultTimeout(30_000);
      page.on('pageerror', (error) => complaints.push(`${path}: ${error.message}`));
      await page.goto(`${studio.url}#/${path}`);
      return page;
    };
    const ask = async <T>(page: Page, path: string) =>
      (await page.evaluate(`fetch('${path}').then((answer) => answer.json())`)) as T;
    const decisions = () => readDecisions({ path: world.path });
    const grid = (page: Page) => page.locator('[role=listbox]');
    const runEnds = async (page: Page) => {
      await page.getByText('A run is at work').waitFor();
      await page.getByText('A run is at work').waitFor({ state: 'detached' });
    };

    it('moves a picture to another category by keys, refits, says what changed, and goes back', async () => {
      const page = await open('pictures?category=red+wren');
      await grid(page).locator('[role=option]').first().waitFor();
      // Every fourth web picture shows the next category: the classifier by itself sees it.
      await page.getByLabel('Which pictures').selectOption('Looks like another category');
      await page.locator('.like').first().waitFor();
      expect(await page.evaluate('location.hash')).toBe('#/pictures?category=red+wren&shown=differs');
      await page.reload();
      await page.locator('.like', { hasText: 'like green jay' }).first().waitFor();
      const categories = page.locator('.tools select').first();
      expect(await categories.inputValue()).toBe('red wren');
      expect(await categories.locator('option').allTextContents()).toContainEqual(
        expect.stringMatching(/^red wren \(\d+\)$/),
      );
      await grid(page).focus();
      await page.getByText('By itself it looks like').waitFor();
      await page.getByRole('heading', { name: 'Web pictures most like it' }).waitFor();
      await page.keyboard.press('m');
      await page.keyboard.type('green');
      await page.keyboard.press('Enter');
      await page.getByText('1 picture moved to green jay').waitFor();
      expect(await page.evaluate('document.activeElement.role')).toBe('listbox');
      const [[moved, to]] = (await decisions()).moved;
      expect(to).toBe('green jay');
      await page.keyboard.press('r');
      await runEnds(page);
      const change = page.locator('details', { hasText: /The fit of .* changed \d+ answers? of 18:\s+accuracy/ });
      await change.waitFor();
      const gallery = await ask<Gallery>(page, 'api/gallery');
      const at = gallery.id.indexOf(moved);
      expect(gallery.categories[gallery.category[at]]).toBe('green jay');
      expect(gallery.decision[at]).toBe(3);
      expect(gallery.weight[at]).not.toBeNull();
      await change.locator('summary').click();
      await page.getByRole('button', { name: 'Back: take 1 decision back and refit' }).click();
      await runEnds(page);
      expect((await decisions()).standing).toEqual([]);
      await page.close();
    }, 120_000);

    it('decides on a phone in the large view, which says category and decision', async () => {
      const page = await open('pictures', 390);
      await grid(page).locator('[role=option]').first().dblclick();
      const dialog = page.getByRole('dialog');
      const first = await dialog.getAttribute('aria-label');
      await dialog.getByText(/^(blue finch|red wren|green jay) trust \d\.\d\d/).waitFor();
      await dialog.getByRole('button', { name: 'Drop' }).tap();
      // It goes on to the next; the one before says what became of it.
      await page.locator(`dialog:not([aria-label=${JSON.stringify(first)}])`).waitFor();
      await dialog.getByRole('button', { name: 'Picture before' }).tap();
      await dialog.getByText('dropped by hand').waitFor();
      await dialog.getByRole('button', { name: 'Undo' }).tap();
      await dialog.getByText('dropped by hand').waitFor({ state: 'detached' });
      for (const button of await dialog.getByRole('button').all())
        expect((await button.boundingBox())!.height).toBeGreaterThanOrEqual(36);
      await dialog.getByRole('button', { name: 'Close' }).tap();
      await page.close();
    });

    it('selects by Space and Ctrl-click, and drops what is selected', async () => {
      const page = await open('pictures');
      const tiles = grid(page).locator('[role=option]');
      await tiles.first().click();
      await page.keyboard.press('Space');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Space');
      await tiles.nth(3).click({ modifiers: ['Control'] });
      await page.getByText('3 selected').waitFor();
      await page.keyboard.press('d');
      await page.getByText('3 pictures dropped').waitFor();
      expect([...(await decisions()).of.values()]).toEqual(['drop', 'drop', 'drop']);
      await page.keyboard.press('u');
      await page.getByText('0 dropped, 0 kept by hand').waitFor();
      await page.close();
    });

    it('leads from a card and from the matrix to the answers, where one is put right by a key', async () => {
      const page = await open('categories');
      await page.locator('.cards a', { hasText: 'answer' }).first().click();
      await page.getByText(/whose truth is known are right/).waitFor();
      expect(await page.evaluate('location.hash')).toMatch(/^#\/answers\?said=/);
      await page.getByLabel('Said to show').selectOption('');
      const view = await ask<AnswersView>(page, 'api/answers');
      expect(await page.getByText(/^18 pictures/).count()).toBe(1);
      // The least sure comes first.
      const least = view.id[view.confidence.indexOf(Math.min(...view.confidence.map((one) => one ?? 1)))];
      await page.locator('aside', { hasText: least }).waitFor();
      await grid(page).focus();
      await page.keyboard.press('y');
      await page.getByText('Not answered by people').waitFor({ state: 'attached' });
      await page.getByText(/1 picture: /).waitFor();
      const { answers } = await decisions();
      expect([...answers.keys()]).toEqual([least]);
      expect(answers.get(least)![0].asked).toMatchObject({ why: 'list' });
      await page.keyboard.press('u');
      await page.getByText('The last decision is undone').waitFor();
      expect((await decisions()).answers.size).toBe(0);
      await page.goto(`${studio.url}#/categories`);
      await page.locator('table button').first().click();
      await page.getByRole('dialog').locator('a.frame').first().click();
      await page.locator('.answers-page aside').waitFor();
      await page.close();
    });

    it('classifies several pictures, says which file is none, and learns the right answer of a wrong one', async () => {
      const page = await open('classify');
      const file = async (name: string, seed: number) => ({
        ...{ name: `${name} ${seed}.png`, mimeType: 'image/png', buffer: await drawPicture(name, seed) },
      });
      const notes = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') };
      await page
        .getByLabel('Files to classify')
        .setInputFiles([await file('blue finch', 7001), await file('green jay', 7002), notes]);
      const list = page.locator('.list button');
      await list.filter({ hasText: /^\s*blue finch/ }).waitFor();
      await list.filter({ hasText: /^\s*green jay/ }).waitFor();
      await list.filter({ hasText: 'notes.txt' }).click();
      await page.getByText('notes.txt is no picture (text/plain).').waitFor();
      await list.filter({ hasText: 'green jay 7002' }).click();
      await page.getByRole('button', { name: 'This is wrong' }).click();
      await page.getByLabel('What it shows').selectOption('red wren');
      await page.getByRole('button', { name: 'Add it to the test pictures' }).click();
      await page.getByText('It is among the test pictures now').waitFor();
      expect(existsSync(world.path('test', 'red wren', 'green jay 7002.png'))).toBe(true);
      expect((await decisions()).answers.get('red wren/green jay 7002.png')![0].label).toBe('red wren');
      await page.close();
    });

    it('says that nothing is ticked, and that a report is stale once something was decided', async () => {
      const page = await open('export');
      await page.getByText('This report is stale').waitFor();
      for (const format of ['onnx', 'safetensors']) await page.locator(`input[value=${format}]`).uncheck();
      await page.getByRole('button', { name: 'Write the files' }).click();
      await page.getByText('No format is ticked').waitFor();
      await page.close();
    });
  },
);
