/** Colours of a terminal, and none where the output goes elsewhere or whoever reads it wants none (NO_COLOR, TERM=dumb). */
const codes = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 } as const;

export type Colour = keyof typeof codes;
/** The text in a colour, or as it is. */
export type Paint = (text: string, colour: Colour | undefined) => string;

export function painter(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv = process.env): Paint {
  const plain = stream.isTTY !== true || environment.NO_COLOR || environment.TERM === 'dumb';
  return (text, colour) => (plain || !colour || !text ? text : `\u001b[${codes[colour]}m${text}\u001b[0m`);
}

/** Of a stage or a result, in the words that `run` and `status` use. */
export function stateColour(state: string): Colour | undefined {
  if (['ran', 'done'].includes(state)) return 'green';
  if (['failed', 'blocked'].includes(state)) return 'red';
  if (['stale', 'running'].includes(state)) return 'yellow';
  return ['unchanged', 'omitted', 'waiting'].includes(state) ? 'dim' : undefined;
}
