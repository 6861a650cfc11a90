import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands/index.js';
import { commandHelp, overview } from '../../src/cli/help.js';
import { globalOptions } from '../../src/cli/parse.js';

describe('help', () => {
  it('shows usage, arguments, options with placeholders and defaults, and examples', () => {
    const text = commandHelp({
      name: 'hatch',
      summary: 'Hatch.',
      description: 'Keeps eggs warm.',
      arguments: [
        { name: 'NEST', description: 'where the eggs are' },
        { name: 'EGG', description: 'which ones', optional: true, rest: true },
      ],
      options: {
        days: { type: 'integer', default: 21, description: 'How long.', short: 'd' },
        mood: { type: 'choice', choices: ['calm', 'wild'], description: 'Mood.' },
        skip: { type: 'list', default: ['a', 'b'], description: 'Left out.' },
      },
      examples: [{ command: 'bowerbird hatch nest', explanation: 'Hatches.' }],
      run: async () => 0,
    });
    const lines = text.split('\n');
    expect(lines[0]).toBe('Usage: bowerbird hatch NEST [EGG…] [options]');
    expect(text).toContain('Keeps eggs warm.');
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}-d, --days N {2,}How long\. \[default: 21\]$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}--mood calm\|wild {2,}Mood\.$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}--skip A,B,… {2,}Left out\. \[default: a,b\]$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}--json {2,}/));
    expect(lines).toContain('  bowerbird hatch nest');
  });

  it('lists the commands with a line each', () => {
    const text = overview([{ name: 'hatch', summary: 'Hatch.' }], '1.2.3');
    expect(text).toContain('bowerbird 1.2.3');
    expect(text).toMatch(/^ {2}hatch {2}Hatch\.$/m);
  });
});

describe('every command', () => {
  it('is listed in alphabetical order', () => {
    const names = Object.keys(commands);
    expect(names).toEqual([...names].sort());
  });

  it.each(Object.keys(commands))(
    '%s has a name, a summary, examples of itself, and no option of its own called as a common one',
    async (name) => {
      const command = await commands[name]();
      expect(command.name).toBe(name);
      expect(command.summary).toMatch(/^[A-Z].*\.$/);
      expect(command.examples.length).toBeGreaterThan(0);
      for (const example of command.examples) expect(example.command).toContain(`bowerbird ${name}`);
      for (const option of Object.keys(command.options)) expect(Object.keys(globalOptions)).not.toContain(option);
      expect(commandHelp(command)).toContain(`Usage: bowerbird ${name}`);
    },
  );
});
