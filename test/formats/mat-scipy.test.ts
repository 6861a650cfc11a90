import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type MatNumbers,
  type MatSparse,
  type MatStruct,
  matCellOf,
  matColumnOf,
  matColumnsOf,
  matTexts,
  matToArray,
  readMat,
  sparseToDense,
  toMatrix,
  writeMat,
} from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasScipy } from '../tools.js';
import { plain, plainInPython, python } from './numpy.js';

const folder = temporaryFolder();

describe.skipIf(!hasScipy)('MATLAB files and scipy (skipped where python3 has no scipy)', () => {
  it.each(['True', 'False'])('what scipy writes is read (deflated: %s)', async (compress) => {
    const path = join(folder, `scipy-${compress}.mat`);
    const written = python(
      `
import scipy.io, scipy.sparse
${plainInPython}
rng = np.random.default_rng(1)
arrays = {
  'f8': rng.normal(size=(3, 4)), 'f4': rng.normal(size=(5, 1)).astype('f4'), 'i1': np.array([[-3, 4]], 'i1'),
  'u2': np.array([[7], [65535]], 'u2'), 'i4': np.array([[-2**31, 5]], 'i4'), 'i8': np.array([[-2**62, 1]], 'i8'),
  'u8': np.array([[2**63]], 'u8'), 'cube': rng.normal(size=(2, 3, 4)), 'truth': np.array([[True, False]]),
  'empty': np.zeros((0, 3)),
}
dense = np.array([[0, 2.5, 0], [0, 0, -1]])
values = dict(arrays)
values.update(sparse=scipy.sparse.csc_matrix(dense), text='Grünspecht', texts=np.array(['crow', 'owl'], dtype=object),
  record={'name': 'crow', 'sizes': np.array([[1.0, 2.0]])})
scipy.io.savemat(sys.argv[1], values, do_compression=${compress})
result = {name: plain(a) for name, a in arrays.items()}
result['sparse'] = dense.tolist()`,
      path,
    ) as Record<string, unknown>;
    const read = await readMat(path);
    for (const [name, expected] of Object.entries(written))
      if (name === 'sparse')
        expect([0, 1].map((i) => [...sparseToDense(read.get(name) as MatSparse).row(i)])).toEqual(expected);
      else expect(plain(matToArray(read.get(name)!)), name).toEqual(expected);
    expect(matTexts(read.get('text')!)).toEqual(['Grünspecht']);
    expect(matTexts(read.get('texts')!)).toEqual(['crow', 'owl']);
    const record = read.get('record') as MatStruct;
    expect(matTexts(record.fields.get('name')![0])).toEqual(['crow']);
    expect((record.fields.get('sizes')![0] as MatNumbers).data).toEqual(Float64Array.of(1, 2));
  });

  it.each([true, false])('what is written here scipy reads (deflated: %s)', async (compress) => {
    const path = join(folder, `ours-${compress}.mat`);
    const features = Matrix.from(
      [
        [1, 2.5, -3],
        [4, 5, 6],
      ],
      'float32',
    );
    const sparse: MatSparse = {
      kind: 'sparse',
      shape: [2, 3],
      rowIndices: Int32Array.of(1, 0),
      columnStarts: Int32Array.of(0, 1, 1, 2),
      values: Float64Array.of(9, 8),
    };
    const record: MatStruct = {
      kind: 'struct',
      shape: [1, 1],
      fields: new Map([
        ['long_field', [matColumnOf(Int32Array.of(-1, 2))]],
        ['b', [matCellOf(['x'])]],
      ]),
    };
    await writeMat(
      path,
      {
        features: matColumnsOf(features),
        labels: matColumnOf(Int32Array.of(1, 2, 3)),
        big: { kind: 'numbers', shape: [1, 1], dtype: 'int64', data: BigInt64Array.of(-(2n ** 60n)) },
        truth: { kind: 'numbers', shape: [1, 2], dtype: 'bool', data: Uint8Array.of(1, 0) },
        text: { kind: 'text', shape: [2, 3], rows: ['abé', 'xyz'] },
        names: matCellOf(['crow', '', 'Grünspecht']),
        sparse,
        record,
      },
      { compress },
    );
    const seen = python(
      `
import scipy.io
m = scipy.io.loadmat(sys.argv[1])
r = m['record'][0, 0]
result = [m['features'].tolist(), str(m['features'].dtype), m['labels'].tolist(), int(m['big'][0, 0]),
  m['truth'].tolist(), str(m['truth'].dtype), m['text'].tolist(),
  [str(c[0][0]) if c[0].size else '' for c in m['names']],
  m['sparse'].toarray().tolist(), r['long_field'].tolist(), str(r['b'][0, 0][0])]`,
      path,
    );
    expect(seen).toEqual([
      [
        [1, 4],
        [2.5, 5],
        [-3, 6],
      ],
      'float32',
      [[1], [2], [3]],
      Number(-(2n ** 60n)),
      [[1, 0]],
      'uint8',
      ['abé', 'xyz'],
      ['crow', '', 'Grünspecht'],
      [
        [0, 0, 8],
        [9, 0, 0],
      ],
      [[-1], [2]],
      'x',
    ]);
  });

  const splits = '../shared/data/xlsa17/CUB_att_splits.mat';
  it.skipIf(!existsSync(splits))('the real xlsa17 file has the values scipy reads', async () => {
    const expected = python(
      `
import scipy.io
m = scipy.io.loadmat(sys.argv[1])
result = [m['att'].tolist(), m['original_att'].tolist(), [str(c[0][0]) for c in m['allclasses_names']],
  m['trainval_loc'][:, 0].tolist()]`,
      splits,
    ) as [number[][], number[][], string[], number[]];
    const read = await readMat(splits);
    for (const [name, values] of [
      ['att', expected[0]],
      ['original_att', expected[1]],
    ] as const) {
      const matrix = toMatrix(matToArray(read.get(name)!));
      expect(values.map((_, i) => [...matrix.row(i)])).toEqual(values);
    }
    expect(matTexts(read.get('allclasses_names')!)).toEqual(expected[2]);
    expect([...(read.get('trainval_loc') as MatNumbers).data]).toEqual(expected[3]);
  });
});
