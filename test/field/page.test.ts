import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerRows, noneOfThese, verdict } from '../../src/fit/index.js';
import { classifyPictures } from '../../src/workspace/index.js';
import { chromiumPath } from '../tools.js';
import { drawPicture } from '../workspace/world.js';
import { type FieldWorld, fieldWorld } from './field-world.js';
import { type StaticHost, startHost } from './static-host.js';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const arguments_ = ['--no-sandbox', '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];

describe.skipIf(chromiumPath === undefined)(
  'an exported site in Chromium (skipped where CHROMIUM or /usr/bin/chromium is absent)',
  () => {
    let field: FieldWorld;
    let host: StaticHost;
    let browser: Browser;
    const complaints: string[] = [];
    const foreign: string[] = [];

    beforeAll(async () => {
      field = await fieldWorld();
      host = await startHost((await field.export()).folder);
      browser = await chromium.launch({ executablePath: chromiumPath, args: arguments_ });
    }, 120_000);
    afterAll(async () => {
      await browser?.close();
      await host?.close();
      field?.remove();
      expect(complaints).toEqual([]);
      expect(foreign).toEqual([]);
    });

    /** A visitor with a browser of their own. */
    const visit = async (options: Parameters<Browser['newContext']>[0] = {}) => {
      const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
      context.setDefaultTimeout(60_000);
      context.on('request', (request) => {
        if (!request.url().startsWith(host.url) && !request.url().startsWith('blob:')) foreign.push(request.url());
      });
      context.on('console', (message) => complaints.push(message.text()));
      context.on('weberror', (error) => complaints.push(error.error().message));
      return context;
    };
    const open = async (context: BrowserContext, path = '') => {
      const page = await context.newPage();
      await page.goto(`${host.url}${path}`);
      return page;
    };
    const readyOffline = (page: Page) => page.getByText('kept for use without a network').waitFor();

    it('names pictures without a network after the first visit, as the command line does', async () => {
      const context = await visit();
      const page = await open(context);
      await readyOffline(page);
      await context.setOffline(true);
      await page.reload();
      await readyOffline(page);
      expect(await page.evaluate('crossOriginIsolated')).toBe(true);
      const files = await differentFiles();
      await page.evaluate(handOver('drop', files.slice(0, 4)));
      await page.evaluate(handOver('paste', files.slice(4)));
      await page.locator(`.card .share >> nth=${files.length - 1}`).waitFor();
      const pictures = files.map(({ name, bytes }) => ({ id: name, path: name, content: bytes }));
      const { answers, ids } = await classifyPictures(field.workspace, pictures);
      for (const answer of answerRows(answers)) {
        const id = ids[answer.row];
        const card = page.locator('.card', { has: page.getByText(id, { exact: true }) });
        const said = verdict(answer) === noneOfThese ? 'None of these' : answer.name;
        expect(await card.locator('h2').textContent(), id).toBe(said);
        const meter = (index: number) => card.locator('meter').nth(index).getAttribute('value').then(Number);
        expect(Math.abs((await meter(0)) - answer.confidence!), id).toBeLessThan(0.005);
        expect(Math.abs((await meter(3)) - answer.unlisted!), id).toBeLessThan(0.005);
      }
      expect(await page.locator('.card').first().locator('figure').count()).toBe(12);
      const told = page.locator('.card', { hasText: 'plain.png' });
      await told.getByRole('heading', { name: /^What tells blue finch from/ }).waitFor();
      expect(await told.locator('.told li').allTextContents()).toContain('more colour: blue');
      expect(await page.locator('.card figcaption').first().textContent()).toContain('Ada Lane, CC BY');
      await context.close();
    });

    it('takes pictures with the camera, on a phone, without a network', async () => {
      const context = await visit({ viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true });
      const page = await open(context);
      await readyOffline(page);
      await context.setOffline(true);
      await page.getByRole('button', { name: 'Camera' }).tap();
      await page.getByRole('button', { name: 'Take the picture' }).tap();
      await page.locator('.card .share').waitFor();
      expect(await page.getByRole('dialog').count()).toBe(0);
      await context.close();
    });

    it('keeps an outing on the device and saves it as CSV, with the place only where that was allowed', async () => {
      const context = await visit({
        permissions: ['geolocation'],
        geolocation: { latitude: 52.5, longitude: 13.25, accuracy: 8 },
      });
      const page = await open(context);
      await page.locator('input[type=file]').setInputFiles(await filePayload('blue finch', 77));
      await page.getByRole('button', { name: 'Keep in the outing' }).click();
      await page.getByRole('button', { name: 'Kept in the outing' }).waitFor();
      await page.getByRole('link', { name: 'Outing' }).click();
      await page.getByLabel('Note the place too').check();
      await page.getByRole('link', { name: 'Name' }).click();
      await page.locator('input[type=file]').setInputFiles(await filePayload('green jay', 78));
      await page.getByRole('button', { name: 'Keep in the outing' }).first().click();
      const named = (await page.locator('.card h2').allTextContents()).map((name) => name.toLowerCase());
      await page.getByRole('link', { name: 'Outing' }).click();
      await page.locator('.finds li >> nth=1').waitFor();
      await page.reload();
      await page.locator('.finds li >> nth=1').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as CSV' }).click(),
      ]);
      const [header, second, first] = (await readFile(await download.path(), 'utf8')).split('\r\n');
      expect(header).toBe('time,category,confidence,runner_up,latitude,longitude,accuracy_m,file');
      const time = '^\\d{4}-\\S+Z';
      const rest = '[01]\\.\\d{4},[a-z ]+';
      expect(second).toMatch(RegExp(`${time},${named[0]},${rest},52\\.500000,13\\.250000,8,green jay 78\\.png$`));
      expect(first).toMatch(RegExp(`${time},${named[1]},${rest},,,,blue finch 77\\.png$`));
      await context.close();
    });

    it('can be installed: manifest, icons, service worker, a start page without a network', async () => {
      const context = await visit();
      const page = await open(context);
      await readyOffline(page);
      const devtools = await context.newCDPSession(page);
      const manifest = await devtools.send('Page.getAppManifest');
      expect(manifest.errors).toEqual([]);
      const written = JSON.parse(manifest.data!);
      expect(written).toMatchObject({ start_url: './', scope: './', display: 'standalone' });
      expect(written.name.length * written.short_name.length).toBeGreaterThan(0);
      for (const side of [192, 512]) {
        const icon = written.icons.find(({ sizes }: { sizes: string }) => sizes === `${side}x${side}`);
        const bytes = await page.evaluate(
          `fetch('${icon.src}').then((answer) => answer.arrayBuffer()).then((all) => [...new Uint8Array(all)])`,
        );
        expect(await sharp(Uint8Array.from(bytes as number[])).metadata()).toMatchObject({ width: side, height: side });
      }
      // Contexts of the test are private windows, where nothing can be installed; that is all there may be against it.
      const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
      expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
      await context.setOffline(true);
      const start = await page.goto(host.url);
      expect([start!.status(), start!.fromServiceWorker()]).toEqual([200, true]);
      await context.close();
    });

    it('breaks no rule of accessibility and fits a phone, in both themes, on every page', async () => {
      const context = await visit();
      const page = await open(context);
      await page.locator('input[type=file]').setInputFiles(await filePayload('red wren', 79));
      await page.getByRole('button', { name: 'Keep in the outing' }).click();
      await page.locator('figure').first().waitFor();
      await page.evaluate(await readFile(axe, 'utf8'));
      for (const path of ['', 'outing', 'categories', 'category/blue%20finch', 'about']) {
        await page.evaluate(`location.hash = '#/${path}'`);
        await page.locator('h1').waitFor();
        for (const width of [1100, 390]) {
          await page.setViewportSize({ width, height: 800 });
          for (const colorScheme of ['light', 'dark'] as const) {
            await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
            const found = await page.evaluate(
              `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
                .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html.slice(0, 160)).join(' | ')))`,
            );
            expect(found, `${path} ${width} ${colorScheme}`).toEqual([]);
          }
          const wider = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
          expect(await page.evaluate(wider), `${path} ${width}`).toBeLessThanOrEqual(0);
        }
      }
      await context.close();
    });

    it('gives the same answers on WebGPU, here one that the processor plays', async () => {
      const gpu = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader', '--enable-features=Vulkan'];
      const other = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', ...gpu] });
      try {
        const page = await other.newPage();
        const shares: string[][] = [];
        for (const engine of ['webgpu', 'wasm']) {
          await page.goto(`${host.url}?engine=${engine}`);
          await page.evaluate(handOver('drop', (await differentFiles()).slice(0, 3)));
          await page.locator('.card .share >> nth=2').waitFor({ timeout: 60_000 });
          shares.push(
            await page.locator('.card meter').evaluateAll((all) => all.map((one) => one.getAttribute('value')!)),
          );
          await page.getByRole('link', { name: 'About' }).click();
          await page.getByText(engine === 'webgpu' ? 'Runs with WebGPU' : 'Runs with WebAssembly').waitFor();
        }
        for (const [i, share] of shares[0].entries())
          expect(Math.abs(Number(share) - Number(shares[1][i]))).toBeLessThan(0.002);
      } finally {
        await other.close();
      }
    });

    it('can be used with keys alone', async () => {
      const context = await visit();
      const page = await open(context);
      await page.locator('.drop').waitFor();
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.textContent')).toBe('To the content');
      for (const name of ['Name', 'Outing', 'Categories']) {
        await page.keyboard.press('Tab');
        expect(await page.evaluate('document.activeElement.textContent.trim()')).toBe(name);
      }
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Categories', level: 1 }).waitFor();
      await context.close();
    });
  },
);

