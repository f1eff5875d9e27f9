import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { withDesktop } from '../../support/desktop/index.ts';
import { keyringProbe } from '../../support/keyring-probe/index.ts';

const SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

describe('in a real Electron on a real desktop', () => {
  it('an unlocked keyring seals secrets for the next run, and a run without it opens and seals none', { timeout: 120_000 }, async () => {
    await withDesktop(
      async (desktop) => {
        const run = await keyringProbe(desktop);
        const dir = desktop.tempFolder('keyring-data');
        const first = await run({ store: 'gnome-libsecret', dir });
        expect(first).toMatchObject({ keyring: 'gnome_libsecret', strength: 'keyring', opened: null });
        expect(first.doctor).toContain('gnome_libsecret');
        const open = first.sealed!;
        expect(Buffer.from(open, 'hex').toString('latin1')).not.toContain(SECRET);
        expect(await run({ store: 'gnome-libsecret', dir, open })).toMatchObject({ opened: SECRET });

        const without = await run({ store: 'basic', dir, open });
        expect(without).toMatchObject({ keyring: null, strength: null, sealed: null });
        expect(without.why).toContain('basic_text');
        expect(without.opened).toMatch(/^SealFault: .*keyring, which is not there now/u);
        expect(readdirSync(dir)).toEqual(['sealed-by-keyring']);
      },
      { keyringPassword: 'a test keyring' },
    );
  });

  it('without a keyring nothing seals a secret, and doctor says why', { timeout: 120_000 }, async () => {
    await withDesktop(async (desktop) => {
      const run = await keyringProbe(desktop);
      const told = await run({ store: 'basic', dir: desktop.tempFolder('keyring-data') });
      expect(told).toMatchObject({ keyring: null, strength: null, sealed: null });
      expect(told.doctor).toMatch(/lies in the data directory.*basic_text/u);
    });
  });
});
