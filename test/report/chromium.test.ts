import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listedPictures, writeReport } from '../../src/report/index.js';
import { chromiumPath } from '../tools.js';
import { makeFolders } from './folders.js';

describe.skipIf(chromiumPath === undefined)(
  'the report in Chromium (skipped where CHROMIUM or /usr/bin/chromium is absent)',
  () => {
    let root: string;
    let address: string;
    let browser: Browser;

    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'bowerbird-report-'));
      const { compare, tune, experiment, fit, pictures } = await makeFolders(root);
      const path = join(root, 'report.html');
      await writeReport(path, {
        folders: [compare, tune, experiment, fit],
        pictures: await listedPictures(pictures, root),
      });
      address = pathToFileURL(path).href;
      browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    }, 60_000);
    afterAll(async () => {
      await browser?.close();
      await rm(root, { recursive: true, force: true });
    });

    /** Opens the report and notes everything it says or asks for. */
    const open = async (colorScheme: 'light' | 'dark', width: number) => {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
      const requests: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(address, { waitUntil: 'load' });
      return { page, requests: requests.filter((url) => url !== address && !url.startsWith('data:')), complaints };
    };

    for (const scheme of ['light', 'dark'] as const)
      for (const width of [1200, 390])
        it(`asks for nothing, complains of nothing and fits the screen: ${scheme}, ${width} pixels`, async () => {
          const { page, requests, complaints } = await open(scheme, width);
          expect(requests).toEqual([]);
          expect(complaints).toEqual([]);
          const seen = await page.evaluate(`(() => {
          const visible = (element) => element.getClientRects().length > 0;
          const charts = [...document.querySelectorAll('figure.chart')];
          return {
            hit: window.hit,
            overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
            background: getComputedStyle(document.body).backgroundColor,
            ink: getComputedStyle(document.body).color,
            charts: charts.length,
            shown: charts.map((chart) => [...chart.querySelectorAll('svg')].filter(visible).length),
            fills: [...document.querySelectorAll('figure.chart circle')].map((circle) => getComputedStyle(circle).fill),
            pictures: [...document.images].map((image) => image.naturalWidth),
          };
        })()`);
          const { hit, overflow, background, ink, charts, shown, fills, pictures } = seen as {
            hit: unknown;
            overflow: number;
            background: string;
            ink: string;
            charts: number;
            shown: number[];
            fills: string[];
            pictures: number[];
          };
          expect(hit).toBeUndefined();
          expect(overflow).toBeLessThanOrEqual(0);
          expect(charts).toBeGreaterThan(10);
          expect(new Set(shown)).toEqual(new Set([1]));
          expect(pictures.length).toBeGreaterThan(0);
          expect(new Set(pictures)).toEqual(new Set([200]));
          const lightness = (colour: string) =>
            colour
              .match(/\d+/g)!
              .slice(0, 3)
              .map(Number)
              .reduce((a, b) => a + b) / 765;
          expect(Math.abs(lightness(background) - lightness(ink))).toBeGreaterThan(0.7);
          expect(lightness(background) > 0.5).toBe(scheme === 'light');
          expect(fills).toContain(scheme === 'light' ? 'rgb(11, 99, 206)' : 'rgb(108, 176, 255)');
          await page.close();
        });

    for (const scheme of ['light', 'dark'] as const)
      it(`breaks no rule of accessibility that can be checked: ${scheme}`, async () => {
        const { page } = await open(scheme, 1200);
        await page.evaluate(axe.source);
        const found = await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
        violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map((node) => node.html + ' ' + node.failureSummary).join(' | ')))`);
        expect(found).toEqual([]);
        await page.close();
      });

    it('prints on paper with the wide charts, dark text and no navigation', async () => {
      const { page } = await open('dark', 1200);
      await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
      const seen = await page.evaluate(`({
      navigation: getComputedStyle(document.querySelector('nav')).display,
      narrow: getComputedStyle(document.querySelector('.chart .narrow')).display,
      background: getComputedStyle(document.body).backgroundColor,
    })`);
      expect(seen).toEqual({ navigation: 'none', narrow: 'none', background: 'rgb(255, 255, 255)' });
      await page.close();
    });
  },
);
