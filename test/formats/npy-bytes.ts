/** `.npy` files made by hand, valid or not. */

export interface HandmadeNpy {
  /** The dictionary as text. @default three rows of two float64 */
  header?: string;
  data?: Uint8Array;
  version?: number;
  /** The length that the file claims for its header. @default the true one */
  length?: number;
}

export const plainHeader = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }";
export const plainData = new Uint8Array(Float64Array.of(1, 2, 3, 4, 5, 6).buffer);

export function npyBytes(file: HandmadeNpy = {}): Uint8Array {
  const { header = plainHeader, data = plainData, version = 1 } = file;
  const text = Buffer.from(`${header}\n`, version === 3 ? 'utf8' : 'latin1');
  const start = Buffer.alloc(version === 1 ? 10 : 12);
  start.write('\x93NUMPY', 0, 'latin1');
  start[6] = version;
  if (version === 1) start.writeUInt16LE(file.length ?? text.length, 8);
  else start.writeUInt32LE(file.length ?? text.length, 8);
  return Buffer.concat([start, text, data]);
}
