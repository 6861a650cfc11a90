/** A fake web that every test of the file finds as new, and a folder of its own for each test. */
import { afterAll, afterEach, beforeEach } from 'vitest';
import { temporaryFolder } from './crawling.js';
import { FakeWeb } from './server.js';

export async function freshWeb(): Promise<{ web: FakeWeb; folder: { readonly path: string } }> {
  const web = await FakeWeb.start();
  let current: ReturnType<typeof temporaryFolder>;
  afterAll(() => web.stop());
  beforeEach(() => {
    current = temporaryFolder();
    web.forget();
    web.options = {};
  });
  afterEach(() => current.remove());
  return {
    web,
    folder: {
      get path() {
        return current.path;
      },
    },
  };
}
