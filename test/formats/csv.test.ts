import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ArgumentError, FormatError } from '../../src/errors.js';
import { csvRecords, memoryFile, readCsv, readCsvMatrix, writeCsv } from '../../src/formats/index.js';
import { Matrix } from '../../src/linalg/matrix.js';
import fc from '../property.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasNumpy } from '../tools.js';
import { python } from './numpy.js';

const folder = temporaryFolder();
const text = (content: string) => memoryFile(Buffer.from(content), 'table.csv');
const rowsOf = async (content: string) => (await readCsv(text(content), { header: false })).rows;

describe('CSV records', () => {
  it.each([
    [
      'plain',
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'without a last line end',
      'a,b\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'with CR LF and CR',
      'a,b\r\nc,d\re,f\r',
      [
        ['a', 'b'],
        ['c', 'd'],
        ['e', 'f'],
      ],
    ],
    ['with blank lines', '\n\na\n\r\n\nb\n\n', [['a'], ['b']]],
    [
      'with empty fields',
      ',\n,',
      [
        ['', ''],
        ['', ''],
      ],
    ],
    ['with an empty quoted field alone', '""\n""', [[''], ['']]],
    ['with quotes around delimiters and line ends', '"a,b","c\r\nd"\n', [['a,b', 'c\r\nd']]],
    ['with doubled quotes', '"a ""b""",""""\n', [['a "b"', '"']]],
    ['with spaces, which belong to fields', ' a , b \n', [[' a ', ' b ']]],
    ['with a byte order mark', '\ufeffa,b\n', [['a', 'b']]],
    ['with characters of every length', 'é,日,🐦\n', [['é', '日', '🐦']]],
    ['that are none', '', []],
  ])('%s', async (_, content, expected) => {
    expect(await rowsOf(content)).toEqual(expected);
  });

  it('are the same wherever the reads happen to end', async () => {
    const long = 'é'.repeat(100_000);
    const rows = [
      [long, 'a'],
      ['x\r\n"', long],
      ['', ''],
      [long, long],
    ];
    for (const shift of [0, 1, 2, 3, 40, 41, 42, 43]) {
      const path = join(folder, 'chunks.csv');
      await writeCsv(path, [['s'.repeat(62_100 + shift), ''], ...rows]);
      expect((await readCsv(path, { header: false })).rows.slice(1)).toEqual(rows);
    }
  });

  it('come back as they were written, whatever the text', async () => {
    const field = fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[",\r\n; ]{0,4}$/));
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) => fc.array(fc.array(field, { minLength: width, maxLength: width })));
    await fc.assert(
      fc.asyncProperty(table, fc.constantFrom(',', ';', '\t', '|'), async (rows, delimiter) => {
        const path = join(folder, 'any.csv');
        await writeCsv(path, rows, { delimiter });
        expect((await readCsv(path, { header: false, delimiter })).rows).toEqual(rows);
      }),
      { numRuns: 100 },
    );
  });

  it('tell where they start', async () => {
    const offsets: number[] = [];
    for await (const { offset } of csvRecords(text('\ufeffab,c\r\n\r\n"d\n",e\nf,g'))) offsets.push(offset);
    expect(offsets).toEqual([3, 11, 18]);
  });

  it('read pieces that end anywhere in a quoted field', async () => {
    for (let shift = -1; shift <= 7; shift++) {
      const first = 'x'.repeat(2 ** 18 - shift);
      const { rows } = await readCsv(text(`a,b\n${first.slice(4)},"q""r,s"\nd,e\n`));
      expect(rows.map(([, second]) => second)).toEqual(['q"r,s', 'e']);
    }
  });

  it('may hold quotation marks as characters', async () => {
    const table = await readCsv(text('title\tsize\n5" pipe\t"a\n'), { delimiter: '\t', quotes: false });
    expect(table).toEqual({ header: ['title', 'size'], rows: [['5" pipe', '"a']] });
  });

  it.each([
    ['a quote that is never closed', 'a\n"b\nc', 2, 'never closed'],
    ['text after a closing quote', 'a\n"b"c', 5, 'expected a delimiter or a line end'],
    ['a quote inside a field', 'a\nb"c"', 3, 'quotation mark inside a field'],
    ['a row with another number of fields', 'a,b\nc,d,e\n', 4, 'expected 2 fields as in the first record, found 3'],
    ['bytes that are not UTF-8', 'a,\xff\n', 2, 'expected UTF-8'],
    ['UTF-16', '\xff\xfea\0', 0, 'found UTF-16'],
  ])('are refused with %s', async (_, content, offset, message) => {
    const error = await readCsv(memoryFile(Buffer.from(content, 'latin1'), 'table.csv')).catch((error) => error);
    expect(error).toBeInstanceOf(FormatError);
    expect(error.message).toContain(`table.csv (byte ${offset})`);
    expect(error.message).toContain(message);
  });

  it('are refused as UTF-16 of either byte order, but not for being short', async () => {
    for (const mark of ['\xff\xfe', '\xfe\xff'])
      await expect(readCsv(memoryFile(Buffer.from(mark, 'latin1')))).rejects.toThrow('found UTF-16');
    expect(await rowsOf('a')).toEqual([['a']]);
    expect(await rowsOf('ab')).toEqual([['ab']]);
    expect(await rowsOf('\ufeff')).toEqual([]);
    expect(await rowsOf('\ufeff"a"')).toEqual([['a']]);
  });

  it('name the byte after a byte order mark and earlier records', async () => {
    const error = await readCsv(text('\ufeffa\nb\n"c"d\n')).catch((error) => error);
    expect(error.offset).toBe(3 + 4 + 3);
    const never = await readCsv(text('a,b\nc,"d')).catch((error) => error);
    expect(never.offset).toBe(6);
  });

  it('may be as long as sixteen mebibytes', async () => {
    const long = `${'x'.repeat(2 ** 24)}\n`;
    expect((await readCsv(text(`${long}b\n`), { header: false })).rows.map(([field]) => field.length)).toEqual([
      2 ** 24,
      1,
    ]);
  });

  it('are split at a delimiter of choice, tabs and semicolons too', async () => {
    for (const delimiter of [';', '\t', '|', ' '])
      expect((await readCsv(text(`a,b${delimiter}"c${delimiter}"\n`), { delimiter, header: false })).rows).toEqual([
        ['a,b', `c${delimiter}`],
      ]);
  });

  it('end in a carriage return at the very end of what was read', async () => {
    for (const end of ['\r', '\r\n', '\n'])
      for (const length of [2 ** 18 - 1, 2 ** 18, 2 ** 18 + 1]) {
        const first = 'x'.repeat(length - end.length);
        expect(await rowsOf(`${first}${end}a,b`).catch((error) => error.message)).toContain('expected 1 fields');
        expect((await rowsOf(`${first}${end}b`)).map(([field]) => field.length)).toEqual([first.length, 1]);
      }
  });

  it('are refused when one has no end, without reading all of it', async () => {
    const endless = memoryFile(Buffer.alloc(2 ** 26, 'x'), 'endless.csv');
    await expect(readCsv(endless)).rejects.toThrow('longer than 16777216 bytes');
  });

  it('need a delimiter of one character', async () => {
    for (const delimiter of ['', ',,', '"', '\n', 'é'])
      await expect(readCsv(text('a'), { delimiter })).rejects.toThrow(ArgumentError);
  });
});

