/** `npm run bench -- NAME [options]` runs the benchmark of that name; without a name it lists them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const folder = new URL('./', import.meta.url);
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();
const [name, ...args] = process.argv.slice(2);

if (name === undefined || !existsSync(new URL(`${name}.ts`, folder)) || name === 'main') {
  if (name !== undefined) console.error(`there is no benchmark "${name}"`);
  console.log('npm run bench -- NAME [options], where NAME is one of:');
  for (const each of names) console.log(`  ${each.padEnd(12)} ${firstSentence(new URL(`${each}.ts`, folder))}`);
  process.exitCode = 2;
} else {
  const module = (await import(new URL(`${name}.ts`, folder).href)) as { run(args: string[]): Promise<void> };
  await module.run(args);
}

/** The first sentence of the comment that opens a benchmark. */
function firstSentence(file: URL): string {
  const comment = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  const text = comment.replace(/\s*\n\s*\*\s*/g, ' ').trim();
  return /^.*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text;
}
