import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineCommand } from '../../src/cli/command.js';
import { nearest, parseLine } from '../../src/cli/parse.js';
import { UsageError } from '../../src/errors.js';

const command = defineCommand({
  name: 'sort eggs',
  summary: 'Sort eggs.',
  arguments: [
    { name: 'NEST', description: 'the nest to take them from' },
    { name: 'BASKET', description: 'where they go', optional: true },
  ],
  options: {
    weight: { type: 'number', short: 'w', minimum: -5, maximum: 100, description: 'Least weight.' },
    count: { type: 'integer', default: 12, description: 'How many.' },
    colour: { type: 'choice', choices: ['white', 'brown'], default: 'white', description: 'Colour.' },
    label: { type: 'string', short: 'l', description: 'Label.' },
    skip: { type: 'list', description: 'Which to leave.' },
    dry: { type: 'flag', description: 'Only say what would be done.' },
  },
  examples: [{ command: 'bowerbird sort eggs NEST', explanation: 'Sorts.' }],
  run: async ({ options }) => {
    expectTypeOf(options.colour).toEqualTypeOf<'white' | 'brown'>();
    expectTypeOf(options.count).toEqualTypeOf<number>();
    expectTypeOf(options.weight).toEqualTypeOf<number | undefined>();
    expectTypeOf(options.skip).toEqualTypeOf<string[] | undefined>();
    return 0;
  },
});

const parse = (...words: string[]) => parseLine(command, words);

/** The message and the hint of the usage error that a line gives. */
function complaint(...words: string[]): [string, string | undefined] {
  try {
    parse(...words);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return [(error as UsageError).message, (error as UsageError).hint];
  }
  throw new Error(`"${words.join(' ')}" was accepted`);
}

describe('a command line', () => {
  it('gives arguments, options of every type, and defaults for what is left out', () => {
    const line = parse('nest', '--weight', '1.5', '--colour=brown', '-l', 'big', '--skip', 'a, b', '--skip=c', '--dry');
    expect(line.args).toEqual(['nest']);
    expect(line.options).toEqual({
      weight: 1.5,
      count: 12,
      colour: 'brown',
      label: 'big',
      skip: ['a', 'b', 'c'],
      dry: true,
    });
    expect(parse('nest').options).toEqual({
      weight: undefined,
      count: 12,
      colour: 'white',
      label: undefined,
      skip: undefined,
      dry: false,
    });
  });

  it('takes the options that every command has', () => {
    expect(parse('nest', '--json', '-q')).toMatchObject({ json: true, quiet: true, help: false });
    expect(parse('nest')).toMatchObject({ json: false, quiet: false, help: false });
  });

  it('takes negative numbers after a numeric option, with or without an equals sign', () => {
    expect(parse('nest', '--weight', '-3').options.weight).toBe(-3);
    expect(parse('nest', '--weight=-3').options.weight).toBe(-3);
    expect(parse('nest', '--weight', '-.5').options.weight).toBe(-0.5);
    expect(parse('nest', '--weight', '-1e0').options.weight).toBe(-1);
    expect(parse('nest', '-w', '-2').options.weight).toBe(-2);
  });

  it('takes everything after -- as arguments', () => {
    expect(parse('--', '--weight', '-3').args).toEqual(['--weight', '-3']);
  });

  it('asks for help without needing the arguments', () => {
    expect(parse('--help').help).toBe(true);
    expect(parse('-h').help).toBe(true);
  });

  it('suggests the option that was meant', () => {
    expect(complaint('nest', '--wieght', '3')).toEqual(['unknown option --wieght', 'Did you mean --weight?']);
    expect(complaint('nest', '--colr=brown')).toEqual(['unknown option --colr', 'Did you mean --colour?']);
  });

  it('points to the help when no option is near', () => {
    expect(complaint('nest', '--tractor')).toEqual(['unknown option --tractor', 'See "bowerbird sort eggs --help".']);
  });

  it('names the argument that is missing and shows an example', () => {
    expect(complaint()).toEqual(['NEST is missing: the nest to take them from', 'Example: bowerbird sort eggs NEST']);
  });

  it('refuses more arguments than the command takes', () => {
    expect(complaint('nest', 'basket', 'cow')[0]).toBe('unexpected argument "cow"');
  });

  it('lists the choices when none of them was given', () => {
    expect(complaint('nest', '--colour', 'green')[0]).toBe('--colour is "green"; it must be one of white, brown');
  });

  it.each([
    ['--weight', 'heavy', '--weight is "heavy"; it must be a number'],
    ['--weight', '', '--weight is ""; it must be a number'],
    ['--weight', 'Infinity', '--weight is "Infinity"; it must be a number'],
    ['--weight', '-6', '--weight is -6; it must be at least -5'],
    ['--weight', '101', '--weight is 101; it must be at most 100'],
    ['--count', '1.5', '--count is "1.5"; it must be a whole number'],
    ['--count', '1e300', '--count is "1e300"; it must be a whole number'],
  ])('refuses %s %s', (option, value, message) => {
    expect(complaint('nest', `${option}=${value}`)[0]).toBe(message);
  });

  it('says so when the value of an option is missing', () => {
    expect(complaint('nest', '--weight')[0]).toContain("--weight <value>' argument missing");
    expect(complaint('nest', '--label', '--dry')[0]).toContain("'--label' argument is ambiguous");
  });

  it('says so when a flag is given a value', () => {
    expect(complaint('nest', '--dry=yes')[0]).toContain("'--dry' does not take an argument");
  });
});

describe('a line with a rest argument', () => {
  const many = { ...command, arguments: [{ name: 'FILES', description: 'files', rest: true }] };

  it('takes any number of arguments, but at least one', () => {
    expect(parseLine(many, ['a', 'b', 'c']).args).toEqual(['a', 'b', 'c']);
    expect(() => parseLine(many, [])).toThrow('FILES is missing');
  });
});

describe('the nearest word', () => {
  it('is the one with the fewest changes, and none when all are far', () => {
    expect(nearest('predct', ['predict', 'inspect', 'fit'])).toBe('predict');
    expect(nearest('fti', ['predict', 'inspect', 'fit'])).toBe('fit');
    expect(nearest('zebra', ['predict', 'inspect', 'fit'])).toBeUndefined();
  });
});