/** Pictures of the kinds that decoders and scalers treat differently. */
async function differentFiles(): Promise<{ name: string; bytes: Buffer }[]> {
  const base = await drawPicture('blue finch', 4242);
  const large = sharp(base).resize(1500, 1130, { fit: 'fill' });
  return [
    { name: 'plain.png', bytes: base },
    { name: 'other.png', bytes: await drawPicture('green jay', 4243) },
    {
      name: 'small.jpg',
      bytes: await sharp(await drawPicture('red wren', 4244))
        .jpeg()
        .toBuffer(),
    },
    { name: 'large.jpg', bytes: await large.clone().jpeg({ progressive: true }).toBuffer() },
    { name: 'turned.jpg', bytes: await large.clone().jpeg().withMetadata({ orientation: 6 }).toBuffer() },
    { name: 'wide-colours.jpg', bytes: await large.clone().withIccProfile('p3').jpeg().toBuffer() },
    { name: 'clear.png', bytes: await sharp(base).ensureAlpha(0.5).png().toBuffer() },
    { name: 'small.webp', bytes: await sharp(base).webp({ lossless: true }).toBuffer() },
  ];
}

async function filePayload(name: string, seed: number) {
  return { name: `${name} ${seed}.png`, mimeType: 'image/png', buffer: await drawPicture(name, seed) };
}

/** A script that drops or pastes pictures as the browser would. */
function handOver(how: 'drop' | 'paste', files: readonly { name: string; bytes: Buffer }[]): string {
  const given = files.map(({ name, bytes }) => ({ name, data: bytes.toString('base64') }));
  return `(() => {
    const transfer = new DataTransfer();
    for (const { name, data } of ${JSON.stringify(given)}) {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      transfer.items.add(new File([bytes], name));
    }
    if ('${how}' === 'paste') window.dispatchEvent(new ClipboardEvent('paste', { clipboardData: transfer }));
    else document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true }));
  })()`;
}
