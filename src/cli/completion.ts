/** Completion of the command line for bash, zsh and fish: scripts written from the option data, with nothing to ask at run time. */
import type { Command, OptionSpec } from './command.js';
import { globalOptions } from './parse.js';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export function completionScript(shell: Shell, commands: readonly Command[]): string {
  return { bash, zsh, fish }[shell](commands);
}

type NamedOption = [name: string, spec: OptionSpec];

const optionsOf = ({ options }: Command): NamedOption[] => Object.entries({ ...options, ...globalOptions });

/** First words of the commands, each with what it says of itself. */
function firstWords(commands: readonly Command[]): Map<string, string> {
  const words = new Map<string, string>();
  for (const { name, summary } of commands) {
    const [first] = name.split(' ');
    words.set(first, name.includes(' ') ? `${secondWords(commands, first).join(', ')}` : summary);
  }
  return words;
}

function secondWords(commands: readonly Command[], first: string): string[] {
  return commands.flatMap(({ name }) => (name.startsWith(`${first} `) ? [name.slice(first.length + 1)] : []));
}

const families = (commands: readonly Command[]) =>
  [...new Set(commands.map(({ name }) => name.split(' ')[0]))].filter(
    (first) => secondWords(commands, first).length > 0,
  );

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function bash(commands: readonly Command[]): string {
  const flags = commands.map(
    (command) =>
      `    ${quoted(command.name)}) words=${quoted(
        optionsOf(command)
          .map(([name]) => `--${name}`)
          .join(' '),
      )} ;;`,
  );
  const values = commands.flatMap((command) =>
    optionsOf(command).flatMap(([name, spec]) =>
      spec.type === 'choice'
        ? [`    ${quoted(`${command.name} --${name}`)}) words=${quoted(spec.choices.join(' '))} ;;`]
        : [],
    ),
  );
  const seconds = families(commands).map(
    (first) => `    ${first}) words=${quoted(secondWords(commands, first).join(' '))} ;;`,
  );
  return `# bash completion for bowerbird: source <(bowerbird completion bash)
_bowerbird() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} name=\${COMP_WORDS[1]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W ${quoted([...firstWords(commands).keys()].join(' '))} -- "$word"))
    return
  fi
  case $name in
${seconds.join('\n')}
  esac
  if [ -n "$words" ]; then
    if [ "$COMP_CWORD" -eq 2 ]; then
      COMPREPLY=($(compgen -W "$words" -- "$word"))
      return
    fi
    name="$name \${COMP_WORDS[2]}"
  fi
  words=
  case "$name $before" in
${values.join('\n')}
  esac
  if [ -z "$words" ] && [[ $word == -* ]]; then
    case $name in
${flags.join('\n')}
    esac
  fi
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word")); fi
}
complete -o bashdefault -o default -F _bowerbird bowerbird
`;
}

function zsh(commands: readonly Command[]): string {
  const described = (pairs: Iterable<[string, string]>) =>
    Array.from(pairs, ([name, text]) => quoted(`${name}:${text}`)).join(' ');
  const seconds = families(commands).map((first) => {
    const members = commands.filter(({ name }) => name.startsWith(`${first} `));
    const list = described(members.map(({ name, summary }) => [name.slice(first.length + 1), summary]));
    return `    ${first}) list=(${list}) ;;`;
  });
  const bodies = commands.map(
    (command) =>
      `    ${quoted(command.name)}) _arguments ${optionsOf(command).map(zshOption).join(' ')} '*:file:_files' ;;`,
  );
  return `#compdef bowerbird
# zsh completion for bowerbird: source <(bowerbird completion zsh), or as _bowerbird in a folder of $fpath
_bowerbird() {
  local name=$words[2]
  local -a list
  if (( CURRENT == 2 )); then
    list=(${described(firstWords(commands))})
    _describe command list
    return
  fi
  case $name in
${seconds.join('\n')}
  esac
  if (( $#list )); then
    if (( CURRENT == 3 )); then
      _describe command list
      return
    fi
    name="$name $words[3]"
    shift words
    (( CURRENT-- ))
  fi
  shift words
  (( CURRENT-- ))
  case $name in
${bodies.join('\n')}
  esac
}
if [ "$funcstack[1]" = _bowerbird ]; then _bowerbird "$@"; else compdef _bowerbird bowerbird; fi
`;
}

function zshOption([name, spec]: NamedOption): string {
  const text = `[${spec.description.replace(/[[\]\\]/g, '\\$&')}]`;
  const value =
    spec.type === 'flag' ? '' : `:value:${spec.type === 'choice' ? `(${spec.choices.join(' ')})` : '_files'}`;
  const repeated = spec.type === 'list' ? '*' : '';
  return [`--${name}`, ...(spec.short ? [`-${spec.short}`] : [])]
    .map((flag) => quoted(`${repeated}${flag}${text}${value}`))
    .join(' ');
}

function fish(commands: readonly Command[]): string {
  const fished = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = Array.from(
    firstWords(commands),
    ([word, text]) => `complete -c bowerbird -n __fish_use_subcommand -f -a ${word} -d ${fished(text)}`,
  );
  for (const { name, summary } of commands) {
    const [first, second] = name.split(' ');
    if (second)
      lines.push(
        `complete -c bowerbird -n 'string match -q -- "${first} " (__bowerbird_command)' -f -a ${second} -d ${fished(summary)}`,
      );
  }
  for (const command of commands)
    for (const [name, spec] of optionsOf(command)) {
      const value =
        spec.type === 'flag' ? '' : spec.type === 'choice' ? ` -x -a ${fished(spec.choices.join(' '))}` : ' -r';
      lines.push(
        `complete -c bowerbird -n 'string match -q -- "${command.name}" (__bowerbird_command)' -l ${name}${spec.short ? ` -s ${spec.short}` : ''}${value} -d ${fished(spec.description)}`,
      );
    }
  return `# fish completion for bowerbird: bowerbird completion fish | source
function __bowerbird_command
  set -l words (commandline -opc)
  switch "$words[2]"
    case ${families(commands).join(' ')}
      echo "$words[2] $words[3]"
    case '*'
      echo "$words[2]"
  end
end
${lines.join('\n')}
`;
}
