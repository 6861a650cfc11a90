/** numpy as an independent reader and writer, where python3 has it. */
import { execFileSync } from 'node:child_process';
import type { NdArray } from '../../src/formats/index.js';

/** Runs a Python script with numpy as `np` and the words as `sys.argv[1:]`; its last expression is printed as JSON. */
export function python(script: string, ...words: string[]): unknown {
  const program = `import sys, json, numpy as np\n${script}\nprint(json.dumps(result))`;
  const options = { encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  return JSON.parse(execFileSync('python3', ['-c', program, ...words], options));
}

/** Defines `plain`: values as text, so that 64-bit integers and every digit of a float survive JSON. */
export const plainInPython = `
def plain(a):
    flat = a.flatten(order='C').tolist()
    if a.dtype.kind == 'S': flat = [x.decode('latin1') for x in flat]
    elif a.dtype.kind == 'b': flat = [str(int(x)) for x in flat]
    elif a.dtype.kind == 'f': flat = [float(x).hex() for x in flat]
    else: flat = [str(x) for x in flat]
    return {'shape': list(a.shape), 'values': flat}
`;

export interface Plain {
  shape: number[];
  values: string[];
}

/** The same values as `plain` gives in Python, from an array read here. */
export function plain(array: NdArray, reals?: ArrayLike<number>): Plain {
  const values = Array.from(reals ?? (array.data as ArrayLike<unknown>), (value) =>
    array.dtype.startsWith('float') ? hexadecimal(value as number) : String(value),
  );
  return { shape: [...array.shape], values };
}

/** A float as Python's float.hex writes it. */
function hexadecimal(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const sign = bits >> 63n ? '-' : '';
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = (bits & 0xfffffffffffffn).toString(16).padStart(13, '0');
  if (exponent === 0 && value === 0) return `${sign}0x0.0p+0`;
  const power = exponent === 0 ? -1022 : exponent - 1023;
  return `${sign}0x${exponent === 0 ? 0 : 1}.${fraction}p${power < 0 ? '-' : '+'}${Math.abs(power)}`;
}
