/** What each source is asked, by the parameters that its interface documents, and how sources are named. */
import { describe, expect, it } from 'vitest';
import { createSource, registerSource, webSources } from '../../src/crawl/index.js';
import type { LicenceCode } from '../../src/crawl/licence.js';

const jay = { name: 'Blue Jay', query: 'blue jay' };
const licences = new Set<LicenceCode>(['cc0', 'cc-by']);

/** Address and parameters of the first question. */
function question(source: string): [address: string, parameters: Record<string, string>] {
  const [, address, parameters] = /^GET (\S+?)\?([^\s,]+)/.exec(createSource(source).describe(jay, licences))!;
  return [address, Object.fromEntries(new URLSearchParams(parameters))];
}

describe('the first question to', () => {
  it('Flickr is for photographs by relevance, safe ones, with all that is kept of a picture', () => {
    const [address, { extras, ...parameters }] = question('flickr');
    expect(address).toBe('https://api.flickr.com/services/rest/');
    expect(parameters).toEqual({
      ...{ method: 'flickr.photos.search', text: 'blue jay', sort: 'relevance', media: 'photos', content_types: '0' },
      ...{ safe_search: '1', per_page: '250', page: '1' },
    });
    expect(extras.split(',')).toEqual([
      ...['description', 'license', 'date_upload', 'date_taken', 'owner_name', 'tags', 'path_alias', 'media'],
      ...['url_l', 'url_c', 'url_z', 'url_m', 'url_o'],
    ]);
    expect(createSource('flickr').describe(jay, licences)).toMatch(/, licences cc0 cc-by$/);
  });

  it('Wikimedia Commons is for bitmaps among its files, with who made them', () => {
    expect(question('wikimedia')).toEqual([
      'https://commons.wikimedia.org/w/api.php',
      {
        ...{ action: 'query', format: 'json', formatversion: '2', maxlag: '5', generator: 'search' },
        ...{ gsrsearch: 'filetype:bitmap blue jay', gsrnamespace: '6', gsrlimit: '50', gsroffset: '0' },
        ...{ prop: 'imageinfo', iiprop: 'url|size|mime|user|timestamp|extmetadata', iiurlwidth: '1024' },
      },
    ]);
  });

  it('iNaturalist is for observations of research grade with photographs under the licences', () => {
    expect(question('inaturalist')).toEqual([
      'https://api.inaturalist.org/v1/observations',
      {
        ...{ taxon_name: 'blue jay', photos: 'true', quality_grade: 'research', per_page: '200', order: 'desc' },
        ...{ order_by: 'votes', page: '1', photo_license: 'cc0,cc-by' },
      },
    ]);
  });

  it('Openverse and Google name the licences in their own words', () => {
    expect(question('openverse')).toEqual([
      'https://api.openverse.org/v1/images/',
      { q: 'blue jay', license: 'cc0,by', page: '1', page_size: '20' },
    ]);
    const text = createSource('google').describe(jay, licences);
    expect(Object.fromEntries(new URLSearchParams(text.slice(text.indexOf('?') + 1)))).toEqual({
      ...{ q: 'blue jay', searchType: 'image', num: '10', start: '1', safe: 'active' },
      rights: '(cc_publicdomain|cc_attribute)',
    });
  });

  it('GBIF is for the taxon, then for its still images', () => {
    const text = createSource('gbif').describe(jay, licences);
    expect(text).toBe(
      'GET https://api.gbif.org/v1/species/match?name=blue+jay, then https://api.gbif.org/v1/occurrence/search?mediaType=StillImage&limit=300&taxonKey=…',
    );
  });
});

describe('sources', () => {
  it('are asked no faster and no more at a time than they allow', () => {
    const limits = Object.fromEntries(
      webSources.map((name) => {
        const { hosts, pageSize } = createSource(name);
        return [name, [hosts!.requestsPerSecond, hosts!.concurrency, pageSize]];
      }),
    );
    expect(limits).toEqual({
      ...{ flickr: [1, 4, 250], wikimedia: [2, 1, 50], inaturalist: [1, 2, 200], openverse: [1, 2, 20] },
      ...{ gbif: [2, 2, 300], google: [1, 2, 10] },
    });
    expect(createSource('inaturalist').hosts!.hosts).toEqual([
      '*.inaturalist.org',
      'inaturalist-open-data.s3.amazonaws.com',
    ]);
    expect(createSource('flickr').hosts!.hosts).toEqual(['*.flickr.com', '*.staticflickr.com']);
  });

  it('are known by name, with a path where they need one', () => {
    for (const name of ['odd', ':odd', 'flickr:x', ''])
      expect(() => createSource(name), name).toThrow(`"${name}" is not a source`);
    for (const name of ['urls', 'folder', 'folder:']) expect(() => createSource(name), name).toThrow('needs a path');
    expect(createSource('folder:a:b').describe({ name: 'jay' }, licences)).toMatch(/^read a:b.jay$/);
    expect(createSource('urls:list.csv').describe({ name: 'jay' }, licences)).toBe('read list.csv, rows of "jay"');
    const elsewhere = createSource('gbif', { endpoints: { gbif: 'http://127.0.0.1:1/v1' } });
    expect(elsewhere.hosts!.hosts).toEqual(['*.gbif.org', '127.0.0.1']);
  });

  it('of one’s own have plain names that are not taken', () => {
    const make = () => createSource('gbif');
    for (const name of ['Odd', 'a b', '-a', ''])
      expect(() => registerSource(name, make), name).toThrow('cannot be the name');
    for (const name of ['flickr', 'urls', 'folder']) expect(() => registerSource(name, make)).toThrow('already');
    registerSource('mine-2', make);
    registerSource('mine-2', make);
    expect(() => registerSource('mine-2', () => make())).toThrow('already');
    expect(createSource('mine-2:x').name).toBe('gbif');
  });
});
