// Writes docs/commands.md from the option data of the commands, and the API reference (typedoc) into dist/api.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { commandPage } from '../dist/cli/command-pages.js';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
writeFileSync(join(root, 'docs', 'commands.md'), await commandPage());
const typedoc = join(root, 'node_modules', 'typedoc', 'bin', 'typedoc');
const { status } = spawnSync(process.execPath, [typedoc], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
