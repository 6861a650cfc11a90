/** What a person who scrolls the gallery sees: how long rows stay without a picture. Runs inside the page. */

export interface Scrolled {
  rows: number;
  pictures: number;
  /** Milliseconds from a row's coming into view until a tile of it is there, and until its first picture is shown. */
  longestWithoutTiles: number;
  longestWithoutPicture: number;
  /** Until a picture is shown after its tile has come into view, 95th percentile. */
  pictureWait95: number;
}

/** A script, as text: samples every frame while the wheel turns elsewhere. */
export const watchScript = `(() => {
  const grid = document.querySelector('[role=listbox]');
  const seen = new Map();
  const rows = new Map();
  let blankSince;
  let longestWithoutTiles = 0;
  const look = () => {
    const now = performance.now();
    const box = grid.getBoundingClientRect();
    let covered = 0;
    for (const tile of grid.querySelectorAll('[role=option]')) {
      const place = tile.getBoundingClientRect();
      if (place.bottom <= box.top + 1 || place.top >= box.bottom - 1) continue;
      covered += (Math.min(place.bottom, box.bottom) - Math.max(place.top, box.top)) * place.width;
      const image = tile.querySelector('img');
      const shown = Boolean(image && image.complete && image.naturalWidth > 0);
      const index = Number(tile.dataset.index);
      const one = seen.get(index) ?? { from: now };
      if (shown && one.shown === undefined) one.shown = now;
      one.last = now;
      seen.set(index, one);
      const row = Math.round((place.top + grid.scrollTop - box.top) / 10);
      const all = rows.get(row) ?? { from: now };
      if (shown && all.shown === undefined) all.shown = now;
      all.last = now;
      rows.set(row, all);
    }
    const blank = covered < 0.5 * box.width * box.height;
    if (!blank) blankSince = undefined;
    else {
      blankSince ??= now;
      longestWithoutTiles = Math.max(longestWithoutTiles, now - blankSince);
    }
    window.frame = requestAnimationFrame(look);
  };
  look();
  window.finish = () => {
    cancelAnimationFrame(window.frame);
    // One that left the screen without its picture was blank for as long as it was there.
    const wait = ({ from, shown, last }) => (shown ?? last) - from;
    const waits = [...seen.values()].map(wait).sort((a, b) => a - b);
    return {
      rows: rows.size,
      pictures: seen.size,
      longestWithoutTiles,
      longestWithoutPicture: Math.max(...[...rows.values()].map(wait)),
      pictureWait95: waits[Math.floor(0.95 * (waits.length - 1))],
    };
  };
})()`;
