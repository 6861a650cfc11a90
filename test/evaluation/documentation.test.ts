import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { experimentNames, methodGroups } from '../../src/evaluation/index.js';

const page = readFileSync(new URL('../../docs/evaluation.md', import.meta.url), 'utf8');

describe('docs/evaluation.md', () => {
  it('names every experiment and group of methods', () => {
    for (const name of experimentNames.filter((each) => !each.startsWith('table')))
      expect(page).toContain(`\`${name}\``);
    for (const name of Object.keys(methodGroups)) expect(page).toContain(name);
  });
});
