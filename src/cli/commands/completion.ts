/** `bowerbird completion`: what a shell needs to complete commands, options and their values. */
import { defineCommand } from '../command.js';
import { completionScript, type Shell, shells } from '../completion.js';

export default defineCommand({
  name: 'completion',
  summary: 'Print a script that lets a shell complete commands and options.',
  arguments: [{ name: 'SHELL', description: shells.join(', '), choices: shells }],
  options: {},
  examples: [
    {
      command: 'source <(bowerbird completion bash)',
      explanation: 'in ~/.bashrc; with zsh in ~/.zshrc after compinit',
    },
    {
      command: 'bowerbird completion fish > ~/.config/fish/completions/bowerbird.fish',
      explanation: 'once, for fish',
    },
  ],
  async run({ args: [shell], allCommands, print, printJson }) {
    const script = completionScript(shell as Shell, await allCommands());
    printJson({ shell, script });
    print(script.trimEnd());
    return 0;
  },
});
