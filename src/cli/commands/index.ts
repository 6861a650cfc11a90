/** Every command by its words; each is loaded only when it is used. Alphabetical. */
import type { Command } from '../command.js';

export const commands: Record<string, () => Promise<Command>> = {};
