/** X.509 certificates for tests on this machine, made from nothing: an authority, and what it signs. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

export interface Certified {
  /** PEM, as npm's settings want them. */
  readonly cert: string;
  readonly key: string;
}

const der = (tag: number, ...contents: Uint8Array[]): Buffer => {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};
const sequence = (...contents: Uint8Array[]) => der(0x30, ...contents);
const bitString = (bytes: Uint8Array) => der(0x03, Buffer.of(0), bytes);
/** Object identifiers below 2.5.4, 2.5.29 and of ECDSA with SHA-256, already encoded. */
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const ecdsaWithSha256 = sequence(identifier('2a8648ce3d040302'));
const named = (name: string) => sequence(der(0x31, sequence(identifier('550403'), der(0x0c, Buffer.from(name)))));
const moment = (date: Date) => der(0x17, Buffer.from(`${date.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));
const day = 86_400_000;

interface Issuer {
  name: string;
  key: KeyObject;
}

function certificate(name: string, publicKey: KeyObject, issuer: Issuer, extensions: Buffer[]): string {
  const body = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    ecdsaWithSha256,
    named(issuer.name),
    sequence(moment(new Date(Date.now() - day)), moment(new Date(Date.now() + day))),
    named(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  );
  const whole = sequence(body, ecdsaWithSha256, bitString(sign('sha256', body, issuer.key)));
  const lines = whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

const keys = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string;

/** An authority that nobody knows; what it issues is for 127.0.0.1. */
export function createAuthority(name: string): { cert: string; issue(name: string): Certified } {
  const own = keys();
  const issuer = { name, key: own.privateKey };
  const isAuthority = sequence(
    identifier('551d13'),
    der(0x01, Buffer.of(255)),
    der(0x04, sequence(der(0x01, Buffer.of(255)))),
  );
  const forLoopback = sequence(identifier('551d11'), der(0x04, sequence(der(0x87, Buffer.of(127, 0, 0, 1)))));
  return {
    cert: certificate(name, own.publicKey, issuer, [isAuthority]),
    issue(subject) {
      const { publicKey, privateKey } = keys();
      return { cert: certificate(subject, publicKey, issuer, [forLoopback]), key: pem(privateKey) };
    },
  };
}