describe('CSV matrices', () => {
  it('keep every digit, and infinite and missing numbers', async () => {
    const path = join(folder, 'matrix.csv');
    const values = [0.1, -0, 1e-320, 1.7976931348623157e308, Number.NaN, 1 / 0, -1 / 0, 12345678.9];
    const matrix = new Matrix(Float64Array.from(values), 2, 4);
    await writeCsv(path, matrix, { header: ['a', 'b', 'c', 'd'] });
    const back = await readCsvMatrix(path);
    expect(back.header).toEqual(['a', 'b', 'c', 'd']);
    expect(back.matrix.data).toEqual(matrix.data);
  });

  it.each([
    ['auto', '1,2\n3,4', undefined, [1, 2, 3, 4]],
    ['auto', 'x,y\n3,4', ['x', 'y'], [3, 4]],
    [true, '1,2\n3,4', ['1', '2'], [3, 4]],
    [false, '1,2\n3,4', undefined, [1, 2, 3, 4]],
  ] as const)('with header %s of %j', async (header, content, names, values) => {
    const result = await readCsvMatrix(text(content), { header });
    expect(result.header).toEqual(names);
    expect([...result.matrix.data]).toEqual(values);
  });

  it('take chosen columns in the order asked for, in single precision too', async () => {
    const content = 'name,w,h\nwren,1,2\nfinch,3,4\n';
    const { header, matrix } = await readCsvMatrix(text(content), { columns: ['h', 1], dtype: 'float32' });
    expect(header).toEqual(['h', 'w']);
    expect(matrix.data).toEqual(Float32Array.of(2, 1, 4, 3));
    await expect(readCsvMatrix(text(content), { columns: ['depth'] })).rejects.toThrow('there is no column "depth"');
    await expect(readCsvMatrix(text(content), { columns: [3] })).rejects.toThrow('there is no column 3');
  });

  it.each(['', 'abc', '1,5', '0x10', '1e', '--1', '1_000', 'constructor', '１'])(
    'refuse %j as a number',
    async (field) => {
      const error = await readCsvMatrix(text(`x\n"${field}"\n`)).catch((error) => error);
      expect(error).toBeInstanceOf(FormatError);
      expect(error.message).toContain(
        `expected a number in column "x" of the record that starts here, found "${field}"`,
      );
    },
  );

  it('take numbers in every way of writing them', async () => {
    const fields = ['+1', '-2.', '.5', '1e3', '2E-1', '3.5e+2', ' 7 ', 'NaN', 'Inf', '-infinity', '+INF'];
    const { matrix } = await readCsvMatrix(text(fields.join('\n')), { header: false });
    expect([...matrix.data]).toEqual([1, -2, 0.5, 1000, 0.2, 350, 7, Number.NaN, 1 / 0, -1 / 0, 1 / 0]);
  });

  it('grow with the file, in both precisions', async () => {
    const content = Array.from({ length: 1500 }, (_, i) => `${i},${i / 4}`).join('\n');
    for (const dtype of ['float64', 'float32'] as const) {
      const { matrix } = await readCsvMatrix(text(content), { dtype });
      expect([matrix.rows, matrix.cols, matrix.dtype]).toEqual([1500, 2, dtype]);
      for (const i of [0, 511, 512, 1023, 1024, 1499]) expect([...matrix.row(i)]).toEqual([i, i / 4]);
    }
    const wide = Array.from({ length: 5000 }, (_, j) => j);
    expect([...(await readCsvMatrix(text(wide.join(',')))).matrix.data]).toEqual(wide);
  });

  it('name columns that are not there, in a table with a header and without', async () => {
    const hint = (content: string, columns: (string | number)[]) =>
      readCsvMatrix(text(content), { columns }).catch((error) => error.hint);
    expect(await hint('a,b\n1,2', ['c'])).toBe('The columns are: a, b.');
    expect(await hint('1,2', ['c'])).toBe('There are 2 columns and no header.');
    for (const column of [-1, 2, 0.5]) expect(await hint('1,2', [column])).toContain('2 columns');
    const error = await readCsvMatrix(text('1,2\n3,x'), { columns: [1] }).catch((error) => error);
    expect(error.message).toContain('column 1 of the record');
    expect(error.offset).toBe(4);
  });

  it('have no rows when the file has none', async () => {
    expect((await readCsvMatrix(text('x,y\n'))).matrix).toMatchObject({ rows: 0, cols: 2 });
    expect((await readCsvMatrix(text(''))).matrix).toMatchObject({ rows: 0, cols: 0 });
  });

  it.skipIf(!hasNumpy)('agree with numpy in both directions (skipped without numpy)', async () => {
    const ours = join(folder, 'ours.csv');
    const theirs = join(folder, 'theirs.csv');
    const matrix = Matrix.from(Array.from({ length: 20 }, (_, i) => [Math.sin(i), 10 ** (i - 10), -i]));
    await writeCsv(ours, matrix);
    const script = `
a = np.loadtxt(sys.argv[1], delimiter=',')
np.savetxt(sys.argv[2], a, delimiter=',', header='x,y,z', comments='')
result = a.tolist()`;
    expect(python(script, ours, theirs)).toEqual(Array.from({ length: 20 }, (_, i) => [...matrix.row(i)]));
    const back = await readCsvMatrix(theirs);
    expect(back.header).toEqual(['x', 'y', 'z']);
    expect(back.matrix.data).toEqual(matrix.data);
  });
});

it('quotes only what needs quotes', async () => {
  const path = join(folder, 'quotes.csv');
  await writeCsv(path, [['a b', 'a,b', 'a"b', ' a', 'a\nb', null, undefined, true, 5n, -0]], { header: ['only'] });
  expect(readFileSync(path, 'utf8')).toBe('only\na b,"a,b","a""b"," a","a\nb",,,true,5,-0\n');
});
