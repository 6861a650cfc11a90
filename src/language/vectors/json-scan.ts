/**
 * JSON as a stream of events, for files too large to be parsed whole: bytes go in piece by piece, nothing is kept but
 * the string being read. Errors name the byte.
 */
import { FormatError } from '../../errors.js';

export interface JsonEvents {
  open(kind: 'object' | 'array'): void;
  close(kind: 'object' | 'array'): void;
  /** A name within an object. */
  key(name: string): void;
  number(value: number): void;
  /** A string, true, false or null. */
  other(value: string | boolean | null): void;
}

const longestString = 1 << 20;
const deepest = 100;
const literals = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

export class JsonScanner {
  readonly #events: JsonEvents;
  readonly #file: string;
  /** Open brackets, `{` or `[`. */
  readonly #stack: number[] = [];
  /** What may come next: a value, a key, a colon, or a comma or closing bracket. */
  #expect: 'value' | 'first' | 'key' | 'colon' | 'comma' | 'end' = 'value';
  /** Bytes of an unfinished string, number or literal. */
  #text: number[] = [];
  #inside: 'nothing' | 'string' | 'escape' | 'scalar' = 'nothing';
  #offset = 0;

  constructor(events: JsonEvents, file: string) {
    this.#events = events;
    this.#file = file;
  }

  write(bytes: Uint8Array): void {
    for (let i = 0; i < bytes.length; i++, this.#offset++) {
      const byte = bytes[i];
      if (this.#inside === 'string') this.#stringByte(byte);
      else if (this.#inside === 'escape') {
        this.#text.push(byte);
        this.#inside = 'string';
      } else if (this.#inside === 'scalar' && isScalarByte(byte)) this.#keep(byte);
      else {
        if (this.#inside === 'scalar') this.#endScalar();
        if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) this.#punctuation(byte);
      }
    }
  }

  end(): void {
    if (this.#inside === 'scalar') this.#endScalar();
    if (this.#stack.length > 0 || this.#inside !== 'nothing' || this.#expect !== 'end')
      throw this.#error('the JSON text ends too early');
  }

  #stringByte(byte: number): void {
    if (byte === 0x22) {
      const text = Buffer.from(this.#text).toString();
      this.#text.length = 0;
      this.#inside = 'nothing';
      const plain = text.includes('\\') ? this.#unescape(text) : text;
      if (this.#expect === 'key' || (this.#expect === 'first' && this.#stack.at(-1) === 0x7b)) {
        this.#events.key(plain);
        this.#expect = 'colon';
      } else {
        this.#events.other(plain);
        this.#afterValue();
      }
    } else {
      if (byte === 0x5c) this.#inside = 'escape';
      this.#keep(byte);
    }
  }

  #punctuation(byte: number): void {
    const inObject = this.#stack.at(-1) === 0x7b;
    const value = this.#expect === 'value' || (this.#expect === 'first' && !inObject);
    if (byte === 0x22 && (value || this.#expect === 'key' || this.#expect === 'first')) this.#inside = 'string';
    else if ((byte === 0x7b || byte === 0x5b) && value) {
      if (this.#stack.length === deepest) throw this.#error(`nested more than ${deepest} deep`);
      this.#stack.push(byte);
      this.#events.open(byte === 0x7b ? 'object' : 'array');
      this.#expect = 'first';
    } else if (byte === (inObject ? 0x7d : 0x5d) && (this.#expect === 'first' || this.#expect === 'comma')) {
      this.#stack.pop();
      this.#events.close(inObject ? 'object' : 'array');
      this.#afterValue();
    } else if (byte === 0x3a && this.#expect === 'colon') this.#expect = 'value';
    else if (byte === 0x2c && this.#expect === 'comma' && this.#stack.length > 0)
      this.#expect = inObject ? 'key' : 'value';
    else if (value && isScalarByte(byte)) {
      this.#inside = 'scalar';
      this.#keep(byte);
    } else throw this.#error(`unexpected character 0x${byte.toString(16)}`);
  }

  #endScalar(): void {
    const bytes = this.#text;
    const value = scanNumber(bytes);
    if (value !== undefined) this.#events.number(value);
    else {
      const text = String.fromCharCode(...bytes.slice(0, 40));
      const literal = literals.get(text);
      const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
      if (literal !== undefined) this.#events.other(literal);
      else if (Number.isFinite(number)) this.#events.number(number);
      else throw this.#error(`"${text}" is neither a number nor a word of JSON`);
    }
    bytes.length = 0;
    this.#inside = 'nothing';
    this.#afterValue();
  }

  #afterValue(): void {
    this.#expect = this.#stack.length === 0 ? 'end' : 'comma';
  }

  #keep(byte: number): void {
    if (this.#text.length === longestString) throw this.#error(`a text longer than ${longestString} bytes`);
    this.#text.push(byte);
  }

  #unescape(text: string): string {
    try {
      return JSON.parse(`"${text}"`) as string;
    } catch {
      throw this.#error('a string with an unknown escape');
    }
  }

  #error(problem: string): FormatError {
    return new FormatError(this.#file, this.#offset, problem, 'The file is damaged; fetch it again.');
  }
}

/**
 * A plain decimal such as −0.046539: its digits as an integer, divided by a power of ten, both exact in float64, so the
 * result is correctly rounded. Undefined for everything else.
 */
function scanNumber(bytes: readonly number[]): number | undefined {
  const negative = bytes[0] === 0x2d;
  let digits = 0;
  let decimals = -1;
  const start = negative ? 1 : 0;
  if (bytes.length - start > 16 || bytes.length === start) return undefined;
  if (bytes[start] === 0x30 && bytes.length > start + 1 && bytes[start + 1] !== 0x2e) return undefined;
  for (let i = start; i < bytes.length; i++) {
    const digit = bytes[i] - 0x30;
    if (digit >= 0 && digit <= 9) {
      digits = digits * 10 + digit;
      if (decimals >= 0) decimals++;
    } else if (bytes[i] === 0x2e && decimals < 0 && i > start) decimals = 0;
    else return undefined;
  }
  if (decimals === 0) return undefined;
  const value = decimals > 0 ? digits / powers[decimals] : digits;
  return negative ? -value : value;
}

const powers = Array.from({ length: 17 }, (_, k) => 10 ** k);

function isScalarByte(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d ||
    byte === 0x2e ||
    byte === 0x2b ||
    ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a)
  );
}
