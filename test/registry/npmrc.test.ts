import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { npmSettings, parseNpmrc } from '../../src/registry/npmrc.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
beforeAll(() => {
  mkdirSync(join(folder, 'home'));
  mkdirSync(join(folder, 'project', 'inner'), { recursive: true });
  writeFileSync(join(folder, 'project', 'package.json'), '{}');
  writeFileSync(join(folder, 'project', '.npmrc'), 'registry=https://project.example/\n');
  writeFileSync(join(folder, 'home', '.npmrc'), 'registry=https://user.example/\nfetch-retries=7\n');
  writeFileSync(join(folder, 'globalrc'), 'proxy=http://proxy.example:3128/\nfetch-retries=1\n');
});

describe('npm settings', () => {
  const places = (environment: Record<string, string>, inside = 'project/inner') => ({
    folder: join(folder, inside),
    home: join(folder, 'home'),
    environment: { npm_config_globalconfig: join(folder, 'globalrc'), ...environment },
  });

  it('prefers the environment, then the project, the user, the machine', () => {
    expect(npmSettings(places({ NPM_CONFIG_REGISTRY: 'https://environment.example/' })).registry).toBe(
      'https://environment.example/',
    );
    expect(npmSettings(places({})).registry).toBe('https://project.example/');
    expect(npmSettings(places({}, 'home')).registry).toBe('https://user.example/');
    expect(npmSettings(places({}))).toMatchObject({ 'fetch-retries': '7', proxy: 'http://proxy.example:3128/' });
  });

  it('reads comments, quotes, spaces and variables', () => {
    const text = `; a comment\n# another\nregistry = "https://a.example/"\n//a.example/:_authToken=\${TOKEN}\n@s:registry=https://s.example/ ; private\nbare\nlist[]=x\nlist[] = y`;
    expect(parseNpmrc(text, { TOKEN: 'secret' })).toEqual({
      registry: 'https://a.example/',
      '//a.example/:_authToken': 'secret',
      '@s:registry': 'https://s.example/',
      list: 'x\ny',
    });
  });
});
