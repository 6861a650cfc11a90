/**
 * Bits, most significant first, from a stream of pieces. Reading is synchronous: the caller first waits until enough
 * bytes for the next unit are held (`want`), so that no decoder has to pause in the middle of one.
 */
import { FormatError } from '../../errors.js';

export class BitReader {
  private readonly file: string;
  private readonly source: AsyncIterator<Uint8Array>;
  private bytes = new Uint8Array(0);
  /** Position in `bytes` of the next byte to be moved into `held`. */
  private next = 0;
  /** Bytes of the file before `bytes[0]`. */
  private before = 0;
  private held = 0;
  private heldCount = 0;
  private ended = false;

  constructor(source: AsyncIterable<Uint8Array>, file: string) {
    this.source = source[Symbol.asyncIterator]();
    this.file = file;
  }

  /** Position in the file of the byte that holds the next bit. */
  get offset(): number {
    return this.before + this.next - Math.ceil(this.heldCount / 8);
  }

  get atEnd(): boolean {
    return this.ended && this.next >= this.bytes.length && this.heldCount === 0;
  }

  /** Reads on until `count` bytes are held or the source ends. */
  async want(count: number): Promise<void> {
    if (this.ended || this.bytes.length - this.next >= count) return;
    const pieces: Uint8Array[] = [this.bytes.subarray(this.next)];
    let available = pieces[0].length;
    // Some more than asked for, so that the rest is not copied again for every unit.
    while (available < count * 2) {
      const { value, done } = await this.source.next();
      if (done) {
        this.ended = true;
        break;
      }
      pieces.push(value);
      available += value.length;
    }
    this.before += this.next;
    this.next = 0;
    this.bytes = new Uint8Array(available);
    let position = 0;
    for (const piece of pieces) {
      this.bytes.set(piece, position);
      position += piece.length;
    }
  }

  /** Lets the source go, also before its end. */
  async close(): Promise<void> {
    await this.source.return?.();
  }

  /** The next 0 to 24 bits as a number. */
  read(count: number): number {
    if (this.heldCount < count) this.fill(count);
    this.heldCount -= count;
    return (this.held >>> this.heldCount) & ((1 << count) - 1);
  }

  read32(): number {
    const high = this.read(16);
    return high * 65536 + this.read(16);
  }

  /** The next 20 bits without taking them; zeros stand for what lies beyond the end. */
  peek20(): number {
    if (this.heldCount < 20) {
      while (this.heldCount <= 24) {
        if (this.next >= this.bytes.length) return (this.held << (20 - this.heldCount)) & 0xfffff;
        this.held = (this.held << 8) | this.bytes[this.next++];
        this.heldCount += 8;
      }
    }
    return (this.held >>> (this.heldCount - 20)) & 0xfffff;
  }

  /** Takes bits that `peek20` has shown. */
  take(count: number): void {
    if (count > this.heldCount) throw this.truncated();
    this.heldCount -= count;
  }

  alignToByte(): void {
    this.heldCount -= this.heldCount % 8;
  }

  private fill(count: number): void {
    while (this.heldCount < count) {
      if (this.next >= this.bytes.length) throw this.truncated();
      this.held = (this.held << 8) | this.bytes[this.next++];
      this.heldCount += 8;
    }
  }

  private truncated(): FormatError {
    return new FormatError(
      this.file,
      this.before + this.bytes.length,
      'the compressed data ends in the middle of a block',
      'The file is truncated; fetch it again.',
    );
  }
}
