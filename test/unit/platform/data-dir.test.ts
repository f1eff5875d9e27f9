import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { dataDir } from '../../../src/main/platform/data-dir.ts';

const home = os.homedir();

describe('the data directory', () => {
  it.each<[string, string | undefined, NodeJS.ProcessEnv, NodeJS.Platform, string]>([
    ['is the one of the flag', '/data/one', { COUNTERSIGN_DATA_DIR: '/data/two' }, 'linux', '/data/one'],
    ['is the one of the variable', undefined, { COUNTERSIGN_DATA_DIR: '/data/two' }, 'linux', '/data/two'],
    ['takes an empty flag and an empty variable for not given', '', { COUNTERSIGN_DATA_DIR: '', XDG_DATA_HOME: '/xdg' }, 'linux', '/xdg/countersign'],
    ['follows the XDG folder', undefined, { XDG_DATA_HOME: '/xdg' }, 'linux', '/xdg/countersign'],
    ['does not follow a relative XDG folder', undefined, { XDG_DATA_HOME: 'xdg' }, 'linux', path.join(home, '.local/share/countersign')],
    ['is the usual one otherwise', undefined, {}, 'linux', path.join(home, '.local/share/countersign')],
    ['is the usual one of macOS', undefined, { XDG_DATA_HOME: '/xdg' }, 'darwin', path.join(home, 'Library/Application Support/Countersign')],
    ['is made absolute', 'data', {}, 'linux', path.resolve('data')],
  ])('%s', (_, flag, env, platform, expected) => {
    expect(dataDir(flag, env, platform)).toMatchObject({ path: expected, endpoint: path.join(expected, 'endpoint.json'), controlToken: path.join(expected, 'control-token'), database: path.join(expected, 'countersign.db') });
  });
});
