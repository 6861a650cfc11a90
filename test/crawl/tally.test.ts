import { expect, it } from 'vitest';
import { Tally } from '../../src/crawl/tally.js';

it('the progress of a crawl counts each source by itself, and goes on from what earlier runs kept', () => {
  const tally = new Tally(['flickr', 'gbif'], 200, 30);
  tally.found('flickr', 50, 2);
  tally.found('flickr', 10, 1);
  tally.found('gbif', 7, 0);
  for (const outcome of ['kept', 'kept', 'dropped', 'failed'] as const) tally.finished('flickr', outcome);
  tally.finished('gbif', 'kept');
  const { stage, done, total, atMost, unit, parts, detail } = tally.progress;
  expect([stage, done, total, atMost, unit]).toEqual(['crawl', 33, 200, true, 'pictures']);
  const [flickr, gbif] = parts!;
  expect([flickr.stage, flickr.done, flickr.unit]).toEqual(['flickr', 2, 'pictures']);
  expect(flickr.figures).toMatchObject({ found: 60, kept: 2, dropped: 4, failed: 1 });
  expect(gbif.figures).toMatchObject({ found: 7, kept: 1, dropped: 0, failed: 0 });
  // Seven pictures were done with by one source, and one by the other, in the same time.
  expect(flickr.figures!.rate / gbif.figures!.rate).toBeGreaterThan(6);
  expect(flickr.figures!.rate / gbif.figures!.rate).toBeLessThan(8);
  expect(flickr.detail).toMatch(/^\d+\.\d\/s, 4 dropped, 1 failed$/);
  expect(detail).toBe(`flickr 2 kept, ${flickr.detail}; gbif 1 kept, ${gbif.detail}`);
});
