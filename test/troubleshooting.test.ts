import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

describe('docs/troubleshooting.md', () => {
  it('explains every error code and variable of the source', () => {
    const page = readFileSync(join(root, 'docs', 'troubleshooting.md'), 'utf8');
    const files = readdirSync(join(root, 'src'), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.ts'));
    const named = files.flatMap(
      (name) => readFileSync(join(root, 'src', name), 'utf8').match(/BOWERBIRD_[A-Z][A-Z_]*[A-Z]/g) ?? [],
    );
    const missing = [...new Set(named)].filter((code) => !page.includes(`\`${code}\``));
    expect(missing).toEqual([]);
  });
});
