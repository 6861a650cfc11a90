import { parseHTML } from 'linkedom';
import { describe, expect, it } from 'vitest';
import type { Answer, FitResult } from '../../src/fit/index.js';
import { strangerSection } from '../../src/report/strangers.js';

const answer = (row: number, unlisted: number, group?: number): Answer => ({
  ...{ row, name: 'jay', category: 0, score: 1, confidence: 1 - unlisted, unlisted, runnerUp: 'finch', margin: 1 },
  ...(group !== undefined && { group }),
});
const near = { nearestListed: '<b>jay</b>', nearestAuxiliary: 'House Wren' };
const fit = { strangerGroups: [{ group: 0, pictures: 3, ...near }] } as unknown as FitResult;
const answers = [answer(0, 0.1), answer(1, 0.9, 0), answer(2, 0.8, 0), answer(3, 0.7, 0), answer(4, 0.6)];
const options = { perCategory: 6, categories: 24 };

async function wordsOf(section: ReturnType<typeof strangerSection>): Promise<string> {
  const { document } = parseHTML(`<html><body>${(await section)!.text}</body></html>`);
  return document.body.textContent!.replace(/\s+/g, ' ');
}

describe('the strangers of a report', () => {
  it('are counted and listed by group, with what they look like', async () => {
    const words = await wordsOf(strangerSection(fit, answers, 'run', options));
    expect(words).toContain(
      '4 of 5 pictures more likely than not show none of the categories, among them a group of one kind',
    );
    expect(words).toContain('3 pictures of one kind, near House Wren');
    expect(words).toContain('House Wren among the auxiliary categories, <b>jay</b> among the listed ones');
    expect(words).toContain('1, 2, 3');
    expect(words).toContain('1 of other kinds');
  });

  it('are shown where their pictures are known, and named where they cannot be read', async () => {
    const unreadable: string[] = [];
    const pictures = {
      webPicture: async () => undefined,
      testPicture: async (row: number) => ({ file: `/nowhere/${row}.jpg`, title: `${row}.jpg` }),
    };
    const given = { ...options, pictures, onUnreadable: (file: string) => unreadable.push(file) };
    const words = await wordsOf(strangerSection(fit, answers, 'run', given));
    expect(words).toContain('90 % 1.jpg');
    expect(unreadable).toEqual([1, 2, 3, 4].map((row) => `/nowhere/${row}.jpg`));
  });

  it('are not mentioned where everything is listed, or where nobody can tell', async () => {
    expect(await strangerSection(fit, [answer(0, 0.5)], 'run', options)).toBeUndefined();
    const { unlisted: _, ...untold } = answer(0, 0.9);
    expect(await strangerSection(fit, [untold], 'run', options)).toBeUndefined();
  });
});
