/** Words out of the HTML fragments in which some sources write descriptions and names. The result is data, not HTML. */
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** No description worth reading is longer, and the time spent on a hostile one stays short. */
const longest = 20_000;

export function plainText(html: string): string {
  return html
    .slice(0, longest)
    .replace(/<(style|script)\b[^<>]*>[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<(br|p|div|li|tr|td|h[1-6])\b[^<>]*>/gi, ' ')
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi, (whole, name: string) => decode(name) ?? whole)
    .replace(/\s+/g, ' ')
    .trim();
}

function decode(name: string): string | undefined {
  if (!name.startsWith('#')) return entities[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : undefined;
}
