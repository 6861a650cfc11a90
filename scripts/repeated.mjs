// Passages of six or more identical lines that stand in two places: `node scripts/repeated.mjs [FOLDER...]`.
// Blank lines, lone brackets and imports do not count, nor does indentation.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const least = 6;
const folders =
  process.argv.length > 2 ? process.argv.slice(2) : ['src', 'test', 'bench', 'studio/src', 'field/src', 'scripts'];

function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|svelte)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function linesOf(file) {
  // An import over several lines is blanked, so that the numbers of the others stay.
  const text = readFileSync(file, 'utf8').replace(/^(import|export) [^;]*? from '[^']*';$/gm, (one) =>
    one.replace(/.+/g, ''),
  );
  return text
    .split('\n')
    .map((line, i) => ({ file, number: i + 1, text: line.trim() }))
    .filter((line) => /[\p{L}\d]/u.test(line.text));
}

const all = folders.flatMap(files).map(linesOf);
const seen = new Map();
const passages = [];
for (const lines of all)
  for (let i = 0; i + least <= lines.length; i++) {
    const key = lines
      .slice(i, i + least)
      .map(({ text }) => text)
      .join('\n');
    const first = seen.get(key);
    if (!first) {
      seen.set(key, { lines, i });
      continue;
    }
    // Of places that overlap, the first one says it.
    if (first.lines === lines && i < first.i + least) continue;
    let length = least;
    while (lines[i + length] && lines[i + length].text === first.lines[first.i + length]?.text) length++;
    passages.push({ length, at: [first.lines[first.i], lines[i]] });
    i += length - 1;
  }
for (const { length, at } of passages)
  console.log(`${length} lines: ${at.map(({ file, number }) => `${file}:${number}`).join(' and ')}`);
console.log(`${passages.length} passages of ${least} or more lines stand twice`);
