import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createAttestation } from '../../src/main/attestation/index.ts';
import { compose, type Composition } from '../../src/main/compose.ts';
import { openDir } from '../../src/main/compose/open.ts';
import { dataDir, type DataDir } from '../../src/main/platform/data-dir.ts';
import { codeAt, STEP } from './totp.ts';

export const PASSPHRASE = 'correct horse battery staple';
/** The tests' own Node comes first, as the app's set-up arranges it. */
const PATH = `${path.dirname(process.execPath)}:${path.resolve('node_modules/.bin')}:${process.env['PATH'] ?? ''}`;

export interface ProductOptions {
  /** The `.mcp.json` of this run: the value of `mcpServers`. */
  readonly servers?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly preflight?: string;
  /** With an authenticator enrolled a minute ago, so that two codes are good at once. */
  readonly enrolled?: boolean;
  readonly window?: boolean;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown> & { readonly result?: unknown; readonly error?: { readonly code: number; readonly data: Record<string, unknown> }; readonly params?: Record<string, unknown> };
  readonly text: string;
}

export interface Sending {
  readonly key?: string;
  readonly id?: string | number;
  readonly token?: string;
  readonly meta?: object;
}

/** The product's own composition over real HTTP on a data directory of its own. */
export interface Product {
  readonly dir: DataDir;
  readonly url: string;
  readonly composition: Composition;
  readonly token: string;
  /** The code that is good now, or with -1 the one before it. */
  code(steps?: 0 | -1): string;
  send(method: string, route: string, init?: { readonly token?: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }): Promise<Answered>;
  control(method: string, route: string, body?: unknown): Promise<Answered>;
  /** `tools/call` over the REST dialect of document 003. */
  call(target: string, name: string, args?: object, sending?: Sending): Promise<Answered>;
  stop(): Promise<void>;
  /** Stops it, and starts it again on the same data with the same options or others. */
  restart(over?: ProductOptions): Promise<void>;
  /** Stops it and removes its data. */
  close(): Promise<void>;
}

const keyring = { name: 'test', encrypt: (text: string) => Buffer.from(text).map((byte) => byte ^ 0x5a), decrypt: (sealed: Uint8Array) => Buffer.from(sealed.map((byte) => byte ^ 0x5a)).toString() };

export async function startProduct(options: ProductOptions = {}): Promise<Product> {
  const dir = dataDir(mkdtempSync(path.join(os.tmpdir(), 'countersign-product-')), {});
  const secret = options.enrolled === true ? await enrol(dir, options.window === true) : undefined;
  let running = await start(dir, options);
  let stopped = false;

  const product: Product = {
    dir,
    get url() {
      return running.url;
    },
    get composition() {
      return running.composition;
    },
    get token() {
      return readFileSync(dir.clientToken, 'utf8').trim();
    },
    code(steps = 0) {
      if (secret === undefined) throw new Error('no authenticator was enrolled');
      return codeAt(secret, Date.now() + steps * STEP);
    },
    async send(method, route, { token = product.token, body, headers = {} } = {}) {
      const response = await fetch(`${running.url}${route}`, {
        method,
        headers: { ...(token !== '' && { authorization: `Bearer ${token}` }), ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: (text === '' ? {} : JSON.parse(text)) as Answered['json'] };
    },
    control: (method, route, body) => product.send(method, route, { token: readFileSync(dir.controlToken, 'utf8').trim(), body }),
    call: (target, name, args = {}, { key, id = 1, token, meta } = {}) =>
      product.send('POST', `/v1/mcp-gateway/${target}/invoke`, {
        ...(token !== undefined && { token }),
        body: { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, ...(meta !== undefined && { _meta: meta }) } },
        headers: key === undefined ? {} : { 'x-idempotency-key': key },
      }),
    async stop() {
      if (!stopped) await running.composition.stop();
      stopped = true;
    },
    async restart(over) {
      await product.stop();
      running = await start(dir, { ...options, ...over });
      stopped = false;
    },
    async close() {
      await product.stop();
      rmSync(dir.path, { recursive: true, force: true });
    },
  };
  return product;
}

async function start(dir: DataDir, { servers, env = {}, preflight, window = false, enrolled = false }: ProductOptions): Promise<{ readonly composition: Composition; readonly url: string }> {
  const config = path.join(dir.path, 'run.mcp.json');
  if (servers !== undefined) writeFileSync(config, JSON.stringify({ mcpServers: servers }));
  const composed = await compose({
    dir, flags: { dataDir: dir.path, port: 0, config: servers === undefined ? undefined : config, preflight }, version: '0.1.0', writeLog: () => undefined,
    env: { PATH, HOME: os.homedir(), ...(enrolled && { COUNTERSIGN_PASSPHRASE: PASSPHRASE }), ...env }, ...(window && { desktop: { keyring: { keyring } } }),
  });
  if (!composed.ok) throw new Error(composed.fault.sentence);
  const started = await composed.composition.start();
  if (!started.ok) throw new Error(started.fault.sentence);
  return { composition: composed.composition, url: started.url };
}

/** Enrols an authenticator through the real rooms, a minute ago by the clock. */
async function enrol(dir: DataDir, window: boolean): Promise<string> {
  const past = Date.now() - 2 * STEP;
  const clock = { now: () => ({ wall: past, mono: 0, boot: 'before' }) };
  const opened = await openDir({ dir, clock, ...(window ? { keyring: { keyring } } : { passphrase: PASSPHRASE }) });
  if (!opened.ok) throw new Error(opened.fault.sentence);
  const { store, seals, close } = opened.opened;
  const { enrolment } = createAttestation({
    store: store.totp, clock, timers: { after: () => () => undefined }, sealing: seals.secrets, randomBytes: (count) => randomBytes(count), hasWindow: false, label: 'me@test', controlActor: 'control:me',
    report: (event, error) => { throw new Error(event, { cause: error }); }, recoveryCost: 16,
  });
  const offered = enrolment.begin({ door: 'command-line', actor: 'control:me' });
  if (!offered.ok) throw new Error(offered.code);
  const confirmed = enrolment.confirm({ door: 'command-line', actor: 'control:me', code: codeAt(offered.value.secret, past) });
  if (!confirmed.ok) throw new Error(confirmed.code);
  close();
  return offered.value.secret;
}
