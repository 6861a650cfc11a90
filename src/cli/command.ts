/**
 * Commands as data. One description of a command's arguments and options feeds the parser, the help text and the
 * generated documentation.
 */
import type { Paint } from './colour.js';
import type { ProgressLine } from './progress.js';

interface OptionBase {
  description: string;
  /** Shown in help instead of the type, such as `FILE` or `N`. */
  placeholder?: string;
  short?: string;
}
interface FlagOption extends OptionBase {
  type: 'flag';
}
interface StringOption extends OptionBase {
  type: 'string';
  default?: string;
}
interface NumberOption extends OptionBase {
  type: 'number' | 'integer';
  default?: number;
  minimum?: number;
  maximum?: number;
}
interface ChoiceOption<C extends string = string> extends OptionBase {
  type: 'choice';
  choices: readonly C[];
  default?: C;
}
/** Comma-separated on the command line, may also be repeated. */
interface ListOption extends OptionBase {
  type: 'list';
  default?: readonly string[];
}
export type OptionSpec = FlagOption | StringOption | NumberOption | ChoiceOption | ListOption;

interface ArgumentSpec {
  name: string;
  description: string;
  optional?: boolean;
  /** The only values it may have. */
  choices?: readonly string[];
  /** Takes all remaining arguments; only the last one may. */
  rest?: boolean;
}

type ValueOf<O extends OptionSpec> = O extends FlagOption
  ? boolean
  : O extends ListOption
    ? string[] | (O extends { default: readonly string[] } ? never : undefined)
    : O extends NumberOption
      ? number | (O extends { default: number } ? never : undefined)
      : O extends ChoiceOption<infer C>
        ? C | (O extends { default: string } ? never : undefined)
        : string | (O extends { default: string } ? never : undefined);

type OptionValues<O extends Record<string, OptionSpec>> = { [K in keyof O]: ValueOf<O[K]> };

export interface CommandContext<O extends Record<string, OptionSpec> = Record<string, OptionSpec>> {
  /** Positional arguments in order; a rest argument's values follow one another at the end. */
  args: string[];
  /** Keys are the option names as declared, for example `out`, `lambda1`, `per-category`. */
  options: OptionValues<O>;
  /** True when `--json` was given: print one JSON document on stdout and nothing else there. */
  json: boolean;
  /** Writes a line of results to stdout. */
  print(line: string): void;
  /** A text of stdout in a colour, where that is a terminal. */
  paint: Paint;
  /** Writes the JSON result (only when `json`). */
  printJson(value: unknown): void;
  progress: ProgressLine;
  /** For commands that are about commands. */
  allCommands(): Promise<readonly Command[]>;
  /** Aborts on Ctrl-C (SIGINT) and SIGTERM. */
  signal: AbortSignal;
}

export interface Command<O extends Record<string, OptionSpec> = Record<string, OptionSpec>> {
  /** Words after `bowerbird`, for example `fit` or `words train`. */
  name: string;
  summary: string;
  description?: string;
  arguments: readonly ArgumentSpec[];
  options: O;
  /** At least one: a command line and what it does. */
  examples: readonly { command: string; explanation: string }[];
  /** Returns the exit code: 0 done, 3 finished with some items failed. */
  run(context: CommandContext<O>): Promise<number>;
}

/** Declares a command; only there so that the types of `run`'s options are inferred from the option data. */
export function defineCommand<const O extends Record<string, OptionSpec>>(command: Command<O>): Command {
  return command as unknown as Command;
}
