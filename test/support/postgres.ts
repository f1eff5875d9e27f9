import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { asOrdinaryUser, giveToOrdinaryUser, ordinaryTempFolder } from '../../scripts/setup/ordinary-user.mjs';

const ROOT = '/usr/lib/postgresql';

/** The programs of the newest PostgreSQL that Debian has put here. */
function programs(): string {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).sort((one, other) => Number(other) - Number(one)) : [];
  const [newest] = versions.filter((version) => existsSync(path.join(ROOT, version, 'bin', 'initdb')));
  if (newest === undefined) throw new Error('PostgreSQL is not installed; `npm test` installs it (Debian package postgresql)');
  return path.join(ROOT, newest, 'bin');
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = net.createServer();
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

/** A PostgreSQL of the test's own on 127.0.0.1, as an ordinary user, in a folder that is removed at the end. */
export async function startPostgres() {
  const bin = programs();
  const folder = ordinaryTempFolder('countersign-postgres-');
  const data = path.join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  giveToOrdinaryUser(data);
  const run = (program: string, args: readonly string[]): string => {
    const [command, ...words] = asOrdinaryUser([path.join(bin, program), ...args]);
    return execFileSync(command, words, { encoding: 'utf8', cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'pipe'] });
  };
  run('initdb', ['-D', data, '-U', 'test', '--auth=trust', '--no-sync', '-E', 'UTF8']);
  const port = await freePort();
  const [command, ...words] = asOrdinaryUser([path.join(bin, 'postgres'), '-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-F'], { dieWithParent: true });
  const child = spawn(command, words, { cwd: folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stderr.on('data', (part: Buffer) => {
      said += part.toString();
      if (said.includes('ready to accept connections')) resolve();
    });
    child.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said.slice(-500)}`)));
  });
  return {
    url: `postgresql://test@127.0.0.1:${port}/postgres`,
    /** Runs SQL past the gateway and gives what psql prints, without decoration. */
    sql: (text: string): string => run('psql', ['-h', '127.0.0.1', '-p', String(port), '-U', 'test', '-d', 'postgres', '-At', '-c', text]).trim(),
    async close(): Promise<void> {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGINT'); // PostgreSQL's fast shutdown
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
