/**
 * Which addresses may be reached. A host name is resolved by us, every answer is checked, and the connection is made to
 * a checked answer, so that neither a redirect nor a name server can lead into a private network.
 */
import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { UsageError } from '../../errors.js';
import { FetchFailure } from './failure.js';

const longestUrl = 4096;

export class AddressPolicy {
  readonly #allowed: ReturnType<typeof ipaddr.parseCIDR>[];

  /** @param allowed address ranges that may be reached although they are not public, such as `127.0.0.0/8` */
  constructor(allowed: readonly string[] = []) {
    this.#allowed = allowed.map((range) => {
      try {
        return ipaddr.parseCIDR(range.includes('/') ? range : `${range}/${isIP(range) === 6 ? 128 : 32}`);
      } catch {
        throw new UsageError(`"${range}" is not an address range`, 'Write it as an address and a prefix: 127.0.0.0/8.');
      }
    });
  }

  permits(address: string): boolean {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    if (this.#allowed.some((range) => parsed.kind() === range[0].kind() && parsed.match(range))) return true;
    return parsed.range() === 'unicast';
  }

  /** Parses an address from the web, or says why it may not be asked. */
  check(text: string, base?: URL): URL {
    if (text.length > longestUrl) throw new FetchFailure('bad-address', `an address of ${text.length} characters`);
    let url: URL;
    try {
      url = new URL(text, base);
    } catch {
      throw new FetchFailure('bad-address', `"${text.slice(0, 200)}" is not an address`);
    }
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new FetchFailure('bad-address', `"${url.protocol}" addresses are not fetched, only http and https`);
    if (url.username || url.password) throw new FetchFailure('bad-address', 'the address carries a user name');
    const host = url.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) && !this.permits(host)) throw forbidden(url.hostname, host);
    return url;
  }

  /** For the connector: resolves a name and refuses it when any answer is not permitted. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    systemLookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '', 0);
      const bad = addresses.find(({ address }) => !this.permits(address));
      if (bad) return callback(forbidden(hostname, bad.address), '', 0);
      if (options.all) return callback(null, addresses);
      callback(null, addresses[0].address, addresses[0].family);
    });
  };
}

function forbidden(hostname: string, address: string): FetchFailure {
  return new FetchFailure('forbidden-address', `${hostname} is ${address}, which is not a public address`);
}
