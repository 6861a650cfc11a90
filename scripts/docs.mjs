// Writes docs/commands.md from the option data of the commands.
import { writeFileSync } from 'node:fs';
import { commandPage } from '../dist/cli/command-pages.js';

writeFileSync(new URL('../docs/commands.md', import.meta.url), await commandPage());
