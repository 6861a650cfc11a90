/** Character references in wiki markup: numeric ones, and the named ones that articles use. Others become a space. */
const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  shy: '',
  zwnj: '',
  zwj: '',
  lrm: '',
  rlm: '',
  ndash: '–',
  mdash: '—',
  minus: '−',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  hellip: '…',
  bull: ' ',
  middot: '·',
  deg: '°',
  prime: '′',
  times: '×',
  plusmn: '±',
  frac12: '½',
  frac14: '¼',
  sup2: '²',
  sup3: '³',
  euro: '€',
  pound: '£',
  cent: '¢',
  yen: '¥',
  sect: '§',
  copy: '©',
  reg: '®',
  trade: '™',
  szlig: 'ß',
  aelig: 'æ',
  AElig: 'Æ',
  oelig: 'œ',
  OElig: 'Œ',
  oslash: 'ø',
  Oslash: 'Ø',
  aring: 'å',
  Aring: 'Å',
  eth: 'ð',
  ETH: 'Ð',
  thorn: 'þ',
  THORN: 'Þ',
};
/** Names such as `eacute`: a letter and the mark combined with it. */
const marks: Readonly<Record<string, string>> = {
  grave: '\u0300',
  acute: '\u0301',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  cedil: '\u0327',
  caron: '\u030c',
};
const greek =
  'alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega';
const greekLetters = new Map(greek.split(' ').map((name, i) => [name, String.fromCodePoint(0x3b1 + i)]));

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x[\da-f]{1,6}|#\d{1,7}|[a-z][a-z\d]{1,15});/gi, (_, name: string) => decode(name));
}

function decode(name: string): string {
  if (name[0] === '#') {
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    const valid = code > 31 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000);
    return valid ? String.fromCodePoint(code) : ' ';
  }
  if (Object.hasOwn(named, name)) return named[name];
  const accented = /^([A-Za-z])(grave|acute|circ|tilde|uml|cedil|caron)$/.exec(name);
  if (accented) return (accented[1] + marks[accented[2]]).normalize('NFC');
  const letter = greekLetters.get(name.toLowerCase());
  if (letter) return name[0] === name[0].toUpperCase() ? letter.toUpperCase() : letter;
  return ' ';
}
