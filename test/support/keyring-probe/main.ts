import { app } from 'electron';
import { writeFileSync } from 'node:fs';
import { electronKeyring } from '../../../src/main/platform/electron-sealing.ts';
import { openSealing } from '../../../src/main/platform/sealing.ts';

/** What the probe found and did, written to the file named in PROBE_ANSWER. */
export interface ProbeAnswer {
  readonly keyring: string | null;
  readonly why: string | null;
  readonly strength: string | null;
  /** A secret sealed now, in hex; null when nothing seals one. */
  readonly sealed: string | null;
  /** What became of PROBE_OPEN, something sealed by an earlier run. */
  readonly opened: string | null;
  readonly doctor: string;
}

const attempt = (work: () => string): string => {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : 'not an error';
  }
};

/** The product's own keyring and seals inside a real Electron, and nothing else of it. */
async function probe(): Promise<ProbeAnswer> {
  const found = electronKeyring();
  const seals = await openSealing({ dir: process.env['PROBE_DIR'] ?? '', keyring: found });
  if (!seals.ok) throw new Error(seals.code);
  const { secrets, describe } = seals.value;
  const before = process.env['PROBE_OPEN'] ?? '';
  return {
    keyring: found.keyring?.name ?? null,
    why: found.keyring === undefined ? found.why : null,
    strength: secrets.strength() ?? null,
    sealed: secrets.strength() === undefined ? null : Buffer.from(secrets.seal('JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP')).toString('hex'),
    opened: before === '' ? null : attempt(() => secrets.open(Buffer.from(before, 'hex'))),
    doctor: describe().note,
  };
}

void app.whenReady().then(async () => {
  writeFileSync(process.env['PROBE_ANSWER'] ?? '', JSON.stringify(await probe()));
  app.exit();
});
