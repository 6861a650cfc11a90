/** MATLAB 7.3 files written through the HDF5 library, as MATLAB lays them out. */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Dataset, File, type Group, type Reference, ready } from 'h5wasm/node';

type Numbers = Float64Array | Float32Array | Int32Array | BigInt64Array | Uint8Array | Uint16Array | BigUint64Array;

/** Adds variables to a file; shapes are MATLAB's. */
export class Mat73Bytes {
  readonly file: File;
  private references = 0;

  static async create(path: string): Promise<Mat73Bytes> {
    await ready;
    return new Mat73Bytes(new File(path, 'w'));
  }

  private constructor(file: File) {
    this.file = file;
    file.create_group('#refs#');
  }

  numbers(name: string, className: string, shape: number[], data: Numbers, parent: Group = this.file): Dataset {
    const dataset = parent.create_dataset({ name, data, shape: [...shape].reverse() });
    dataset.create_attribute('MATLAB_class', className, [], `S${className.length}`);
    return dataset;
  }

  deflated(name: string, shape: number[], chunks: number[], data: Float64Array): void {
    const dataset = this.file.create_dataset({
      name,
      data,
      shape: [...shape].reverse(),
      chunks: [...chunks].reverse(),
      compression: 'gzip',
    });
    dataset.create_attribute('MATLAB_class', 'double', [], 'S6');
  }

  text(name: string, text: string, parent: Group = this.file): Dataset {
    const codes = Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
    return this.numbers(name, 'char', [1, text.length], codes, parent);
  }

  empty(name: string, className: string, shape: number[], parent: Group = this.file): Dataset {
    const dataset = parent.create_dataset({ name, data: BigUint64Array.from(shape, BigInt) });
    dataset.create_attribute('MATLAB_class', className, [], `S${className.length}`);
    dataset.create_attribute('MATLAB_empty', Uint8Array.of(1), []);
    return dataset;
  }

  /** Makes something in the group of references and gives a reference to it. */
  refer(make: (name: string, parent: Group) => Dataset | Group): Reference {
    const name = `r${this.references++}`;
    return make(name, this.file.get('#refs#') as Group).create_reference();
  }

  /** Values of a cell, or, without a class, of one field of a struct array. */
  cell(name: string, shape: number[], references: Reference[], parent: Group = this.file, className?: string): Dataset {
    const dataset = parent.create_dataset({ name, data: references, shape: [...shape].reverse(), dtype: 'Reference' });
    if (className) dataset.create_attribute('MATLAB_class', className, [], `S${className.length}`);
    return dataset;
  }

  group(name: string, className: string, parent: Group = this.file): Group {
    const group = parent.create_group(name);
    group.create_attribute('MATLAB_class', className, [], `S${className.length}`);
    return group;
  }

  close(): void {
    this.file.close();
  }
}

/** Puts MATLAB's own header of 512 bytes in front, as MATLAB does. */
export function addUserBlock(path: string): void {
  const header = Buffer.alloc(512);
  header.fill(' ', 0, 116);
  header.write('MATLAB 7.3 MAT-file, Platform: any', 'latin1');
  header.set([0x00, 0x02, 0x49, 0x4d], 124);
  writeFileSync(path, Buffer.concat([header, readFileSync(path)]));
}
