// The bits of a JPEG scan (ITU-T T.81, F.2.2.5), brought together: in the file a byte of 255 is followed by a 0 that does not
// count, or is the beginning of a marker.

let marker: usize = 0;

/** Where the marker is that ended the data brought together last, or the end where there is none. */
export function markerPlace(): usize {
  return marker;
}

/** Moves the data from there to the next marker to `target`, which does not lie behind them. Returns the end of what is there then. */
export function bringTogether(target: usize, from: usize, to: usize): usize {
  const ones = i8x16.splat(-1);
  for (;;) {
    while (from + 16 <= to) {
      const bytes = v128.load(from);
      if (v128.any_true(i8x16.eq(bytes, ones))) break;
      v128.store(target, bytes);
      from += 16;
      target += 16;
    }
    const part = min(from + 16, to);
    if (from === to) break;
    while (from < part) {
      const byte = load<u8>(from);
      if (byte === 0xff && (from + 1 === to || load<u8>(from, 1) !== 0)) {
        marker = from;
        return target;
      }
      store<u8>(target++, byte);
      from += byte === 0xff ? 2 : 1;
    }
  }
  marker = to;
  return target;
}

/** At least 57 bits from there on, as the highest ones. `place` is counted in bits. */
// @ts-ignore: decorator
@inline
export function bitsAt(data: usize, place: u32): u64 {
  return bswap(load<u64>(data + (place >> 3))) << (place & 7);
}
