// Writes docs/commands.md from the option data of the commands, and docs/parameters.md from the declarations of the methods.
import { writeFileSync } from 'node:fs';
import { commandPage, parameterPage } from '../dist/cli/command-pages.js';

writeFileSync(new URL('../docs/commands.md', import.meta.url), await commandPage());
writeFileSync(new URL('../docs/parameters.md', import.meta.url), parameterPage());
