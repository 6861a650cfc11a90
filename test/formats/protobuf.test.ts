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
