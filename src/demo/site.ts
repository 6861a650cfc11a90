/**
 * A photo site on loopback with the shape of the Flickr API: search by text with pages and licences, licence list,
 * comments, robots.txt, and the pictures themselves, drawn when they are asked for.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { photographers } from './captions.js';
import { drawPhoto, type Photo } from './photos.js';

const licences = [
  { id: 0, name: 'All Rights Reserved', url: '' },
  { id: 4, name: 'CC BY 2.0', url: 'https://creativecommons.org/licenses/by/2.0/' },
  { id: 5, name: 'CC BY-SA 2.0', url: 'https://creativecommons.org/licenses/by-sa/2.0/' },
  { id: 9, name: 'Public Domain Dedication (CC0)', url: 'https://creativecommons.org/publicdomain/zero/1.0/' },
];
const openLicences = ['4', '5', '9'];

export interface PhotoSite {
  /** Base of the API, for the source's endpoint. */
  readonly endpoint: string;
  readonly apiKey: string;
  /** How often pictures were asked for, dead links included. */
  readonly requests: { api: number; pictures: number; dead: number };
  /** Where a photo's picture is. */
  address(photo: Photo): string;
  close(): Promise<void>;
}

export interface PhotoSiteOptions {
  readonly seed: number;
  /** 0 takes any free one. @default 0 */
  readonly port?: number;
}

export async function openPhotoSite(photos: readonly Photo[], options: PhotoSiteOptions): Promise<PhotoSite> {
  const site = new Site(photos, options.seed);
  const server = createServer((request, response) => {
    site.answer(request, response).catch((error: Error) => {
      response.statusCode = 500;
      response.end(error.message);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  site.base = `http://127.0.0.1:${port}`;
  return {
    endpoint: `${site.base}/services/rest/`,
    apiKey: site.apiKey,
    requests: site.requests,
    address: (photo) => site.address(photo),
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

class Site {
  base = '';
  readonly apiKey = 'aviary-demonstration-key';
  readonly requests = { api: 0, pictures: 0, dead: 0 };
  readonly #photos: ReadonlyMap<string, Photo>;
  readonly #seed: number;

  constructor(photos: readonly Photo[], seed: number) {
    this.#photos = new Map(photos.map((photo) => [photo.id, photo]));
    this.#seed = seed;
  }

  address({ id }: Photo): string {
    return `${this.base}/photos/${id}.jpg`;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.base);
    if (url.pathname === '/robots.txt') return send(response, 200, 'text/plain', 'User-agent: *\nDisallow:\n');
    if (url.pathname === '/services/rest/') {
      this.requests.api++;
      return send(response, 200, 'application/json', JSON.stringify(this.#call(url.searchParams)));
    }
    const id = /^\/photos\/(\d+)\.jpg$/.exec(url.pathname)?.[1];
    const photo = id === undefined ? undefined : this.#photos.get(id);
    if (photo) this.requests.pictures++;
    if (photo?.dead) this.requests.dead++;
    if (!photo || photo.dead) return send(response, 404, 'text/plain', 'This photo is no longer available.');
    return send(response, 200, 'image/jpeg', await drawPhoto(photo, this.#seed));
  }

  #call(query: URLSearchParams): unknown {
    if (query.get('api_key') !== this.apiKey) return { stat: 'fail', code: 100, message: 'Invalid API Key' };
    switch (query.get('method')) {
      case 'flickr.photos.licenses.getInfo':
        return { licenses: { license: licences }, stat: 'ok' };
      case 'flickr.photos.comments.getList':
        return { comments: { photo_id: query.get('photo_id'), comment: [] }, stat: 'ok' };
      case 'flickr.photos.search':
        return { photos: this.#search(query), stat: 'ok' };
      default:
        return { stat: 'fail', code: 112, message: `Method "${query.get('method')}" not found` };
    }
  }

  /** Every word of the question must be in the name the photo is found under. */
  #search(query: URLSearchParams) {
    const words = (query.get('text') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = query.get('license')?.split(',').filter(Boolean) ?? [];
    const found = [...this.#photos.values()].filter((photo) => {
      const name = photo.asked.name.toLowerCase().split(' ');
      return words.every((word) => name.includes(word)) && (wanted.length === 0 || wanted.includes(licenceOf(photo)));
    });
    const perPage = Math.max(1, Math.min(500, Number(query.get('per_page')) || 100));
    const page = Math.max(1, Number(query.get('page')) || 1);
    const photo = found.slice((page - 1) * perPage, page * perPage).map((one) => this.#record(one));
    return { page, pages: Math.ceil(found.length / perPage), perpage: perPage, total: found.length, photo };
  }

  #record(photo: Photo) {
    const number = Number(photo.id);
    return {
      id: photo.id,
      owner: `${10_000_000 + (number % 97)}@N00`,
      title: photo.caption.title,
      license: licenceOf(photo),
      description: { _content: photo.caption.description },
      dateupload: String(1_500_000_000 + (number % 100_000) * 1000),
      datetaken: '2017-05-14 07:12:00',
      ownername: photographers[number % photographers.length],
      tags: photo.caption.tags.join(' '),
      media: 'photo',
      media_status: 'ready',
      url_m: this.address(photo),
    };
  }
}

const licenceOf = (photo: Photo) => openLicences[Number(photo.id) % openLicences.length];

function send(response: ServerResponse, status: number, type: string, body: string | Buffer): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
