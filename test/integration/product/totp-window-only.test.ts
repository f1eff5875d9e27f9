import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { PASSPHRASE, startProduct, type Product } from '../../support/product.ts';
import { cli } from '../cli/stand-in.ts';

let product: Product | undefined;
afterEach(async () => {
  await product?.close();
  product = undefined;
});

it('with a window the control token sees how it stands with the authenticator, and can do nothing about it', async () => {
  product = await startProduct({ window: true, enrolled: true });
  expect((await product.control('GET', '/v1/countersign/totp')).json).toMatchObject({ enrolled: true, recovery_left: 10, seal: 'keyring', opens: true, window: true });
  for (const [route, body] of [['offer'], ['confirm', { code: product.code() }], ['reset'], ['unlock', { passphrase: 'a passphrase of theirs' }]] as const) {
    expect(await product.control('POST', `/v1/countersign/totp/${route}`, body), route).toMatchObject({ status: 403, json: { error: { data: { code: 'window-only' } } } });
  }
  for (const words of [['enroll'], ['enroll', '--confirm', '482910'], ['reset'], ['unlock']]) {
    expect(await cli(product.dir, ['totp', ...words], { env: { COUNTERSIGN_PASSPHRASE: 'a passphrase of theirs' } }), words.join(' ')).toMatchObject({ code: 1, err: expect.stringMatching(/in the Countersign window only(?!.*start the app)/) });
  }
  expect((await product.control('GET', '/v1/countersign/totp')).json).toMatchObject({ enrolled: true, passphrase: 'unused', offered: false });
});

it('the routes of the authenticator want the control token', async () => {
  product = await startProduct();
  expect((await product.send('GET', '/v1/countersign/totp')).status).toBe(401);
  expect((await product.send('POST', '/v1/countersign/totp/offer')).status).toBe(401);
});

it('a target whose values lie under the passphrase is named by doctor and missing until the passphrase is given, and there again then', async () => {
  product = await startProduct({ enrolled: true });
  const entry = { command: process.execPath, args: [path.resolve('test/support/workers/sample.mjs')], env: { A_SECRET: 'hidden' } };
  expect((await product.control('PUT', '/v1/mcp-gateway/targets/kept', entry)).status).toBe(200);
  await product.restart({ enrolled: false });
  expect((await product.call('kept', 'env')).status).toBe(404);
  expect((await product.control('GET', '/v1/countersign/doctor')).text).toContain('is not there: kept.');
  expect(await cli(product.dir, ['totp', 'unlock'], { env: { COUNTERSIGN_PASSPHRASE: PASSPHRASE } })).toMatchObject({ code: 0 });
  expect((await product.call('kept', 'env')).text).toContain('hidden');
  expect((await product.control('GET', '/v1/countersign/doctor')).text).not.toContain('is not there');
});
