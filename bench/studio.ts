/** The studio over 50,000 web pictures: time to the first paint, rows without pictures while scrolling, memory of the server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { writeLargeWorkspace } from './studio/large-workspace.js';
import { type Scrolled, watchScript } from './studio/scrolling.js';

const executable = process.env.CHROMIUM ?? '/usr/bin/chromium';
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

export async function run([pictures = '50000']: string[]): Promise<void> {
  if (!existsSync(executable)) throw new Error(`there is no ${executable}; CHROMIUM names another`);
  const folder = mkdtempSync(join(tmpdir(), 'bowerbird-bench-studio-'));
  let server: ChildProcess | undefined;
  let browser: Browser | undefined;
  try {
    await writeLargeWorkspace(folder, Number(pictures));
    server = spawn(process.execPath, [main, 'studio', folder, '--no-open', '--port', '0', '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [answer] = (await once(server.stdout!, 'data')) as [Buffer];
    const { url } = JSON.parse(answer.toString()) as { url: string };
    browser = await chromium.launch({ executablePath: executable, args: ['--no-sandbox'] });
    for (const round of ['first visit', 'second visit'])
      console.log(round, JSON.stringify(await visit(browser, url), undefined, 2));
    console.log(`memory of the server at most ${peakMemory(server.pid!).toFixed(0)} MB`);
  } finally {
    await browser?.close();
    if (server) {
      server.kill('SIGINT');
      await once(server, 'close');
    }
    rmSync(folder, { recursive: true, force: true });
  }
}

async function visit(browser: Browser, url: string) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${url}#/pictures`);
  const paints = (await page.evaluate(`new Promise((resolve) => {
    const shown = () => [...document.querySelectorAll('[role=option] img')].filter((image) => image.complete && image.naturalWidth > 0);
    const look = () => {
      if (shown().length < 8) return requestAnimationFrame(look);
      const [paint] = performance.getEntriesByName('first-contentful-paint');
      resolve({ firstPaint: paint.startTime, firstPictures: performance.now() });
    };
    look();
  })`)) as { firstPaint: number; firstPictures: number };
  await wait(500);
  await page.locator('[role=listbox]').hover();
  const scroll = async (pixels: number) => {
    await page.evaluate(watchScript);
    for (let turn = 0; turn < 50; turn++) {
      await page.mouse.wheel(0, pixels / 10);
      await wait(100);
    }
    return (await page.evaluate('window.finish()')) as Scrolled;
  };
  // A screen of pictures is about 600 pixels high.
  const scrolled = await scroll(1800);
  const scrolledFast = await scroll(4200);
  await page.evaluate(watchScript);
  await page.locator('[role=listbox]').focus();
  await page.keyboard.press('End');
  await wait(1500);
  const jumped = (await page.evaluate('window.finish()')) as Scrolled;
  await page.close();
  const rounded = (values: object) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value)]));
  return {
    ...rounded(paints),
    scrolled: rounded(scrolled),
    scrolledFast: rounded(scrolledFast),
    jumpedToTheEnd: rounded(jumped),
  };
}

/** In MB, from the kernel's own account. */
function peakMemory(process: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${process}/status`, 'utf8'))![1]) / 1000;
}
