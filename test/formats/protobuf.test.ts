import { describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import { readFields, textOf, WireWriter } from '../../src/formats/protobuf.js';
import fc from '../property.js';

const source = (bytes: Uint8Array) => ({ bytes, file: 'test.onnx' });

describe('the wire format', () => {
  it('brings every whole number back, negative ones too', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 29 - 1 }), fc.maxSafeInteger(), (number, value) => {
        const [field] = readFields(source(new WireWriter().integer(number, value).finish()));
        expect(field).toMatchObject({ number, value, wireType: 0 });
      }),
    );
  });

  it('brings texts and nested messages back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.uint8Array(), (text, bytes) => {
        const inner = new WireWriter().text(1, text).bytes(2, bytes).float(3, 0.5);
        const wire = source(new WireWriter().message(7, inner).finish());
        const [outer] = readFields(wire);
        const [first, second, third] = readFields(wire, outer.start, outer.end);
        expect(textOf(wire, first)).toBe(text);
        expect([...wire.bytes.subarray(second.start, second.end)]).toEqual([...bytes]);
        expect(third).toMatchObject({ number: 3, wireType: 5 });
      }),
    );
  });

  it('brings reals, lists and encoded fields back, each where it lies', () => {
    const inner = new WireWriter().integers(4, [1, 300, -1]).finish();
    const bytes = new WireWriter().float(1, 0.5).double(2, -0.25).encoded(inner).bytes(5, Uint8Array.of(9)).finish();
    const fields = [...readFields(source(bytes))];
    expect(fields.map(({ number, wireType, value }) => [number, wireType, value])).toEqual([
      [1, 5, 0],
      [2, 1, 0],
      [4, 0, 1],
      [4, 0, 300],
      [4, 0, -1],
      [5, 2, 0],
    ]);
    const view = new DataView(bytes.buffer);
    expect(view.getFloat32(fields[0].start, true)).toBe(0.5);
    expect(view.getFloat64(fields[1].start, true)).toBe(-0.25);
    expect(fields.map(({ from }) => from)).toEqual([0, 5, 14, 16, 19, 30]);
    expect([fields[5].start, fields[5].end]).toEqual([32, 33]);
    expect(fields[3]).toMatchObject({ start: 19, end: 19 });
    // 128 takes two bytes, 127 one, and -1 all ten.
    expect([...new WireWriter().integer(1, 127).finish()]).toEqual([8, 127]);
    expect([...new WireWriter().integer(1, 128).finish()]).toEqual([8, 128, 1]);
    expect(() => new WireWriter().integer(1, 0.5)).toThrow(RangeError);
  });

  it('reads only the part that is asked for', () => {
    const bytes = new WireWriter().integer(1, 5).integer(2, 6).integer(3, 7).finish();
    expect([...readFields(source(bytes), 2, 4)].map(({ number, value }) => [number, value])).toEqual([[2, 6]]);
    expect(() => [...readFields(source(bytes), 2, 3)]).toThrow('the file ends inside a number');
    expect(() => [...readFields(source(Uint8Array.of(0x12, 3, 1, 2)))]).toThrow('claims 3 bytes, 2 are left');
    expect(() => [...readFields(source(Uint8Array.of(0x02, 0)))]).toThrow('a field has no number');
    const error = (() => {
      try {
        return [...readFields(source(Uint8Array.of(8, 1, 0x0b)))];
      } catch (error) {
        return error;
      }
    })();
    expect(error).toMatchObject({ offset: 3, file: 'test.onnx' });
  });

  it('reports where damaged bytes end', () => {
    const whole = new WireWriter().text(1, 'a model of some length').integer(2, 300).finish();
    for (let length = 1; length < whole.length; length++) {
      const cut = () => [...readFields(source(whole.subarray(0, length)))];
      // Cutting between two fields leaves a shorter, valid message.
      if (length === 24) expect(cut()).toHaveLength(1);
      else expect(cut).toThrow(FormatError);
    }
    expect(() => [...readFields(source(Uint8Array.of(0x0b)))]).toThrow(/wire type 3/);
    expect(() => [...readFields(source(new Uint8Array(12).fill(0xff)))]).toThrow(/ten bytes/);
  });
});
