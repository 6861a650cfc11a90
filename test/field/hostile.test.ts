import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exportSite } from '../../src/field/index.js';
import { openWorkspace } from '../../src/workspace/index.js';
import { chromiumPath } from '../tools.js';
import { drawPicture, writeConfiguration } from '../workspace/world.js';
import { type FieldWorld, fieldWorld, ownPictures } from './field-world.js';
import { type StaticHost, startHost } from './static-host.js';

describe.skipIf(chromiumPath === undefined)(
  'an exported site when things go wrong (skipped where CHROMIUM or /usr/bin/chromium is absent)',
  () => {
    let field: FieldWorld;
    let host: StaticHost;
    let browser: Browser;

    beforeAll(async () => {
      field = await fieldWorld();
      host = await startHost((await field.export()).folder);
      browser = await chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox'] });
    }, 120_000);
    afterAll(async () => {
      await browser?.close();
      await host?.close();
      field?.remove();
    });

    const visit = async () => {
      const context = await browser.newContext();
      context.setDefaultTimeout(60_000);
      return context;
    };
    const open = async (context: BrowserContext, path = '') => {
      const page = await context.newPage();
      await page.goto(`${host.url}${path}`);
      return page;
    };
    const give = (page: Page, name: string, buffer: Buffer) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/jpeg', buffer });
    const keep = async (page: Page, name: string, seed: number) => {
      await give(page, `${name}.png`, await drawPicture(name, seed));
      await page.getByRole('button', { name: 'Keep in the outing' }).first().click();
    };

    it('says of each hostile picture what is wrong with it, and goes on with the next', async () => {
      const context = await visit();
      const page = await open(context);
      const good = await sharp(await drawPicture('red wren', 5))
        .resize(300, 260, { fit: 'fill' })
        .jpeg()
        .toBuffer();
      const huge = sharp({ create: { width: 10_400, height: 9_700, channels: 3, background: '#446688' } });
      const files: [name: string, bytes: Buffer, said: string][] = [
        ['empty.jpg', Buffer.alloc(0), 'The file is empty.'],
        [
          'page.jpg',
          Buffer.from('<!doctype html><script>window.hit = 1</script>'),
          'This is no picture that can be read.',
        ],
        ['drawing.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="window.hit=1"/>'), 'no picture'],
        ['half.jpg', good.subarray(0, good.length >> 1), 'The picture is damaged'],
        ['broken.png', Buffer.from(await sharp(good).png().toBuffer()).fill(7, 60, 400), 'This browser cannot read'],
        ['huge.jpg', await huge.jpeg().toBuffer(), 'The picture is too large'],
      ];
      for (const [name, bytes] of files) await give(page, name, bytes);
      await give(page, 'good.jpg', good);
      await page.locator('.card .share').waitFor();
      for (const [name, , said] of files)
        await page.locator('.card', { hasText: name }).getByRole('heading', { name: said }).waitFor();
      expect(await page.evaluate('window.hit')).toBeUndefined();
      await context.close();
    });

    it('names a picture of 100 million pixels, and the page answers meanwhile', async () => {
      const context = await visit();
      const page = await open(context);
      await page.getByText(/^Ready/).waitFor();
      const small = await drawPicture('blue finch', 6);
      const large = await sharp(small)
        .resize(10_000, 10_000, { fit: 'fill', kernel: 'nearest' })
        .jpeg({ quality: 60 })
        .toBuffer();
      await give(page, 'large.jpg', large);
      await page.getByText('Looking …').waitFor();
      const begun = Date.now();
      await page.getByRole('link', { name: 'Categories' }).click();
      await page.getByRole('heading', { name: 'Categories', level: 1 }).waitFor();
      expect(Date.now() - begun).toBeLessThan(5000);
      await page.getByRole('link', { name: 'Name' }).click();
      await page.locator('.card .share').waitFor();
      await context.close();
    });

    it('works on a device without room, and says that nothing can be kept there', async () => {
      const context = await visit();
      const page = await context.newPage();
      const devtools = await context.newCDPSession(page);
      await devtools.send('Storage.overrideQuotaForOrigin', { origin: new URL(host.url).origin, quotaSize: 30_000 });
      await page.goto(host.url);
      await page.getByText('There is no room left on this device').waitFor();
      await give(page, 'bird.png', await drawPicture('green jay', 9));
      await page.locator('.card .share').waitFor();
      for (let i = 0; i < 12; i++) await keep(page, 'green jay', 20 + i);
      await page.getByText('It could not be kept').first().waitFor();
      await context.close();
    });

    it('keeps the finds of two tabs together', async () => {
      const context = await visit();
      const [first, second] = [await open(context), await open(context)];
      await Promise.all([keep(first, 'blue finch', 1), keep(second, 'red wren', 2)]);
      for (const page of [first, second]) {
        await page.getByRole('link', { name: 'Outing' }).click();
        await page.locator('.finds li >> nth=1').waitFor();
        expect(await page.locator('.finds li').count()).toBe(2);
      }
      await second
        .getByRole('button', { name: /^Remove/ })
        .first()
        .click();
      await first.locator('.finds li >> nth=1').waitFor({ state: 'detached' });
      expect(await first.locator('.finds li').count()).toBe(1);
      await context.close();
    });

    it('offers a new version while the old one goes on working, and keeps the finds', async () => {
      const context = await visit();
      const page = await open(context);
      await page.getByText('kept for use without a network').waitFor();
      await keep(page, 'blue finch', 3);
      writeConfiguration(field.world, { name: 'the second edition' });
      const changed = await field.export();
      await exportSite(await openWorkspace(field.world.folder), changed.folder, {
        precision: 'float32',
        own: ownPictures,
      });
      host.folder = changed.folder;
      await page.evaluate('navigator.serviceWorker.getRegistration().then((found) => found.update())');
      await page.getByText('A new version of this site is there.').waitFor();
      await give(page, 'after.png', await drawPicture('green jay', 4));
      await page.locator('.card', { hasText: 'after.png' }).locator('.share').waitFor();
      expect(await page.title()).not.toContain('second edition');
      await page.getByRole('button', { name: 'Load it' }).click();
      await page.getByText('the second edition').first().waitFor();
      await page.getByRole('link', { name: 'Outing' }).click();
      await page.locator('.finds li').waitFor();
      await context.setOffline(true);
      await page.reload();
      await page.getByText('the second edition').first().waitFor();
      await context.close();
    });

    it('begins again where fetching the classifier failed', async () => {
      const context = await visit();
      host.broken = /network-.*\.onnx$/;
      const page = await open(context);
      await page.getByText('The classifier could not be started').waitFor();
      host.broken = undefined;
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByText(/^Ready/).waitFor();
      await context.close();
    });
  },
);
